"""The run of a wrapped chain, as callbacks see it.

Without one, the outermost run that they see is that of the chain inside, whose input has what was recalled: a trace
would show it as what was asked, and a `RunnableWithMessageHistory` would keep it as the user's words.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, ensure_config
from langchain_core.runnables.config import (
    get_async_callback_manager_for_config,
    get_callback_manager_for_config,
    patch_config,
)


class OwnRun:
    """A run under way.

    Args:
        config: for what runs inside.
    """

    def __init__(self, config: RunnableConfig) -> None:
        self.config = config
        self.output: Any = None
        """What callbacks are told that it gave; set it before the end."""


@contextmanager
def own_run(runnable: Runnable[Any, Any], value: object, config: RunnableConfig | None) -> Iterator[OwnRun]:
    """Tell callbacks that a run begins and how it ends.

    Args:
        runnable: what runs.
        value: its input, as it was given.
        config: as it was given.
    """
    given = ensure_config(config)
    manager = get_callback_manager_for_config(given).on_chain_start(
        None, value, name=given.get("run_name") or runnable.get_name(), run_id=given.get("run_id")
    )
    run = OwnRun(patch_config(given, callbacks=manager.get_child()))
    try:
        yield run
    except BaseException as error:
        manager.on_chain_error(error)
        raise
    manager.on_chain_end(run.output)


@asynccontextmanager
async def aown_run(runnable: Runnable[Any, Any], value: object, config: RunnableConfig | None) -> AsyncIterator[OwnRun]:
    """Async twin of `own_run`."""
    given = ensure_config(config)
    manager = await get_async_callback_manager_for_config(given).on_chain_start(
        None, value, name=given.get("run_name") or runnable.get_name(), run_id=given.get("run_id")
    )
    run = OwnRun(patch_config(given, callbacks=manager.get_child()))
    try:
        yield run
    except BaseException as error:
        await manager.on_chain_error(error)
        raise
    await manager.on_chain_end(run.output)
