"""The sections of the report: each a piece of HTML made of one memory's values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streetai_core.config import Config
from streetai_core.recall.mapping import MapPoint, StackMap
from streetai_core.recall.timeline import HistoryEntry
from streetai_core.rendering import escaped, minute, number
from streetai_core.report.curves import weight_curve
from streetai_core.report.palette import MUTED, SERIES
from streetai_core.report.pictures import Dot, Frame, Line, dot_map, line_chart
from streetai_core.report.savings import WINDOW, TurnCost
from streetai_core.types import Message, Signal

_EXCERPT = 140
"""Characters of a text in a table or a tooltip."""
_CURVES = 6
"""Signals whose weights are drawn in colour: as many as there are colours that differ well."""
_PALE = 60
"""Signals drawn in grey behind them."""
_LOGGED = 200
"""Entries of the recall log on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that a page tells."""

    stats: Mapping[str, object]
    messages: Sequence[Message]
    plane: StackMap
    history: Sequence[HistoryEntry]
    config: Config
    encoder: str
    """Fingerprint of the encoder that the reader of the file uses."""
    bytes: int | None
    """Size of the file; `None` if it is not one file."""

    @property
    def turn(self) -> int:
        """The memory's next turn."""
        turn = self.stats["turn_counter"]
        return turn if isinstance(turn, int) else 0


def summary(contents: Contents) -> str:
    """What is in the memory, in a sentence."""
    messages = contents.messages
    if not messages:
        return "<p>There are no messages.</p>"
    days = sorted(one.created_at.date() for one in messages)
    when = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
    threads = len({one.conversation_id for one in messages})
    told = f"{_count(len(messages), 'message')} in {_count(threads, 'conversation')}, {when}. "
    signals, stacks = len(contents.plane.points), len({point.signal.stack_id for point in contents.plane.points})
    return (
        f"<p>{escaped(told)}{_count(signals, 'signal')} can be recalled, in {_count(stacks, 'stack')}.</p>"
        f"<p>Weights, fading and revivals are reckoned with {escaped(contents.config.brief)}; a database keeps no "
        "settings, so give the page those of the app.</p>"
    )


def stacks_section(contents: Contents) -> str:
    """The map, and what its colours stand for."""
    points = contents.plane.points
    if not points:
        return "<p>Nothing has been said yet.</p>"
    largest = [name for name, _ in Counter(point.signal.stack_id for point in points).most_common(len(SERIES))]
    colours = dict(zip(largest, SERIES, strict=False))
    dots = [
        Dot(
            name=f"{point.signal.name or point.signal.role}, turn {point.signal.turn}: {_cut(point.signal.content)}",
            x=point.x,
            y=point.y,
            radius=2.5 + 3.5 * min(1.0, point.effective_weight),
            colour=colours.get(point.signal.stack_id, MUTED),
        )
        for point in points
    ]
    x, y = contents.plane.explained
    frame = Frame(
        title="The stacks of this memory on a plane",
        alt=f"{len(points)} signals as dots, coloured by stack; like ones lie near each other.",
        x_label=f"first principal component ({x:.0%} of the variance)",
        y_label=f"second ({y:.0%})",
        from_zero=False,
    )
    rows = [
        (_swatch(colours[name]), str(len(inside)), escaped(_cut(_central(inside).signal.content)))
        for name in largest
        for inside in [[point for point in points if point.signal.stack_id == name]]
    ]
    text = (
        "Each dot is a signal, the larger the heavier, in colour those of the largest stacks. Point at one to read it."
    )
    return f"<p>{text}</p>{dot_map(frame, dots)}" + table(("stack", "signals", "in its middle"), rows)


def weights_section(contents: Contents) -> str:
    """The weights that learning changed most, over turns."""
    by_signal: dict[str, list[HistoryEntry]] = {}
    for entry in contents.history:
        by_signal.setdefault(entry.signal_id, []).append(entry)
    signals = {point.signal.signal_id: point.signal for point in contents.plane.points}
    if not signals:
        return "<p>There are no signals.</p>"
    told = sorted(
        signals.keys() & by_signal,
        key=lambda name: (-abs(signals[name].base_weight - 1.0), -len(by_signal[name]), name),
    )
    shown, pale = told[:_CURVES], [name for name in signals if name not in told[:_CURVES]][:_PALE]
    rate = contents.config.decay_rate
    curves = [weight_curve(signals[name], by_signal.get(name, ()), contents.turn, rate) for name in (*pale, *shown)]
    colours = [*[MUTED] * len(pale), *SERIES]
    lines = [
        Line(name=_cut(curve.signal.content), x=curve.turns, y=curve.weights, colour=colour)
        for curve, colour in zip(curves, colours, strict=False)
    ]
    frame = Frame(
        title="Weights over turns",
        alt=f"Effective weights of {len(lines)} signals: they fade by turns and rise where a reply used a signal.",
        x_label="turn (stored messages)",
        y_label="effective weight",
    )
    rows = [
        (_swatch(SERIES[place]), number(signals[name].base_weight), _steps(by_signal[name]), _text(signals[name]))
        for place, name in enumerate(shown)
    ]
    half = contents.config.half_life_turns
    text = f"A weight halves in {half:.0f} turns without use. In colour: the signals that learning changed most."
    return f"<p>{text}</p>{line_chart(frame, lines)}" + (
        table(("signal", "base weight", "steps", "text"), rows) if rows else "<p>Nothing has been learned yet.</p>"
    )


def savings_section(turns: Sequence[TurnCost], played: str) -> str:
    """The cost of each prompt against the full history.

    Args:
        turns: what was played.
        played: which messages these are; without turns: why there are none.
    """
    if not turns:
        return f"<p>{escaped(played)}</p>"
    x = [turn.number for turn in turns]
    sent, history = sum(turn.sent for turn in turns), sum(turn.history for turn in turns)
    alone = sum(turn.conversation for turn in turns)
    compared = [("full history", [turn.history for turn in turns], SERIES[1], False)]
    if alone < history:
        compared.append(("its own conversation only", [turn.conversation for turn in turns], SERIES[4], False))
    compared.append((f"the last {WINDOW} messages", [turn.window for turn in turns], MUTED, True))
    compared.append(("StreetAI Memory", [turn.sent for turn in turns], SERIES[0], False))
    lines = [
        Line(name=name, x=x, y=y, colour=colour, label=name, dashed=dashed) for name, y, colour, dashed in compared
    ]
    frame = Frame(
        title="Tokens of each prompt",
        alt=f"The full history grows to {turns[-1].history:,} tokens; the last prompt has {turns[-1].sent:,}.",
        x_label="message of the user",
        y_label="tokens (characters / 4)",
    )
    text = f"{sent:,} tokens in place of {history:,} with all that was said before each message{_saved(sent, history)}"
    if alone < history:
        text += f", or of {alone:,} with its own conversation only{_saved(sent, alone)}"
    text += (
        f". These are estimates and no record: what was sent is not stored, so {played} were played again for this "
        "page, with its settings, without learning, as if nothing had been deleted or hidden."
    )
    legend = "".join(f"<li>{_swatch(line.colour)} {escaped(line.label)}</li>" for line in lines)
    return f"<p>{escaped(text)}</p>{line_chart(frame, lines)}<ul class=legend>{legend}</ul>"


def _saved(sent: int, other: int) -> str:
    """How much less or more it is than the other."""
    if not other or sent == other:
        return ""
    return f" ({abs(1 - sent / other):.0%} {'less' if sent < other else 'more'})"


def log_section(contents: Contents) -> str:
    """What was recalled, sent and learned from, newest first."""
    kept = "What was recalled is kept when a reply is learned from; a question alone leaves no entry."
    signals = {point.signal.signal_id: point.signal for point in contents.plane.points}
    rows = [
        (
            str(entry.turn),
            escaped(minute(entry.created_at)),
            escaped(" and ".join(entry.events)),
            f"{number(entry.old_weight)} to {number(entry.new_weight)}",
            escaped(entry.cause),
            _text(signals[entry.signal_id]),
        )
        for entry in reversed(contents.history[-_LOGGED:])
        if entry.signal_id in signals
    ]
    if not rows:
        return f"<p>Nothing has been recalled and learned from yet. {kept}</p>"
    note = f"<p>The newest {len(rows)} of {len(contents.history)} entries. {kept}</p>"
    return note + table(("turn", "time", "event", "weight", "cause", "signal"), rows)


def health_section(contents: Contents) -> str:
    """Counts, and what deserves a look."""
    stats = contents.stats
    events = Counter(event for entry in contents.history for event in entry.events)
    with_signals = {point.signal.parent_turn_id for point in contents.plane.points}
    recallable = [one for one in contents.messages if one.role in contents.config.signal_roles]
    silent = sum(one.message_id not in with_signals for one in recallable)
    mended = sum(one.sanitised for one in contents.messages)
    made_by = stats["encoder"]
    fits = made_by in (None, contents.encoder)
    rows = [
        ("messages, signals, stacks", f"{stats['messages']}, {stats['total_signals']}, {stats['stacks']}", True),
        ("signals that faded below notice", f"{stats['dead_signals']}; a strong cue brings them back", True),
        ("every row read", "all checksums fit", True),
        (
            "vectors made by",
            f"{made_by or 'nothing yet'}" + ("" if fits else f"; this reader has {contents.encoder}"),
            fits,
        ),
        ("messages that cannot be recalled", f"{silent} of {len(recallable)}", silent == 0),
        ("messages whose text was mended when stored", str(mended), mended == 0),
        ("learned", ", ".join(f"{events[name]} {name}s" for name in ("boost", "demote", "revival", "edit")), True),
        ("size of the file", "not one file" if contents.bytes is None else f"{contents.bytes:,} bytes", True),
    ]
    cells = [(escaped(name), escaped(value), "fine" if fine else "look at it") for name, value, fine in rows]
    return table(("what", "found", ""), cells)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    head = "".join(f"<th scope=col>{escaped(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _central(points: Sequence[MapPoint]) -> MapPoint:
    """The point nearest to the middle of these."""
    x = sum(point.x for point in points) / len(points)
    y = sum(point.y for point in points) / len(points)
    return min(points, key=lambda point: (point.x - x) ** 2 + (point.y - y) ** 2)


def _steps(history: Sequence[HistoryEntry]) -> str:
    counted = Counter(event for entry in history for event in entry.events)
    return escaped(", ".join(f"{count} {name}" for name, count in counted.most_common()))


def _text(signal: Signal) -> str:
    return escaped(_cut(signal.content))


def _cut(text: str) -> str:
    """The start of a text, on one line."""
    text = " ".join(text.split())
    return text if len(text) <= _EXCERPT else f"{text[: _EXCERPT - 3]}..."


def _swatch(colour: str) -> str:
    """A spot of the colour."""
    return (
        f'<svg class=swatch viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="{colour}"/></svg>'
    )
