"""Code, logs and configurations that stand in a message without a fence: many people paste them so.

Lines that are plainly written for a machine, or by one, are told by their form. A stretch with enough of them is
pasted, with what stands between them; a line of talk ends it. What merely looks alike says something and is to be left
alone: a budget ("rent = 1200"), a menu with colons, a transcript with times, a poem. So in doubt it is talk.

Every line is looked at a constant number of times, and as far as `_LONGEST_LINE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

_LEAST = 3
"""Plain lines of a stretch that is pasted: one or two may be said."""

_SHARE = 0.3
"""The share of its lines that are plain; others are comments, names of columns, arguments."""

_LONGEST_LINE = 240
"""Characters of a line that are looked at."""

_LONGEST = 200_000
"""Characters of a text that are looked at: a longer one is a file."""

_PROGRAMS = r"""
    import\s[\w.]+(?:,\s[\w.]+)*(?:\sas\s\w+)?;?$ | from\s[\w.]+\simport\s
  | import\s.*\sfrom\s*["'] | (?:\}\s)?from\s["']
  | (?:(?:export|default|async|public|private|protected|internal|static|final|override|abstract|pub|suspend)\s)*(?:
        (?:def|function|func|fn|fun|sub)\s[\w$.]+\s?[(<]
      | class\s\w+\s?(?:[:({]|extends\s|implements\s)
      | (?:interface|enum|struct|type|trait|impl|module)\s\w+.*[{=]
      | (?:const|let|var|val)\s[\w${},\s\[\]:<>|?]+=(?!>)
      | (?:void|int|long|float|double|bool|char|string|String|auto)\s[\w$]+\s?[(=] )
  | \w+\s::\s[A-Z(\[] | Dim\s\w+\sAs\s | End\s(?:Sub|If|Function)$
  | (?:if|while|switch|catch|foreach|for|elif|else\sif|elseif|unless)\s?\(
  | (?:if|elif|while)\s.*[=<>()._\[].*:$ | for\s\w+(?:,\s\w+)*\sin\s\S*[\w)\]]:$ | for\s\w+\sin\s\S+[(.]
  | with\s.*\(.*:$ | (?:else|try|finally|except(?:\s\w+(?:\sas\s\w+)?)?):$
  | (?:return|yield|await|throw|raise|assert|echo|print|puts)\b.*[;()\[\]{}="']$ | raise\s\w+\(
  | (?:break|continue|return|pass|BEGIN|END|end|fi|done|esac);?$
  | @\w+(?:\.\w+)*\( | @\w+\.\w+$ | \#(?:include|define|ifdef|ifndef|endif|pragma|!/) | <\?php
  | (?=[^\s(]*[._:])[\w$.:>-]+\( | [\w$]+\(\)[;,:.)]?$ | [\w$.]+\(.*[="'{\[] | \.\w+\(
  | [\w$.\[\]"'*-]+(?::\s[^=]*)?\s?(?::?=|[+-]=|\?\?=|<-)\s?
        (?:["'\[({$&@]|[\w.]+[.(\[]|(?:True|False|None|null|nil|true|false|undefined|new|await|async|function)\b)
  | (?=\S*[_.\[$])[\w$.\[\]'"-]+\s?(?::=|[+*/-]?=)\s?\S | [\w.\-\[\],]+[=~<>!]=\s?v?\d
  | export\s\w+= | [A-Z][A-Z0-9]*_[A-Z0-9_]+=
"""
"""How statements of programming languages begin."""

_DATA = r"""
    "[\w.\-$@/\s]+"\s?:\s?(?:["'\[{\d-]|true|false|null) | [\w-]+:\s?(?:["'][^"']*["'],?$|[\[{].*[\]},]$|\|$)
  | [\w-]+\s?:\s?[^\s;]+(?:\s[^;.]*)?;$ | \[{1,2}[A-Za-z][\w.:-]*\]{1,2}$
  | </?(?:html|head|body|div|span|p|a|ul|ol|li|table|tr|td|th|img|script|style|meta|link|title|button|form|input|label
        |section|nav|header|footer|main|svg|path|h\d|br|hr|!DOCTYPE|\?xml)\b
  | </[A-Za-z][\w.:-]*>$ | <[A-Za-z][\w.:-]*(?:\s[^<>]*)?/>$ | <[A-Za-z][\w.:-]*\s[\w:@.-]+= | <(\w[\w.:-]*)>.*</\1>$
  | <!-- | \\(?:begin|end|usepackage|documentclass|section|newcommand)\b
  | (?:FROM|RUN|COPY|ADD|CMD|ENV|EXPOSE|WORKDIR|ENTRYPOINT|USER|ARG|VOLUME)\s(?:[a-z./"\[$]|[A-Z_]+=|\d+$|--)
  | (?:SELECT|INSERT\sINTO|UPDATE|DELETE\sFROM|FROM|WHERE|(?:(?:LEFT|RIGHT|INNER|CROSS)\s)?JOIN|GROUP\sBY|ORDER\sBY
        |AND|OR|ON|SET|VALUES|HAVING|LIMIT|RETURNING)\s[a-z_("'*\d@:]
  | (?:CREATE|ALTER|DROP|create|alter|drop)\s(?:OR\sREPLACE\s|or\sreplace\s|UNIQUE\s|unique\s)?
        (?:TABLE|INDEX|VIEW|FUNCTION|TYPE|TRIGGER|POLICY|table|index|view|function|type|trigger|policy)\s
  | select\s.*[(*,.] | insert\sinto\s | delete\sfrom\s | (?:left\s|inner\s)?join\s\w+.*\son\s | where\s.*[=<>]
"""
"""How markup, configurations and questions to databases begin."""

_OUTPUT = r"""
    (?:\$|PS\s?[^>]*>|[\w-]+@[\w.-]+[:\s][^\s$\#]*[$\#])\s[a-z./] | >>>\s
  | Traceback\s\(most\s | File\s".*",\sline\s\d | at\s[\w$.<>/]+.*\(.*\) | at\s.*:\d+\)?$ | Caused\sby:
  | [\w.:]*[a-z](?:Error|Exception|Warning)\b(?::|$) | panic: | (?:error|warning)(?:\[\w+\])?: | npm\s(?:ERR!|WARN)
  | \S+\.\w+:\d+ | \S+\.\w+\(\d+(?:,\d+)?\): | \d+:\d+\s+(?:error|warning)\s
  | (?=.*\d:\d\d:\d\d)(?:\S+\s){0,6}?[\[(<]?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|info|warn|error
        |debug)\b
  | \[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\]?[:\s]
  | [A-Z][a-z]{2}\s[\s\d]\d\s\d\d:\d\d:\d\d\s\S+\s\S+: | \d{4}-\d\d-\d\d[T\s]\d\d:\d\d:\d\d\S*\s(?:\S+\s)?\[
  | \[\d\d[-/][A-Z][a-z]{2}[-/]\d{4}[:\s]\d\d:\d\d | \d+(?:\.\d+){3}\s\S+\s\S+\s\[
  | (?:GET|POST|PUT|PATCH|DELETE|HEAD)\s+/ | HTTP/\d | (?:[A-Z][a-z]+-)+[A-Z][a-z]+:\s | (?:curl|wget)\s-
  | @@\s.*@@ | diff\s--git\s | index\s[0-9a-f]{6,} | [+-]{3}\s[ab]/ | ->\s\s?[A-Z]
"""
"""How what programs print and what a terminal shows begins."""

_PLAIN = re.compile(f"{_PROGRAMS}|{_DATA}|{_OUTPUT}", re.VERBOSE)

_CLOSES = re.compile(r"[\])}]+(?:\s?\)|\s?(?:else|catch|finally|as)\b.*)?[;,]?$")
"""A line that closes a block."""

_ENDS = re.compile(r"(?:\{|\w\(|[=(,\[]\s?[(\[]|[\w=]\s?\[|=>|&&|\|\||/>|[)}\]][}\]];?|\};|\);|[})\]],)$")
"""How lines of code end; ":(" is a face."""

_HOLDS = re.compile(r"\)\s?=>|=>\s?[{(]|\s(?:&&|\|\|)\s|\)\s?->|\(cost=\d")
"""What only lines of code and plans of queries have."""

_MARKS = re.compile(r"[=_$\[\]{}<>]|\w\(|\w\.\w|::|\+\+")
"""What a statement that ends with a semicolon has, and a line of a poem has not."""

_ENTRY = re.compile(r"(?:- )?[a-z_][\w.-]*:(?: (?:[^\s]*[\d./:\"'\[{_-][^\s]*|true|false))?$")
"""An indented entry of a configuration, but not "dinner: soup"."""

_FORMULA = re.compile(r"\\(?:frac|text|sqrt|times|cdot|left|[\[\]()])")
"""Mathematics, as models write it: it is what was asked for."""

_LISTED = re.compile(r"(?:[-*+•]|\d+[.)]|#{2,6})\s")
"""A point of a list, or a heading."""

_BESIDE = ("#", "//", "--", "/*", "*", ";", "|", "+", "-", "%")
"""Marks of comments, tables and differences."""

_TALK = re.compile(r"(?<!\S)(?:[^\W\d_](?:[^\W\d_A-Z]|['\u2019])*[,.:;!?]?\s+){3}[^\W\d_]")
"""Four words in a row, none of them spelt like theseTwo."""

_ENDED = (".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f", "\u061f", "\u0964")
"""How sentences end."""


class _Kind(Enum):
    """What a line is."""

    PLAIN = auto()
    """Plainly of a machine."""
    TALK = auto()
    EITHER = auto()
    """Part of what stands around it."""


@dataclass(slots=True)
class _Stretch:
    """Lines from one that is plain to another."""

    start: int
    end: int
    plain: int = 0
    lines: int = 0
    """None of them blank."""
    _behind: int = 0
    """Lines behind the last plain one, which may be within the stretch."""

    def add_plain(self, end: int) -> None:
        """Go on up to the end of a plain line."""
        self.end = end
        self.plain += 1
        self.lines += self._behind + 1
        self._behind = 0

    def add_other(self) -> None:
        """Count a line that belongs to the stretch if another plain one follows."""
        self._behind += 1

    @property
    def is_pasted(self) -> bool:
        """Whether enough of it is plain."""
        return self.plain >= _LEAST and self.plain >= _SHARE * self.lines


def pasted(text: str) -> Iterator[tuple[int, int]]:
    """The spans of whole lines that are pasted into a text, in order.

    Args:
        text: without fences; they tell by themselves what is code (`text/fences.py`).
    """
    if text.count("\n", 0, _LONGEST) < _LEAST - 1:
        return
    for stretch in _stretches(text[:_LONGEST]):
        if stretch.is_pasted:
            yield stretch.start, stretch.end


def _stretches(text: str) -> Iterator[_Stretch]:
    """What stands between lines of talk, from the first plain line to the last."""
    stretch = None
    end = 0
    for line in text.splitlines(keepends=True):
        start, end = end, end + len(line)
        said = line[:_LONGEST_LINE].strip()
        if not said:
            continue
        kind = _kind(said, is_indented=line[0].isspace())
        if kind is _Kind.PLAIN:
            stretch = stretch or _Stretch(start, end)
            stretch.add_plain(end)
        elif stretch is not None and kind is _Kind.EITHER:
            stretch.add_other()
        elif stretch is not None:
            yield stretch
            stretch = None
    if stretch is not None:
        yield stretch


def _kind(said: str, *, is_indented: bool) -> _Kind:
    """What a line is, by itself.

    Args:
        said: the line without the white space around it.
        is_indented: whether there is some before it.
    """
    if _FORMULA.search(said):
        return _Kind.TALK
    if _is_plain(said) or (is_indented and _ENTRY.match(said)):
        return _Kind.PLAIN
    if _LISTED.match(said):
        return _Kind.TALK if said.startswith("##") or _TALK.search(said) else _Kind.EITHER
    if is_indented or said.startswith(_BESIDE):
        return _Kind.EITHER
    return _Kind.TALK if said.endswith(_ENDED) or _TALK.search(said) else _Kind.EITHER


def _is_plain(said: str) -> bool:
    """Whether the form of a line tells, wherever it stands."""
    if _PLAIN.match(said) or _CLOSES.match(said) or _ENDS.search(said) or _HOLDS.search(said):
        return True
    return said.endswith(";") and _MARKS.search(said) is not None
