"""A LangChain retriever: the pieces of a memory that bear on a question, as documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import chain
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig, ensure_config
from pydantic import ConfigDict, Field, InstanceOf

from streetai_core import Hit, MemoryRegistry, RecallFilter, Strategy
from streetai_core.errors import InputError
from streetai_core.failures import fail_open
from streetai_core.types import Why
from streetai_core.verbs.arguments import check_filter, with_strategy
from streetai_langchain.sessions import Session, graph_context, session_of

_CONSEQUENCE = "nothing is retrieved"


class StreetAIRetriever(BaseRetriever):
    """Finds in a memory what bears on a question, best first; `memory.retriever()` makes one.

        retriever.invoke("What may I cook?", {"configurable": {"session_id": "s1"}}, k=3)

    One object serves all users: whose memory is asked is told by each run's config, unless the retriever is bound to a
    session. It looks at everything in the memory, of all conversations. As a vector store's retriever it gives exactly
    `k` documents if the memory has as many: where fewer pass the memory's own threshold, the next best follow. Reading
    changes nothing; to learn from the reply, run the chain under `memory.track()`, or give the documents to
    `memory.post_process`.

    A failing memory gives no documents: the failure is logged and given to `on_error`. A missing session raises.
    """

    registry: MemoryRegistry
    session_id: str | None = None
    """Binds the retriever to one session; wins over the run's."""
    user_id: str | None = None
    """Binds it to the memory of one user; wins over the run's."""
    k: int = Field(default=4, ge=1, strict=True)
    """How many documents."""
    wanted: InstanceOf[RecallFilter] | None = None
    """Which messages are searched at all: by role, author, day, metadata and so on. `None`: all."""
    strategy: Literal["hybrid", "vector", "keyword"] | InstanceOf[Strategy] | None = None
    """How they are searched, in place of the registry's settings."""
    asked_at: InstanceOf[datetime] | Callable[[], datetime] | None = None
    """When and where questions are asked that do not say so themselves, by which "yesterday" goes: a time in the user's
    zone, or a function that gives it. `None`: the registry's clock."""
    on_error: Callable[[Exception], None] | None = None
    """Told of every failure of the memory."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: A002 - LangChain's name
        """The documents for a question.

        Args:
            input: the question.
            config: of the run; its "configurable" names the session, and may have `asked_at`, when and where the
                question is asked.
            kwargs: `k`, `session_id`, `user_id`, `wanted`, `strategy` and `asked_at` for this call only.

        Returns:
            Pieces of messages; `id` is the signal's. The metadata has `signal_id`, `message_id`, `score` and the
            `parts` that it is the sum of, whether a later message has `replaced` what it says, `role`, `author`,
            `created_at` (ISO 8601), `source`, `trust`, `writer` and `conversation_id` of the message, `start` and
            `end` of the piece in it, the `session` of the run and the `memory_id` that was asked.

        Raises:
            InputError: no session, or an argument cannot be used.
        """
        return super().invoke(input, config, **self._options(input, config, kwargs))

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: A002 - LangChain's name
        """Async twin of `invoke`."""
        return await super().ainvoke(input, config, **self._options(input, config, kwargs))

    def _get_relevant_documents(  # type: ignore[override]  # LangChain passes on what `invoke` adds
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain requires it
        session: Session,
        k: int,
        asked: Mapping[str, Any],
    ) -> list[Document]:
        found = None
        with fail_open(_CONSEQUENCE, self.on_error):
            found = self.registry.get(session.memory_id).why(query, misses=k, **asked)
        return _documents(found, session, k)

    async def _aget_relevant_documents(  # type: ignore[override]  # LangChain passes on what `ainvoke` adds
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain requires it
        session: Session,
        k: int,
        asked: Mapping[str, Any],
    ) -> list[Document]:
        found = None
        with fail_open(_CONSEQUENCE, self.on_error):
            found = await self.registry.get(session.memory_id).awhy(query, misses=k, **asked)
        return _documents(found, session, k)

    def _options(self, question: object, config: RunnableConfig | None, options: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call and its session, read here: further down the config of a direct call is gone."""
        if not isinstance(question, str):
            raise InputError(f"the question must be a str, got {type(question).__name__}")
        given: dict[str, Any] = {"session_id": self.session_id, "user_id": self.user_id, "k": self.k}
        given |= {name: value for name in given if (value := options.pop(name, None)) is not None}
        k = given.pop("k")
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InputError(f"k must be a whole number from 1, got {k!r}")
        run = dict(ensure_config(config).get("configurable") or {})
        if (at := options.pop("asked_at", None)) is not None:
            run["asked_at"] = at
        session = session_of(run, **given, asked_at=self.asked_at, context=graph_context())
        asked = {name: options.pop(name, getattr(self, name)) for name in ("wanted", "strategy")}
        # Here, for what goes wrong further down counts as a failing memory.
        check_filter(asked["wanted"])
        with_strategy(self.registry.config, asked["strategy"])
        asked["asked_at"] = session.asked_at
        return {**options, "session": session, "k": k, "asked": asked}


def _documents(found: Why | None, session: Session, k: int) -> list[Document]:
    """The best `k`: hits, and if they are too few, the best of what did not pass. `None`: the memory failed."""
    if found is None:
        return []
    hits = found.hits[:k]
    others = (miss.hit for miss in found.near_misses[: k - len(hits)])
    best_first = sorted(chain(hits, others), key=lambda hit: -hit.score)
    return [_document(hit, session) for hit in best_first]


def _document(hit: Hit, session: Session) -> Document:
    signal = hit.signal
    metadata = {
        "signal_id": signal.signal_id,
        "message_id": signal.parent_turn_id,
        "score": hit.score,
        "replaced": hit.replaced,
        "parts": dict(hit.parts),
        "role": signal.role,
        "author": signal.name,
        "created_at": signal.created_at.isoformat(),
        "conversation_id": signal.conversation_id,
        "source": signal.source,
        "trust": signal.trust,
        "writer": signal.writer,
        "start": signal.start,
        "end": signal.end,
        "session": session.conversation_id,
        "memory_id": session.memory_id,
    }
    return Document(page_content=signal.content, id=signal.signal_id, metadata=metadata)
