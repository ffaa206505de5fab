"""`StreetAIRetriever`: the pieces of a memory that bear on a question, as LlamaIndex nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from streetai_core import Config, Hit, RecallFilter, Strategy
from streetai_core.config import StrategyName
from streetai_core.errors import InputError, StaleMemoryError
from streetai_core.failures import OnError, fail_open
from streetai_core.prompt.block import shown, speaker
from streetai_core.text.clean import is_blank
from streetai_core.types import Why
from streetai_core.verbs.arguments import AskedAt, check_asked_at, check_filter, moment_of, with_strategy
from streetai_llamaindex.conversations import Conversation, conversation_of
from streetai_llamaindex.engines import Engine, engine_in
from streetai_llamaindex.retrieved import TURN_KEY, remember
from streetai_llamaindex.sessions import session_of
from streetai_llamaindex.turns import Turn

SIMILARITY_TOP_K = 5
"""How many nodes there are by default: messages are shorter than the pieces of documents, of which LlamaIndex takes
two."""

_OWN_SIGNALS = 32
"""How many more near misses are read: an agent's question is stored when it retrieves, and is not an answer to itself.
Longer than so many pieces is no question."""

_NOT_RETRIEVED = "nothing is retrieved"

_SHOWN_KEYS = ("role", "source", "author", "created_at", "replaced")
"""Metadata that the model reads: who said it, and when; the source where it is not who the role says, and that a later
message has replaced it, where one has. All else is for programs."""


class StreetAIRetriever(BaseRetriever):
    """Finds in a memory what bears on a question, best first. For query engines, chat engines and tools.

        RetrieverQueryEngine.from_args(StreetAIRetriever(registry, session_id="user-42", similarity_top_k=5))

    It looks at all that was said in the session. As the retriever of a vector store it gives `similarity_top_k` nodes
    if the memory has as many: where fewer pass the memory's own threshold, the next best follow. The question itself,
    which an agent has stored before it retrieves, is never among them.

    Reading changes nothing. Beside a memory of the same session in one turn it is part of that turn: the reply that is
    put into the memory is learned from for what both have found. Without a memory, `StreetAIInstrumentation` or
    `StreetAICallbackHandler` learns from the reply.

    The metadata of a node has `role`, `author` (as prompts show it: on one line), `created_at` (ISO 8601), `source`,
    `trust`, `writer`, `message_id` and `conversation_id` of the message, `start` and `end` of the piece in it,
    `signal_id`, the `parts` that the score is the sum of, whether a later message has `replaced` what it says, and
    `session_id`. The model reads role, author and date, the source of documents and tool results, and what is replaced.

    A failing memory gives no nodes: the failure is logged and given to `on_error`. LlamaIndex's engines ask no model
    where there are no nodes, also not while a memory is still empty; there, use the memory without a retriever.

    Args:
        engine: a `MemoryRegistry`, a memory of this package, or the path of a database file.
        session_id: whose memory is searched; `None`: that of the memory that was given.
        similarity_top_k: most nodes, from 1.
        wanted: which messages are searched at all: by role, author, day, metadata and so on; `None`: all.
        strategy: how they are searched, in place of the settings of the engine.
        asked_at: when and where questions are asked, by which "yesterday" goes: a time in the user's zone, or a
            function that gives it, called for each question where it is asked; `None`: the engine's clock.
        on_error: told of every failure of the memory; `None`: the one of the memory on the same session.
        callback_manager: LlamaIndex's; `None`: the default one.
        verbose: LlamaIndex's.

    Raises:
        InputError: there is no session, or an argument cannot be used.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        session_id: str | None = None,
        similarity_top_k: int = SIMILARITY_TOP_K,
        wanted: RecallFilter | None = None,
        strategy: StrategyName | Strategy | None = None,
        asked_at: AskedAt | None = None,
        on_error: OnError | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        if isinstance(similarity_top_k, bool) or not isinstance(similarity_top_k, int) or similarity_top_k < 1:
            raise InputError(f"similarity_top_k must be a whole number from 1, got {similarity_top_k!r}")
        check_filter(wanted)
        check_asked_at(asked_at)
        opening, own = engine_in(engine)
        # Nothing is opened for it: a strategy that the engine's own settings refuse fails when it is asked.
        with_strategy(Config(), strategy)
        session = own if session_id is None else session_id
        if session is None:
            raise InputError("a retriever needs to know whose memory it searches; give session_id=")
        self._opening = opening
        self._lease = opening.lease()
        self._conversation = conversation_of(opening, session_of(session, persistent=opening.is_persistent))
        self._similarity_top_k = similarity_top_k
        self._wanted = wanted
        self._strategy = strategy
        self._asked_at = asked_at
        self._on_error = on_error
        super().__init__(callback_manager=callback_manager, verbose=verbose)

    @property
    def session_id(self) -> str:
        """Whose memory is searched."""
        return self._conversation.session_id

    @property
    def conversation(self) -> Conversation:
        """The session of the engine, shared by all components that work on it."""
        return self._conversation

    @property
    def similarity_top_k(self) -> int:
        """Most nodes."""
        return self._similarity_top_k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The nodes for a question; their ids are those of the signals."""
        question = query_bundle.query_str
        return self._found(question, self._conversation.retrieving(question), moment_of(self._asked_at))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Async twin: the same, with the I/O on a worker thread."""
        question = query_bundle.query_str
        # The turn is found here, not on the thread: context variables that are set there do not come back.
        turn = self._conversation.retrieving(question)
        return await asyncio.to_thread(self._found, question, turn, moment_of(self._asked_at))

    def _found(self, question: str, turn: Turn | None, asked_at: datetime | None) -> list[NodeWithScore]:
        """Search, and note in the turn what was found. I/O."""
        if turn is None or is_blank(question):
            return []
        hits: Sequence[Hit] = ()
        with fail_open(_NOT_RETRIEVED, self._on_error or self._conversation.on_error):
            hits = _best(self._search(question, asked_at), turn, self._similarity_top_k)
        nodes = [_node(hit, self.session_id, turn) for hit in hits]
        with turn.lock:
            known = set(turn.retrieved_ids)
            turn.retrieved_texts += [hit.signal.content for hit in hits]
            turn.retrieved_texts += [one.node.get_content(MetadataMode.LLM) for one in nodes]
            turn.retrieved_ids += [hit.signal.signal_id for hit in hits if hit.signal.signal_id not in known]
        if hits:
            remember(self._conversation, turn)
        return nodes

    def _search(self, question: str, asked_at: datetime | None) -> Why:
        """Ask the memory; again, if another process has reset it meanwhile."""
        try:
            return self._asked(question, asked_at)
        except StaleMemoryError:
            return self._asked(question, asked_at)

    def _asked(self, question: str, asked_at: datetime | None) -> Why:
        return self._opening.registry.get(self.session_id).why(
            question,
            misses=self._similarity_top_k + _OWN_SIGNALS,
            wanted=self._wanted,
            strategy=self._strategy,
            asked_at=asked_at,
        )


def _best(found: Why, turn: Turn, most: int) -> list[Hit]:
    """The best hits, and if they are too few, the best of what did not pass; without what was said in the turn."""

    def is_others(hit: Hit) -> bool:
        message = hit.signal.parent_turn_id
        asked = None if turn.asked is None else turn.asked.message_id
        return message != asked and not message.startswith(f"{turn.turn_id}/")

    hits = [hit for hit in found.hits if is_others(hit)][:most]
    misses = [miss.hit for miss in found.near_misses if is_others(miss.hit)][: most - len(hits)]
    return sorted([*hits, *misses], key=lambda hit: -hit.score)


def _node(hit: Hit, session_id: str, turn: Turn) -> NodeWithScore:
    """A hit as a node; what is only bookkeeping is neither in prompts nor in embeddings."""
    signal = hit.signal
    metadata: dict[str, Any] = {
        "role": signal.role,
        "source": signal.source,
        # On one line: the model reads it, and a name with line breaks would pass for other metadata.
        "author": shown(signal.name or "") or None,
        "created_at": signal.created_at.isoformat(),
        "replaced": hit.replaced,
        "signal_id": signal.signal_id,
        "message_id": signal.parent_turn_id,
        "parts": dict(hit.parts),
        "conversation_id": signal.conversation_id,
        "trust": signal.trust,
        "writer": signal.writer,
        "start": signal.start,
        "end": signal.end,
        "session_id": session_id,
        TURN_KEY: turn.turn_id,
    }
    metadata = {key: value for key, value in metadata.items() if value is not None}
    untold = set(metadata) - {*_SHOWN_KEYS}
    if speaker(signal) == signal.role:
        untold.add("source")
    if not hit.replaced:
        untold.add("replaced")
    node = TextNode(
        id_=signal.signal_id,
        text=signal.content,
        metadata=metadata,
        start_char_idx=signal.start,
        end_char_idx=signal.end,
        excluded_llm_metadata_keys=sorted(untold),
        excluded_embed_metadata_keys=list(metadata),
    )
    return NodeWithScore(node=node, score=float(hit.score))
