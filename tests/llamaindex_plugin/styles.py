"""All ways to run one turn, as one kind of function: `await style(built, memory, question)` returns the reply.

`built` is what a row of `engines.ENGINES` made: a chat engine, or a workflow of agents. Agents only run on an event
loop; a program without one starts one for each turn, and so do the synchronous styles here. Synchronous styles run on
a thread of their own, as in a server; `on_loop` calls them on the loop's thread, as a notebook does.
"""

from __future__ import annotations

import asyncio

from llama_index.core.agent.workflow import AgentStream
from llama_index.core.chat_engine.types import BaseChatEngine
from workflows.errors import WorkflowCancelledByUser


async def chat(built, memory, question):
    """The whole reply, on a thread without an event loop."""
    if isinstance(built, BaseChatEngine):
        return (await asyncio.to_thread(built.chat, question)).response
    return await asyncio.to_thread(lambda: asyncio.run(achat(built, memory, question)))


async def achat(built, memory, question):
    """The whole reply, on the event loop."""
    if isinstance(built, BaseChatEngine):
        return (await built.achat(question)).response
    return text_of(await started(built, memory, question, streaming=False))


async def stream_chat(built, memory, question):
    """Word by word, on a thread without an event loop."""
    if isinstance(built, BaseChatEngine):
        return await asyncio.to_thread(lambda: "".join(built.stream_chat(question).response_gen))
    return await asyncio.to_thread(lambda: asyncio.run(astream_chat(built, memory, question)))


async def astream_chat(built, memory, question):
    """Word by word, on the event loop."""
    if isinstance(built, BaseChatEngine):
        response = await built.astream_chat(question)
        return "".join([word async for word in response.async_response_gen()])
    handler = started(built, memory, question, streaming=True)
    async for _ in handler.stream_events():
        pass
    return text_of(await handler)


async def on_loop(built, memory, question):
    """The synchronous call on the thread of a running event loop, as in a notebook."""
    return built.chat(question).response


STYLES = (chat, achat, stream_chat, astream_chat)


async def cut(built, memory, question):
    """A stream whose reader goes away after the first word."""
    if not isinstance(built, BaseChatEngine):
        return await asyncio.to_thread(lambda: asyncio.run(acut(built, memory, question)))

    def read():
        words = built.stream_chat(question).response_gen
        first = next(words)
        words.close()
        return first

    return await asyncio.to_thread(read)


async def acut(built, memory, question):
    """The same on the event loop; a run of agents is cancelled."""
    if isinstance(built, BaseChatEngine):
        words = (await built.astream_chat(question)).async_response_gen()
        first = await anext(words)
        await words.aclose()
        return first
    handler = started(built, memory, question, streaming=True)
    first = ""
    async for event in handler.stream_events():
        if isinstance(event, AgentStream) and event.delta and not first:
            first = event.delta
            await handler.cancel_run()
    try:
        await handler
    except WorkflowCancelledByUser:
        return first
    raise AssertionError("the run was not cancelled")


async def abandoned(built, memory, question):
    """A stream whose loop ends while nobody reads any more."""

    async def read():
        response = await built.astream_chat(question)
        return await anext(response.async_response_gen())

    return await asyncio.to_thread(lambda: asyncio.run(read()))


CUTS = (cut, acut)


def started(workflow, memory, question, *, streaming):
    """A run of agents with the memory; needs a running event loop."""
    for agent in getattr(workflow, "agents", {"": workflow}).values():
        agent.streaming = streaming
    return workflow.run(question, memory=memory)


def text_of(output):
    """The reply of a finished run."""
    return output.response.content or ""
