"""On which versions of its host each plug-in is tested; data for `tests.benchmarks.versions`.

Another plug-in is another `Plugin` in `PLUGINS`, another version another `Combination` in it.
"""

from __future__ import annotations

from dataclasses import dataclass

PYTHONS = ("python3.10", "python3.13")
"""The oldest Python that is supported, and the newest."""


@dataclass(frozen=True, slots=True)
class Combination:
    """One set of versions. What it does not name is the newest that fits."""

    name: str
    packages: tuple[str, ...]
    """Requirements as pip takes them."""
    options: tuple[str, ...] = ()
    """For pytest."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in and the versions of its host."""

    name: str
    folder: str
    """Where its tests are, below `tests`."""
    optional: tuple[str, ...]
    """Modules that a combination may lack, called like their packages; then tests that import them are left out."""
    testing: tuple[str, ...]
    """What its tests need besides, in any version."""
    shown: tuple[str, ...]
    """Packages whose versions are recorded."""
    combinations: tuple[Combination, ...]


_OLD_WORDING = ("-W", "ignore::langchain_core._api.deprecation.LangChainDeprecationWarning")
"""The tests expect deprecations of LangChain's own chains in the words of the newest version; older ones differ."""

LANGCHAIN = Plugin(
    name="langchain",
    folder="langchain_plugin",
    optional=("langchain", "langgraph"),
    # Each langchain-tests fits only some of pytest and of langchain-core.
    testing=("langchain-tests>=1.0,<2", "pytest", "pytest-asyncio", "hypothesis", "blockbuster>=1.5.29,<1.6"),
    shown=(
        "langchain-core",
        "langchain",
        "langchain-classic",
        "langgraph",
        "langgraph-prebuilt",
        "langgraph-checkpoint",
        "pydantic",
    ),
    combinations=(
        # Agents need a newer langchain-core than chains do, so that there are two oldest sets.
        Combination("oldest, chains", ("langchain-core==1.0.0", "langchain-classic==1.0.0"), _OLD_WORDING),
        # Below langchain 1.2.9 `AgentMiddleware` has no third type parameter; 1.2.9 does not import with the langgraph
        # that pip picks for it, 1.2.10 allows the same ones, and 1.2.11 was not tried. langgraph 1.1.1 is the oldest
        # that 1.2.12 allows; it needs, and does not ask for, a langgraph-prebuilt of its own time.
        Combination(
            "oldest, agents",
            (
                "langchain-core==1.2.10",
                "langchain==1.2.12",
                "langchain-classic==1.0.0",
                "langgraph==1.1.1",
                "langgraph-prebuilt==1.0.8",
            ),
            _OLD_WORDING,
        ),
        Combination(
            "newest", ("langchain-core>=1,<2", "langchain>=1,<2", "langchain-classic>=1,<2", "langgraph>=1,<2")
        ),
    ),
)

LLAMAINDEX = Plugin(
    name="llamaindex",
    folder="llamaindex_plugin",
    optional=(),
    testing=("llama-index-llms-openai-like", "pytest", "pytest-asyncio", "hypothesis", "blockbuster>=1.5.29,<1.6"),
    shown=(
        "llama-index-core",
        "llama-index-workflows",
        "llama-index-instrumentation",
        "llama-index-llms-openai-like",
        "openai",
        "pydantic",
        "pydantic-core",
    ),
    combinations=(
        # Below 0.14.15 there is no common class of message blocks, and below 0.14.17 a streamed turn of
        # `ContextChatEngine` whose reader goes away is lost, question included.
        Combination("oldest", ("llama-index-core==0.14.17", "pydantic==2.13.5")),
        # From pydantic 2.14 on, LlamaIndex cannot serialise its own memories.
        Combination("newest, pydantic 2.13", ("llama-index-core>=0.14,<0.15", "pydantic>=2.13,<2.14")),
        Combination("newest", ("llama-index-core>=0.14,<0.15", "pydantic>=2.14,<2.15")),
    ),
)

_OLD_VALIDATOR = ("-W", "ignore::pydantic.warnings.PydanticDeprecatedSince212")
"""Newer pydantic warns of how old versions of google-genai define a class, when that is imported."""

CLIENTS = Plugin(
    name="clients",
    folder="adapters",
    optional=(),
    # Google's SDK has an async client of its own beside httpx, and Anthropic's needs boto3 for Bedrock: both are
    # optional and tested too.
    testing=("aiohttp", "boto3", "pytest", "pytest-asyncio", "hypothesis", "blockbuster>=1.5.29,<1.6"),
    shown=("openai", "anthropic", "google-genai", "httpx", "aiohttp", "boto3", "pydantic"),
    combinations=(
        Combination("oldest", ("openai==2.0.0", "anthropic==0.70.0", "google-genai==1.40.0"), _OLD_VALIDATOR),
        Combination("newest", ("openai>=2", "anthropic>=0.70,<3", "google-genai>=1.40,<4")),
    ),
)

PLUGINS = (LANGCHAIN, LLAMAINDEX, CLIENTS)
