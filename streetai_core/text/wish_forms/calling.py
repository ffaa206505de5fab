"""What somebody is to be called."""

from __future__ import annotations

from streetai_core.text.wish_forms.vocabulary import START

CALLING = (
    ("^call_me ^address_me", rf"{START}(?:call|address) me\b(?! (?:at|back|before|in|later|on|to|tomorrow|when)\b)"),
    (
        "pronouns he/h she/h they/t he/they she/they",
        r"\bmy pronouns\b|\b(?:he|she|they|xe|ze)/(?:her|hers|him|his|them|theirs|they)\b",
    ),
    (
        "with_a without_a",
        r"\b(?:it's|name's|name is|I'm|that's|spelled|spelt) \w+,? with(?:out)? an? ['\"]?[a-z]{1,2}\b",
    ),
    ("^say_", rf"{START}(?:say|use) (?-i:(?:Mr|Mrs|Ms|Mx|Dr)\b|[A-Z][a-z]+ ?(?:[.,!]|$))"),
    (
        "name_is name's",
        (
            r"\bmy (?:\w+ )?name(?:'s| is)(?: \w+){1,2}(?:,? (?:and )?(?:not|never|with|without)\b|,? but\b)|"
            r"\bmy name(?:'s| is) (?:pronounced|said|spelled|spelt|written)\b"
        ),
    ),
    ("go_by_", r"\bI go by (?:my (?:\w+ )?(?:name|initials)\b|(?!(?-i:[a-z])|A\b|The\b)\w+)"),
    (
        "call_me calls_me",
        (
            r"\b(?:everybody|everyone|folks|friends|people|they all) calls? me (?!after|at|back|every|for|from|in|on|"
            r"to|when)\w+"
        ),
    ),
    ("be_called be_addressed", r"\bI(?:'d| would)? (?:like|prefer|rather|want|love) (?:to )?be (?:called|addressed)\b"),
    ("refer_to_me", r"\brefer to me (?:as|by|with)\b"),
    ("can_call_me could_call_me", r"\byou (?:can|could) (?:just |also )?call me (?-i:[A-Z])\w+"),
    (
        "not_mr not_ms not_miss not_dr not_sir not_ma'am",
        r"\b(?:it's|I'm|I am) [^?!,\n]{2,30},? not (?:mr|mrs|ms|miss|dr|mister|sir|ma'am)\b",
    ),
    ("spelled_with spelt_with", r"\bspel(?:led|t) with\b"),
    ("i'm_called i_am_called", r"\bI(?:'m| am) called (?-i:[A-Z])\w+"),
)
"""Cues, and the form."""
