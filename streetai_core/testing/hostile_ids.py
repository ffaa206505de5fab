"""Ids of memories that a careless store mixes up."""

from __future__ import annotations

import unicodedata

HOSTILE_IDS = (
    *("alice", "Alice", "ALICE", "alic", "alice ", " alice", "alice\n", "alice%", "a_ice", "al*ce", "al?ce", "[a]lice"),
    *(
        "%",
        "_",
        "%%",
        "a%",
        "*",
        "?",
        "'",
        "''",
        '"',
        '""',
        "`",
        "\\",
        ";",
        "--",
        "/*",
        "NULL",
        "null",
        "None",
        "0",
        "00",
    ),
    *("'; DROP TABLE memories; --", "' OR '1'='1", '" OR ""="', "x' UNION SELECT 1 --", "1; DELETE FROM messages"),
    *("../alice", "/etc/passwd", "C:\\alice", "{alice}", "$alice", "alice\u200d", "\ufeffalice", "\u202ealice", "\x01"),
    unicodedata.normalize("NFC", "zoë"),
    unicodedata.normalize("NFD", "zoë"),
    "K",  # the letter
    "\u212a",  # the Kelvin sign, equal to the letter after normalisation
    "ß",
    "ss",
    "🎉" * 128,  # 512 bytes
    "x" * 512,
)
"""Ids that a store which matches by pattern, case, form or prefix takes for each other, or for SQL."""
