"""One prompt from start to end: window, recall, the history itself where it is cheaper, inspector."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from streetai_core.config import Config
from streetai_core.prompt.assembly import Assembly, Draft, Frame, window_start
from streetai_core.prompt.selection import Found, fill
from streetai_core.prompt.turns import as_turns
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.provenance import JournalRow, Origins
from streetai_core.stores.shown import last_shown
from streetai_core.stores.types import CreditRow, Head, MessageQuery, Rows
from streetai_core.tokens import TokenCounter, count_messages, count_stored, count_text
from streetai_core.types import Hit, Inspector, Message, Prompt, RetrievedSignal

FRAME_TOKENS = 64
"""What the recalled block may add to the cost of the full history where that is so short that the fence and the labels
of a few quotes outweigh it, and where it cannot be sent as it is: because it was said in other conversations, or is not
valid as turns, such as a greeting of the assistant's."""

_TOOL_ALLOWANCE = 16
"""Messages read at once for the window beyond twice its size: tool traffic between them, as much as there mostly is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRequest:
    """What the caller asked for, cleaned and checked."""

    question: str
    system: str | None
    token_budget: int | None
    conversation_id: str | None
    shown: frozenset[str] | None = None
    """Texts of the messages that the caller sends along itself, in place of the window; `None`: it sends none."""
    recall_fits: Callable[[str], bool] | None = None
    """Says whether a recalled block can be sent, beside the limits of the settings; `None`: there is no other limit."""

    @property
    def sent_along(self) -> frozenset[str]:
        """Texts of what the caller sends along, the question among them; none where the window is sent."""
        return frozenset() if self.shown is None else self.shown | {self.question}


Hides = Callable[[Message], bool]
"""Whether a message is in quarantine."""

Recall = Callable[[set[int]], Found]
"""Recall for the question, without the messages of these sequences, which are shown anyway, and without any whose text
the caller sends along."""


def build(
    request: PromptRequest,
    transaction: ReadTransaction,
    recall: Recall,
    config: Config,
    counter: TokenCounter,
    *,
    hides: Hides | None = None,
    hidden: Collection[int] = (),
) -> Prompt:
    """The prompt for a request, from one consistent view of the memory.

    Args:
        request: what the caller asked for.
        transaction: the view.
        recall: recalls for the question.
        config: the settings.
        counter: counts tokens.
        hides: whether a message is in quarantine; `None`: none is.
        hidden: sequences, among which are those of all that are.
    """
    if hides is not None:
        transaction = _Shown(transaction, hides, hidden, counter)
    if request.shown is not None:
        return _build_beside(request, transaction, recall, config, counter)
    head = transaction.head or Head(memory_id="", token="")
    recent, repeated = _recent(request, transaction, config, counter)
    frame = Frame(
        question=request.question,
        system=request.system,
        secret=head.token,
        # A question that the app has stored already is not counted twice.
        history_tokens=max(0, head.history_tokens - sum(count_stored(one, counter) for one in repeated)),
        token_budget=request.token_budget,
        recall_fits=request.recall_fits,
    )
    assembly = Assembly(frame, config, counter)
    turns = assembly.window(recent)
    found = recall({message.sequence for message in (*turns.shown, *repeated)})
    draft = fill(assembly, turns, found, assembly.budget)
    history = None
    if config.history_ceiling and assembly.cost(draft) >= assembly.full_history_tokens:
        said = [one for one in _conversation(request, transaction, None) if one not in repeated]
        alone = len(said) == head.message_count - len(repeated)
        history = _whole_history(said, assembly) if alone else None
        ceiling = min(assembly.budget, assembly.full_history_tokens + FRAME_TOKENS)
        draft = history or fill(assembly, turns, found, ceiling)
    return Prompt(
        messages=draft.messages,
        retrieved=draft.hits,
        inspector=_inspect(draft, found, assembly, counter, request, whole_history=history is not None),
        recalled_text=draft.block,
        window=draft.turns.shown,
    )


def _build_beside(
    request: PromptRequest, transaction: ReadTransaction, recall: Recall, config: Config, counter: TokenCounter
) -> Prompt:
    """The question and what is recalled for it, where the caller sends other messages along itself."""
    head = transaction.head or Head(memory_id="", token="")
    recent = _conversation(request, transaction, len(request.sent_along) + _TOOL_ALLOWANCE)
    sent = {message.sequence: message for message in recent if message.content in request.sent_along}
    found = recall(set(sent))
    frame = Frame(
        question=request.question,
        system=request.system,
        secret=head.token,
        history_tokens=max(0, head.history_tokens - sum(count_stored(one, counter) for one in sent.values())),
        token_budget=request.token_budget,
        recall_fits=request.recall_fits,
    )
    assembly = Assembly(frame, config, counter)
    ceiling = assembly.full_history_tokens + FRAME_TOKENS if config.history_ceiling else assembly.budget
    draft = fill(assembly, as_turns([]), found, min(assembly.budget, ceiling))
    return Prompt(
        messages=draft.messages,
        retrieved=draft.hits,
        inspector=_inspect(draft, found, assembly, counter, request, whole_history=False),
        recalled_text=draft.block,
    )


class _Shown(ReadTransaction):
    """A view of a memory without the messages that are in quarantine, as if they had been deleted."""

    def __init__(
        self, transaction: ReadTransaction, hides: Hides, hidden: Collection[int], counter: TokenCounter
    ) -> None:
        self._transaction = transaction
        self._hides = hides
        self._hidden = hidden
        self._counter = counter

    @property
    def head(self) -> Head | None:
        head = self._transaction.head
        there = MessageQuery(sequences=list(self._hidden))
        gone = [message for message in self._transaction.messages(there) if self._hides(message)]
        return head and replace(
            head,
            message_count=head.message_count - len(gone),
            history_tokens=max(0, head.history_tokens - sum(count_stored(message, self._counter) for message in gone)),
        )

    def messages(self, query: MessageQuery) -> list[Message]:
        if query.last is None:
            read = self._transaction.messages(replace(query, first=None))
            return [one for one in read if not self._hides(one)][: query.first]
        return last_shown(self._transaction, query, query.last, self._hides)

    def rows(self, since: int | None) -> Rows | None:
        return self._transaction.rows(since)

    def credits(self, key: int | None = None) -> list[CreditRow]:
        return self._transaction.credits(key)

    def journal(self) -> list[JournalRow]:
        return self._transaction.journal()

    def origins(self) -> list[Origins]:
        return self._transaction.origins()


def _recent(
    request: PromptRequest, transaction: ReadTransaction, config: Config, counter: TokenCounter
) -> tuple[list[Message], list[Message]]:
    """The last messages of the conversation; and apart from them the new one, if the app has already stored it."""
    last = 2 * config.recency_turns + _TOOL_ALLOWANCE
    while True:
        messages = _conversation(request, transaction, last)
        is_all = len(messages) < last
        is_stored = bool(messages) and messages[-1].role == "user" and messages[-1].content == request.question
        repeated = [messages.pop()] if is_stored else []
        if is_all or _has_window(messages, config, counter):
            return messages, repeated
        # A reply may have used any number of tools.
        last *= 2


def _has_window(messages: Sequence[Message], config: Config, counter: TokenCounter) -> bool:
    """Whether the window is among these messages, whatever was said before them."""
    if window_start(messages, config.recency_turns) is not None:
        return True
    most = config.window_tokens
    return most is not None and count_messages(as_turns(messages).messages, counter) > most


def _conversation(request: PromptRequest, transaction: ReadTransaction, last: int | None) -> list[Message]:
    return transaction.messages(
        MessageQuery(conversation_id=request.conversation_id, any_conversation=False, last=last)
    )


def _whole_history(said: Sequence[Message], assembly: Assembly) -> Draft | None:
    """All that was ever said as turns, if it is valid as turns, and fits."""
    turns = as_turns(said)
    draft = assembly.draft(turns)
    return draft if len(turns.shown) == len(said) and assembly.cost(draft) <= assembly.budget else None


def _inspect(
    draft: Draft,
    found: Found,
    assembly: Assembly,
    counter: TokenCounter,
    request: PromptRequest,
    *,
    whole_history: bool,
) -> Inspector:
    hits = draft.hits
    return Inspector(
        stacks_activated=list(found.stacks),
        retrieved_signals=[_listed(hit) for hit in hits],
        recency_window_size=len(draft.turns.shown),
        long_term_count=len(hits),
        tokens_sent=assembly.cost(draft),
        tokens_full_history=assembly.full_history_tokens,
        tokens_window=count_messages(draft.turns.messages, counter),
        tokens_recalled=count_text(draft.block, counter),
        token_budget=request.token_budget,
        whole_history_sent=whole_history,
    )


def _listed(hit: Hit) -> RetrievedSignal:
    signal = hit.signal
    return RetrievedSignal(
        signal_id=signal.signal_id,
        message_id=signal.parent_turn_id,
        role=signal.role,
        turn=signal.turn,
        content=signal.content,
        effective_weight=hit.effective_weight,
        base_weight=signal.base_weight,
        score=hit.score,
        parts=dict(hit.parts),
        revived=hit.revived,
    )
