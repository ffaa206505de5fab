"""The systems whose verbs can be timed beside each other, by name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from streetai_core.config import Config
from streetai_core.errors import InputError
from streetai_core.evaluation.rivals.obstacles import no_extensions, not_installed
from streetai_core.evaluation.rivals.timed.langchain import TimedLangChain
from streetai_core.evaluation.rivals.timed.langgraph import TimedLangGraph
from streetai_core.evaluation.rivals.timed.llamaindex import TimedLlamaIndex
from streetai_core.evaluation.rivals.timed.mem0 import TimedMem0
from streetai_core.evaluation.rivals.timed.published import TimedPublished
from streetai_core.evaluation.speed_ours import OurMemory
from streetai_core.evaluation.speed_systems import TimedSystem
from streetai_core.rendering import command

EVERYTHING = "all"
"""Stands for every system."""

_OURS_DURABILITY = "one commit, fsync (WAL, synchronous=FULL)"

_VECTOR_MEMORY_MOST = 2_000
"""Its `put` walks over everything put before: 10,000 texts would take a quarter of an hour."""


def timed_systems(config: Config) -> dict[str, TimedSystem]:
    """All systems by name, ours first; those that are not installed say so.

    Args:
        config: of the system `streetai`.
    """
    systems = (
        TimedSystem(name="streetai", make=partial(OurMemory, config=config), durability=_OURS_DURABILITY),
        TimedSystem(name="classic", make=partial(OurMemory, config=Config.classic()), durability=_OURS_DURABILITY),
        TimedSystem(
            name="streetai-memory",
            make=TimedPublished,
            durability="a commit a row, fsync (DELETE, synchronous=FULL, its default)",
            missing=not_installed("streetai", "pip install --no-deps streetai-memory==0.2.0, or --published FOLDER"),
        ),
        TimedSystem(
            name="langchain",
            make=TimedLangChain,
            durability="save_local rewrites index and texts, no fsync; save_context alone writes nothing",
            missing=not_installed("langchain_classic", "pip install 'streetai[classic]'")
            or not_installed("langchain_community", "pip install langchain-community"),
        ),
        TimedSystem(
            name="llamaindex",
            make=TimedLlamaIndex,
            durability="none",
            most=_VECTOR_MEMORY_MOST,
            missing=not_installed("llama_index", "pip install 'streetai[llamaindex]'"),
        ),
        TimedSystem(
            name="langgraph",
            make=TimedLangGraph,
            durability="one commit, fsync (WAL, synchronous=FULL)",
            missing=not_installed("sqlite_vec", "pip install langgraph-checkpoint-sqlite==3.1.2 langchain-core")
            or no_extensions(),
        ),
        TimedSystem(
            name="mem0",
            make=TimedMem0,
            durability="rewrites index and texts, no fsync; a commit for its history",
            missing=not_installed("mem0", "pip install mem0ai==2.2.1"),
        ),
    )
    return {system.name: system for system in systems}


def select_timed(names: Sequence[str], config: Config) -> list[TimedSystem]:
    """The systems of these names, each once, in the order given.

    Args:
        names: those of `timed_systems`; `EVERYTHING` stands for all of them.
        config: of the system `streetai`.

    Raises:
        InputError: a name is unknown.
    """
    known = timed_systems(config)
    wanted = dict.fromkeys(one for name in names for one in (known if name == EVERYTHING else (name,)))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InputError(f"there is no system {', '.join(unknown)}; known are {', '.join(known)}")
    return [known[name] for name in wanted]


def use_published(folder: Path) -> None:
    """Let the published product be imported from a folder of its own (`pip install --target FOLDER`).

    Raises:
        InputError: it is not there.
    """
    if not (folder / "streetai" / "__init__.py").is_file():
        raise InputError(
            f"there is no streetai-memory in {str(folder)!r}; "
            f"{command('pip', 'install', '--no-deps', '--target', folder, 'streetai-memory==0.2.0')}"
        )
    # At the end: nothing else that lies there shall take the place of what is installed.
    sys.path.append(str(folder.resolve()))
