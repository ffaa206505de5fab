"""What a message quotes of earlier ones is told from what its author says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.quoted import quoted


def own(text):
    """What is left of a text without what it quotes."""
    left, position = [], 0
    for start, end in quoted(text):
        left.append(text[position:start])
        position = end
    return "".join((*left, text[position:]))


OUTLOOK = """-----Original Message-----
From: Mara Voss [mailto:mara@harbour.example]
Sent: 3 March 2025 09:12
To: Ilse Berg
Subject: berth

The boat lies at berth 31."""
HEADING = """From: Mara Voss <mara@harbour.example>
Sent: Monday, 3 March 2025 09:12
To: Ilse Berg
Cc:
Subject: RE: berth

The boat lies at berth 31.

Mara"""
GERMAN = "Von: Mara Voss\nGesendet: Montag, 3. März 2025\nAn: Ilse\nBetreff: AW: Liegeplatz\n\nSie liegt an 31."
ATTRIBUTION = "On 3 March 2025 at 9:12, Mara Voss wrote:"
BROKEN = "On Mon, 3 Mar 2025 at 09:12, Mara Voss\n<mara@harbour.example> wrote:"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("> at berth 31\n\nNo, at 12.", "\nNo, at 12."),
        ("At 12.\n\n> at berth 31\n> since May", "At 12.\n\n"),
        ("Hi,\n\n> at berth 31?\n\nNo.\n\n> since May?\nYes.", "Hi,\n\n\nNo.\n\nYes."),
        ("Right.\n>> at berth 31?\n> Yes.\n\n>>> Where?\nMara", "Right.\nMara"),
        (f"At 12.\n\n{ATTRIBUTION}\n\n> at berth 31", "At 12.\n\n"),
        (f"{ATTRIBUTION}\n> at berth 31\nNo.", "No."),
        (f"At 12.\n\n{BROKEN}\n> at berth 31\n\nMara", "At 12.\n\n\nMara"),
        (f"At 12.\n\n{ATTRIBUTION}\n\nThe boat lies at berth 31.\n\nMara", "At 12.\n\n"),
        ("An 12.\n\nAm 3. März 2025 um 9:12 schrieb Mara Voss:\n> an 31", "An 12.\n\n"),
        ("Au 12.\n\nLe lun. 3 mars 2025 à 09:12, Mara Voss a écrit :\n> au 31", "Au 12.\n\n"),
        (f"At 12.\n\n{OUTLOOK}", "At 12.\n\n"),
        (f"At 12.\n\n{HEADING}", "At 12.\n\n"),
        (f"An 12.\n\n{GERMAN}", "An 12.\n\n"),
        ("See below.\n\n---------- Forwarded message ---------\nFrom: Mara\n\nat berth 31", "See below.\n\n"),
        ("See below.\n\nBegin forwarded message:\n\nat berth 31", "See below.\n\n"),
        ("Just got this:\n" + HEADING, "Just got this:\n"),
    ],
)
def test_what_is_quoted_is_told(text, said):
    """Else who answers says again what was said before, and an old value is the newest."""
    assert own(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The boat lies at berth 31.",
        "> the only line",
        "> one\n>\n> two",
        OUTLOOK,
        HEADING,
        "\n\n" + GERMAN,
        "Depth > 3 m:\n> 30 boats".replace("\n", " "),
        "It says:\n    > not quoted but indented",
        "In the shell:\n>>> boats()\n3",
        "if depth\n>= 3: go",
        "<a\n><b>",
        "She wrote:\nThe boat is yours.",
        "On 3 March she wrote to me: the boat is mine",
        "I saw her.\nAt 10:30 she said:\nthe boat is mine",
        "What I need:\nFrom: 3 March\nTo: 9 March\nBerths: 2",
        "From: Nice. To: Bergen. By boat.",
        "So:\nFrom: Mara\nand nothing else\nSubject: none",
        "Two lines:\nA: no\nB: yes\nSubject: boats",
        "On 3 March 2025\nwe sailed:",
        "a\n" + "> b\n" * 60_000,
    ],
)
def test_what_merely_looks_alike_is_said(text):
    """Lines that are not read say nothing: in doubt everything is said. A longer text is a file."""
    assert own(text) == text


@given(
    st.lists(
        st.sampled_from(["> a", ">", "b", "", ATTRIBUTION, "From: M", "To: I", "Subject: c", "-- Original Message --"])
    )
)
def test_spans_are_whole_lines_in_order(lines):
    """What is cut out must not overlap, nor end within a line."""
    text = "\n".join(lines)
    position = 0
    for start, end in quoted(text):
        assert position <= start < end <= len(text)
        assert start == 0 or text[start - 1] == "\n"
        assert end == len(text) or text[end - 1] == "\n"
        position = end


@pytest.mark.parametrize(
    "line",
    [
        "\n",
        ">\n",
        "> a\n",
        f"{'1' * 238}:\n",
        "On 1 2 3\n",
        "From: a\nTo: b\n",
        f"{'wrote ' * 39}:\n",
        f"{'-' * 239}\n",
    ],
)
def test_a_text_of_nothing_but_such_lines_ends(line):
    """Every line is looked at a constant number of times; by its square this takes hours."""
    text = "No:\n" + line * (190_000 // len(line))
    assert own(text) == ("No:\n" if line.strip().startswith(">") else text)
