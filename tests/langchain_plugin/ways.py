"""All ways in which LangChain runs a runnable, as one kind of function: `await way(runnable, value, config)`."""

import asyncio

from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from streetai_langchain.replies import added


def total(chunks):
    """The sum of what was streamed."""
    output = None
    for chunk in chunks:
        output = added(output, chunk)
    return output


async def invoke(runnable, value, config):
    """Plainly."""
    return runnable.invoke(value, config)


async def ainvoke(runnable, value, config):
    """On the event loop."""
    return await runnable.ainvoke(value, config)


async def stream(runnable, value, config):
    """Piece by piece, to the end."""
    return total(runnable.stream(value, config))


async def astream(runnable, value, config):
    """Piece by piece on the event loop."""
    return total([chunk async for chunk in runnable.astream(value, config)])


async def batch(runnable, value, config):
    """As the only one of a batch, with a config of its own."""
    return runnable.batch([value], [config])[0]


async def abatch(runnable, value, config):
    """The same on the event loop."""
    return (await runnable.abatch([value], [config]))[0]


async def piped(runnable, value, config):
    """As a step of a larger chain."""
    return (RunnablePassthrough() | runnable | RunnablePassthrough()).invoke(value, config)


async def apiped(runnable, value, config):
    """As a step of a larger chain that is streamed on the event loop."""
    chain = RunnablePassthrough() | runnable | RunnablePassthrough()
    return total([chunk async for chunk in chain.astream(value, config)])


def _called(runnable):
    """A function that calls a runnable with its input only; to a bare `runnable.invoke` LangChain gives the config."""

    def call(value):
        return runnable.invoke(value)

    return call


async def nested(runnable, value, config):
    """Inside a function of the application, which does not pass on the config."""
    return RunnableLambda(_called(runnable)).invoke(value, config)


async def bound(runnable, value, config):
    """With the config bound beforehand."""
    return await runnable.with_config(config).ainvoke(value)


WAYS = [invoke, ainvoke, stream, astream, batch, abatch, piped, apiped, nested, bound]


async def cut(runnable, value, config):
    """A stream that is closed after its second piece."""
    pieces = runnable.stream(value, config)
    got = [next(pieces), next(pieces)]
    pieces.close()
    return total(got)


async def acut(runnable, value, config):
    """The same on the event loop."""
    pieces = runnable.astream(value, config)
    got = [await anext(pieces), await anext(pieces)]
    await pieces.aclose()
    return total(got)


CUTS = [cut, acut]


async def all_ended(runs):
    """Wait until no run is open any more.

    Of a stream that was cut on the event loop, LangChain leaves the steps to the garbage collector, and Python closes
    those in tasks of their own, some time later. A loop that ends before would cancel them.
    """
    for _ in range(3000):
        if not len(runs):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{len(runs)} runs are still open after half a minute")
