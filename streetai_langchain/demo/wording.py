"""Lines of the terminal view. Every piece of a conversation goes through `excerpt`, so it is plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.text import Text

from streetai_core import Hit, Message, NewMessage, Prompt, WeightUpdate
from streetai_core.cli.wording import one_line

_EXCERPT = 240
"""Characters of a text that its line is made of; wider terminals are rare, and the width cuts the rest."""

_BAR = 16
"""Cells of the bar that is the full history."""

_NUMBER = 4
_LABEL = 9
"""Width of the columns in front of a line."""

_SHOWN = {"meaning": ("meaning",), "words": ("words", "neighbours", "vague")}
"""Parts of a score that have a number, by what it is called; that of the others is their sum, so that the text has
room."""

_LEADING_ZERO = re.compile(r"(?<!\d)0\.")

_SPEAKER = 10
"""Width of the column of names; a longer one is cut."""


def excerpt(text: str) -> str:
    """The beginning of a text as one line without control characters."""
    return one_line(text[:_EXCERPT])


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    """A share in percent, with one decimal place."""
    return f"{share:.1%}".replace("%", " %")


def speaker(name: str | None, role: str) -> str:
    """The name of an author, or the role if there is none."""
    return excerpt(name or "") or role


def line(label: str, *parts: str | tuple[str, str] | Text) -> Text:
    """A line below a turn: a quiet label, and what it says."""
    return Text.assemble(" " * (_NUMBER + 2), (label.ljust(_LABEL), "dim"), *parts)


def asked(number: str, question: NewMessage | Message) -> Text:
    """The first line of a turn."""
    return Text.assemble(
        (number.rjust(_NUMBER), "bold cyan"),
        "  ",
        (f"{speaker(question.name, question.role)}: ", "bold"),
        excerpt(question.content),
    )


def tokens(prompt: Prompt) -> Text:
    """How much of the full history was sent, as a bar and in numbers, and what it was."""
    inspector = prompt.inspector
    sent, full = inspector["tokens_sent"], inspector["tokens_full_history"]
    cells = min(_BAR, max(1, round(_BAR * sent / full)))
    window = f"last {count(inspector['recency_window_size'], 'message')}, " if inspector["recency_window_size"] else ""
    content = "the whole history" if inspector["whole_history_sent"] else f"{window}{len(prompt.retrieved)} recalled"
    return line(
        "sent",
        ("━" * cells, "green"),
        ("·" * (_BAR - cells), "bright_black"),
        (f"  {sent:,}", "bold"),
        f" of {full:,} tokens, {1 - sent / full:.0%} saved  ".replace("%", " %"),
        (content, "dim"),
    )


def recalled(hits: Sequence[Hit], most: int) -> list[Text]:
    """The best recalled pieces, one a line: score and its parts, day, speaker, text."""
    lines = [line("recalled" if not number else "", *_piece(hit)) for number, hit in enumerate(hits[:most])]
    return [*lines, *_more(len(hits) - most, "piece")]


def learned(updates: Sequence[WeightUpdate], most: int) -> list[Text]:
    """What the reply has changed, boosts before demotes; nothing if nothing was."""
    changed = sorted((one for one in updates if one["action"] != "none"), key=lambda one: -one["contribution"])
    lines = [line("learned" if not number else "", *_change(update)) for number, update in enumerate(changed[:most])]
    return [*lines, *_more(len(changed) - most, "change")]


def sum_of(hit: Hit) -> str:
    """What the numbers in front of a piece are, in words."""
    shown = [name for name in _SHOWN if name in hit.parts]
    numbered = {part for name in shown for part in _SHOWN[name]}
    return f"score = {' + '.join([*shown, 'context'])}: {', '.join(name for name in hit.parts if name not in numbered)}"


def _piece(hit: Hit) -> list[str | tuple[str, str]]:
    signal = hit.signal
    shown = [sum(hit.parts[part] for part in parts) for name, parts in _SHOWN.items() if name in hit.parts]
    parts = "".join(_signed(part) for part in (*shown, hit.score - sum(shown))).removeprefix("+")
    name = speaker(signal.name, signal.role)[:_SPEAKER]
    return [
        (f"{hit.score:.2f}", "bold"),
        (f" = {parts}  {signal.created_at.date().isoformat()}  {name.ljust(_SPEAKER)} ", "dim"),
        *([("revived  ", "magenta")] if hit.revived else []),
        excerpt(signal.content),
    ]


def _signed(number: float) -> str:
    """A number with its sign and two decimal places, as short as it gets: "+.41"."""
    return _LEADING_ZERO.sub(".", f"{number:+.2f}")


def _change(update: WeightUpdate) -> list[str | tuple[str, str]]:
    boosted = update["action"] == "boost"
    weights = f"{update['old_weight']:.2f} → {update['new_weight']:.2f}"
    return [
        ("boosted  " if boosted else "demoted  ", "green" if boosted else "yellow"),
        (f"{weights}  ", "bold"),
        excerpt(update["content"]),
    ]


def _more(number: int, noun: str) -> list[Text]:
    return [line("", (f"and {count(number, f'more {noun}')}", "dim"))] if number > 0 else []
