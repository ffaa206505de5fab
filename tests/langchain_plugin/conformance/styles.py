"""How LangChain is called: one driver for each style, which runs several users' inputs and gives back what they heard.

A driver takes a view, its runnable and pairs of input and config. It returns a list of pieces for each pair: what was
streamed, or the one output. A model that fails raises, after all runs have come to their end.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import islice

PIECES = 2
"""How many pieces of a stream somebody reads who closes it early: more than none, fewer than all."""


async def invoke(view, runnable, runs):
    """Plainly."""

    async def run(value, config):
        return [runnable.invoke(value, config)]

    return await _each(runs, run)


async def ainvoke(view, runnable, runs):
    """On the event loop."""

    async def run(value, config):
        return [await runnable.ainvoke(value, config)]

    return await _each(runs, run)


async def stream(view, runnable, runs):
    """Piece by piece, to the end."""

    async def run(value, config):
        return list(runnable.stream(value, config, **view.stream_options))

    return await _each(runs, run)


async def astream(view, runnable, runs):
    """Piece by piece on the event loop."""

    async def run(value, config):
        return [piece async for piece in runnable.astream(value, config, **view.stream_options)]

    return await _each(runs, run)


async def batch(view, runnable, runs):
    """All at once, in threads."""
    values, configs = zip(*runs, strict=True)
    return _raised([[one] for one in runnable.batch(list(values), list(configs), return_exceptions=True)])


async def abatch(view, runnable, runs):
    """All at once on the event loop."""
    values, configs = zip(*runs, strict=True)
    return _raised([[one] for one in await runnable.abatch(list(values), list(configs), return_exceptions=True)])


async def cut(view, runnable, runs):
    """A stream that is closed early."""

    async def run(value, config):
        pieces = runnable.stream(value, config, **view.stream_options)
        got = list(islice(pieces, PIECES))
        pieces.close()
        return got

    return await _each(runs, run)


async def acut(view, runnable, runs):
    """The same on the event loop."""

    async def run(value, config):
        pieces = runnable.astream(value, config, **view.stream_options)
        got = []
        async for piece in pieces:
            got.append(piece)
            if len(got) == PIECES:
                break
        await pieces.aclose()
        return got

    return await _each(runs, run)


async def _each(runs, run):
    """One run after the other, also after one that has failed."""
    outcomes = []
    for value, config in runs:
        try:
            outcomes.append(await run(value, config))
        except ConnectionError as error:
            outcomes.append([error])
    return _raised(outcomes)


def _raised(outcomes):
    """The pieces of each run; if one has failed, all must have, and the first failure is raised."""
    failures = [pieces[0] for pieces in outcomes if pieces and isinstance(pieces[0], Exception)]
    if failures:
        assert len(failures) == len(outcomes)
        raise failures[0]
    return outcomes


@dataclass(frozen=True)
class Column:
    """How a first message is sent and what comes of it; the second is sent in the style of `after` and is answered."""

    name: str
    style: Callable[..., Awaitable[list]]
    after: Callable[..., Awaitable[list]]
    event: str
    """`answered`, `cut`, `failed` or `tools`."""


OFF_THE_LOOP = (ainvoke, astream, abatch)
"""The styles in which the memory must never work on the thread of the event loop.

A stream that is closed early is none of them: `wrap` stores what there is of it before control goes back to the loop.
"""

_WHOLE = (invoke, ainvoke, stream, astream, batch, abatch)

COLUMNS = [
    *(Column(style.__name__, style, style, "answered") for style in _WHOLE),
    Column("cut", cut, stream, "cut"),
    Column("acut", acut, astream, "cut"),
    *(Column(f"{style.__name__}, the model fails", style, style, "failed") for style in _WHOLE),
    *(Column(f"{style.__name__}, a tool loop", style, style, "tools") for style in _WHOLE),
]
"""The columns of the matrix; the first one of each event is what the others are compared with."""
