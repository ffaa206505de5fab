"""A conversation with a model and a memory, line by line: what is said, what is shown, what is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

import click

from streetai_core.cli.chat_model import ModelError
from streetai_core.cli.explaining import print_why
from streetai_core.cli.plain_values import plain, print_json
from streetai_core.cli.screen import lines_of
from streetai_core.cli.wording import counted_rows, harmless

if TYPE_CHECKING:
    from streetai_core.memory import Memory
    from streetai_core.types import Prompt, WeightUpdate

HELP = """/why       what was recalled for the last message, and why
/forget    erase the last message and its reply for good
/help      this list
/quit      leave; so does the end of the input"""


class Model(Protocol):
    """Answers a prompt."""

    def stream(self, messages: Sequence[dict[str, Any]]) -> Iterator[str]:
        """The reply, piece by piece."""


@dataclass(slots=True, kw_only=True)
class ChatSession:
    """One conversation."""

    memory: Memory
    model: Model
    conversation_id: str | None
    system: str | None
    token_budget: int | None
    as_json: bool
    _asked: str | None = None
    _kept: list[str] = field(default_factory=list)
    """Ids of the last message and of its reply."""

    def take(self, line: str) -> bool:
        """Do what a line says: a command, or a message to the model. False: the user leaves."""
        text = line.strip()
        if text in {"/quit", "/exit"}:
            return False
        commands: dict[str, Callable[[], None]] = {"/why": self._why, "/forget": self._forget, "/help": self._help}
        if text in commands:
            commands[text]()
        elif text.startswith("/"):
            self._tell({"error": f"there is no command {text.split()[0]}"}, f"No such command.\n{HELP}")
        elif text:
            self._say(text)
        return True

    def _say(self, text: str) -> None:
        """Ask the model, show its reply as it comes, keep both, and learn from it."""
        prompt = self.memory.build_prompt(
            text, system=self.system, token_budget=self.token_budget, conversation_id=self.conversation_id
        )
        self._asked = text
        pieces: list[str] = []
        try:
            for piece in self.model.stream(prompt.messages):
                pieces.append(piece)
                if not self.as_json:
                    click.echo(harmless(piece, also="\n\t"), nl=False)
        except (KeyboardInterrupt, ModelError) as error:
            # What was said was said; half a reply teaches nothing.
            self._keep(text, "".join(pieces))
            if isinstance(error, ModelError):
                raise
            self._tell({"question": text, "reply": "".join(pieces), "stopped": True}, " (stopped)")
            return
        reply = "".join(pieces)
        if not self.as_json:
            click.echo()
        told = {
            "question": text,
            "reply": reply,
            "recalled": [hit.signal.signal_id for hit in prompt.retrieved],
            "tokens_sent": prompt.inspector["tokens_sent"],
            "tokens_full_history": prompt.inspector["tokens_full_history"],
        }
        try:
            told["learned"] = plain(self._keep(text, reply, prompt))
        finally:
            # Also if it could not be kept: the reply was paid for.
            if self.as_json:
                print_json(told)

    def _keep(self, text: str, reply: str, prompt: Prompt | None = None) -> list[WeightUpdate]:
        """Store a message and its reply; learn from it where there is a prompt."""
        from streetai_core.types import NewMessage

        turn = uuid4().hex
        said = [NewMessage(content=text, role="user", conversation_id=self.conversation_id)]
        if reply.strip():
            said.append(NewMessage(content=reply, role="assistant", conversation_id=self.conversation_id))
        self._kept = [f"{turn}/{number}" for number in range(len(said))]
        if prompt is None:
            return self.memory.record_turn(turn, said)
        return self.memory.record_turn(turn, said, retrieved=prompt.retrieved, reply=reply)

    def _why(self) -> None:
        if self._asked is None:
            self._tell({"error": "nothing was asked yet"}, "Nothing was asked yet.")
            return
        answer = self.memory.why(self._asked)
        if self.as_json:
            print_json(answer)
        else:
            print_why(answer)

    def _forget(self) -> None:
        receipts = [self.memory.forget(message=one) for one in self._kept]
        count = sum(receipt.rows.get("messages", 0) for receipt in receipts)
        left = [line for receipt in receipts for line in receipt.pending]
        self._kept, self._asked = [], None
        self._tell(
            {"forgotten": count, "pending": left}, "\n".join([f"Forgotten: {counted_rows(count, 'messages')}.", *left])
        )

    def _help(self) -> None:
        self._tell({"help": HELP}, HELP)

    def _tell(self, values: dict[str, Any], text: str) -> None:
        """Print what is no part of the conversation."""
        if self.as_json:
            print_json(values)
        else:
            click.echo(lines_of(text))
