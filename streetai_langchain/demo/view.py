"""The run on a terminal: a few calm lines per turn, and a table at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from streetai_core import Hit, NewMessage
from streetai_core.cli.wording import one_line
from streetai_core.config import HALF_LIFE_TURNS as DEFAULT_HALF_LIFE_TURNS
from streetai_core.rendering import command
from streetai_langchain.demo import wording
from streetai_langchain.demo.figures import Figures, PlayedTurn, Totals
from streetai_langchain.demo.settings import CONFIG, HALF_LIFE_TURNS
from streetai_langchain.demo.watching import Holdings, Opening, Recollection

_PIECES = 4
"""Most recalled pieces listed, and most changes, so that several turns fit a screen."""


class TerminalView:
    """Prints while the run goes. What was said is shown as plain text, whatever is in it."""

    def __init__(self) -> None:
        # Under NO_COLOR rich leaves out colours and keeps bold; without a colour system there is no escape code at all.
        plain = bool(os.environ.get("NO_COLOR"))
        self._console = Console(color_system=None if plain else "auto", markup=False, highlight=False, emoji=False)
        self._session: str | None = None
        self._explained = False

    def opened(self, opening: Opening) -> None:
        """Say what is played, with what, and where it is stored."""
        settings, messages = opening.settings, opening.messages
        sessions = len({message.conversation_id for message in messages})
        self._print(
            Text.assemble(
                (one_line(settings.memory_id), "bold"),
                f"  {wording.count(len(messages), 'message')} in {wording.count(sessions, 'session')}",
            )
        )
        self._note(
            "A LangChain ConversationChain with this memory; only the model is replaced, by the recorded replies."
        )
        self._note(
            f"Weights halve in {HALF_LIFE_TURNS} turns instead of {DEFAULT_HALF_LIFE_TURNS}, "
            "so that fading and revival show."
        )
        own = (
            ""
            if settings.source is None or settings.database_chosen
            else "  (named after the conversation, only for it)"
        )
        self._note(f"Memory file: {one_line(str(settings.database))}{own}")
        if opening.forgotten:
            self._note(f"Forgot the {wording.count(opening.forgotten, 'message')} of an earlier run.")
        if opening.stored == len(messages):
            self._already(opening, "nothing is played twice.")
            self._note(
                "Its last questions, asked again in a new session. Nothing is stored; their own text is not listed."
            )
        elif opening.stored:
            self._already(opening, "going on with the next.")

    def turn(self, turn: PlayedTurn) -> None:
        """Print question, tokens, what was recalled, the reply, and what was learned from it."""
        self._heading(turn.question)
        self._print(wording.asked(str(turn.number), turn.question))
        self._print(wording.tokens(turn.prompt))
        self._pieces(turn.prompt.retrieved)
        self._print(wording.line("reply", wording.excerpt(turn.reply.content)))
        for line in wording.learned(turn.updates, _PIECES):
            self._print(line)

    def aside(self, message: NewMessage) -> None:
        """Print a message that was only stored."""
        self._heading(message)
        self._print(
            Text.assemble(
                ("   ·  ", "dim"),
                (f"{wording.speaker(message.name, message.role)} (stored only): ", "dim"),
                wording.excerpt(message.content),
            )
        )

    def recollected(self, recollection: Recollection) -> None:
        """Print what is recalled for a question now."""
        self._print()
        self._print(wording.asked("?", recollection.question))
        self._print(wording.tokens(recollection.prompt))
        self._pieces(recollection.others)

    def played(self, totals: Totals, holdings: Holdings) -> None:
        """Print the table of tokens, and what was learned."""
        self._print()
        if totals.whole.turns:
            self._console.print(_table(totals))
            self._print()
            self._print(_saving(totals))
            self._note(f"The model received {totals.tokens_received:,} tokens, the template of the chain included.")
        if totals.asides:
            self._note(f"{wording.count(totals.asides, 'message')} stored without a turn.")
        self._print(
            Text(
                f"Learned: {wording.count(totals.boosts, 'boost')}, {wording.count(totals.demotes, 'demote')}, "
                f"{wording.count(totals.revivals, 'revival')}."
            )
        )
        self._closing(holdings)

    def remembered(self, holdings: Holdings) -> None:
        """Print what the file holds."""
        self._print()
        self._closing(holdings)

    def _heading(self, message: NewMessage) -> None:
        """A rule where another session begins, else a line of air."""
        session = message.conversation_id or ""
        self._print()
        if session != self._session:
            self._session = session
            day = "" if message.created_at is None else f"  {message.created_at.date().isoformat()}"
            self._console.print(
                Rule(Text(f"{one_line(session) or 'conversation'}{day}"), align="left", style="bright_black")
            )
            self._print()

    def _pieces(self, hits: Sequence[Hit]) -> None:
        if hits and not self._explained:
            self._explained = True
            self._print(wording.line("", (wording.sum_of(hits[0]), "dim italic")))
        for line in wording.recalled(hits, _PIECES):
            self._print(line)

    def _already(self, opening: Opening, then: str) -> None:
        there = wording.count(opening.stored, "message")
        self._note(f"{there} already in {one_line(str(opening.settings.database))}, {then}")

    def _closing(self, holdings: Holdings) -> None:
        """What is on disk, and how to look at it."""
        stats, path = holdings.stats, str(holdings.database)
        messages, signals = wording.count(stats["messages"], "message"), wording.count(stats["total_signals"], "signal")
        stacks = wording.count(stats["stacks"], "stack")
        weights = f"{holdings.strengthened:,} weigh more than at first, {holdings.weakened:,} less"
        self._console.print(Text(f"Stored: {messages} as {signals} in {stacks}; {weights}."), soft_wrap=True)
        self._console.print(Text.assemble("Memory file: ", (one_line(path), "bold")), soft_wrap=True)
        config = json.dumps({"decay_rate": CONFIG.decay_rate})
        page = command("streetai", "report", path, "--memory", stats["memory_id"], "--config", config)
        self._note(f"A page of it, with its settings:  {one_line(page)}")
        inside = one_line(command("datasette", path)), one_line(command("sqlite3", path, ".tables"))
        self._note(f"Look inside with:  {'   or   '.join(inside)}")
        self._note("Run the same command again: it remembers from the file. --fresh starts over.")

    def _note(self, text: str) -> None:
        # Never cut or broken by us: there are paths and commands in it, to copy.
        self._console.print(Text(text, style="dim"), soft_wrap=True)

    def _print(self, text: Text | None = None) -> None:
        """One line; what is wider than the terminal is cut."""
        self._console.print(Text() if text is None else text, no_wrap=True, overflow="ellipsis")


def _table(totals: Totals) -> Table:
    """Tokens by session, in all, and of the first turns."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for column in ("session", "user turns", "tokens sent", "full history", "saved", "per turn"):
        table.add_column(column, justify="left" if column == "session" else "right")
    for name, figures in totals.sessions.items():
        table.add_row(Text(one_line(name) or "-"), *_cells(figures))
    table.add_section()
    table.add_row(Text("total", style="bold"), *_cells(totals.whole))
    if totals.first is not None:
        table.add_row(Text(f"first {totals.first.turns} turns"), *_cells(totals.first))
        mean = wording.percent(totals.first.mean_saved)
        table.add_row(Text("  mean of turns"), "", "", "", mean, "")
    return table


def _cells(figures: Figures) -> list[str]:
    return [
        f"{figures.turns:,}",
        f"{figures.sent:,}",
        f"{figures.full:,}",
        wording.percent(figures.saved),
        f"{figures.sent / figures.turns:,.0f}",
    ]


def _saving(totals: Totals) -> Text:
    """The saving in one sentence."""
    whole = totals.whole
    return Text.assemble(
        ("Saved ", "bold"),
        (wording.percent(whole.saved), "bold green"),
        f": {whole.sent:,} tokens sent instead of {whole.full:,}.",
    )
