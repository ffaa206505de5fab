"""Two small conversations of our own with questions, as the files that are measured on have them."""

import json

from streetai_core.evaluation.datasets import read_dataset

SPOKEN = {
    "harbour": [
        (1, "Mara", "user", "My sailing boat draws 1.4 metres, so the old harbour is too shallow for it at low tide."),
        (1, "Ben", "assistant", "Then look at the marina in the north, which is dredged to three metres every spring."),
        (
            1,
            "Mara",
            "user",
            "Good idea. By the way, my sister Ida is allergic to hazelnuts, remind me before the party.",
        ),
        (1, "Ben", "assistant", "Noted: no hazelnuts in any cake, and I would ask her about almonds as well."),
        (
            2,
            "Mara",
            "user",
            "The physiotherapist wants me to train my left knee three times a week with a rubber band.",
        ),
        (2, "Ben", "assistant", "Start with the light yellow band and count fifteen repetitions for every exercise."),
        (2, "Mara", "user", "I paid the mooring for the whole season, it was four hundred and twenty euros."),
        (2, "Ben", "assistant", "That is cheaper than last year, so the new ferry contract must have helped them."),
        (3, "Mara", "user", "We moved the party to the second Saturday of June because of the school holidays."),
        (3, "Ben", "assistant", "I have changed the invitation, and the band confirmed the new evening already."),
    ],
    "garden": [
        (1, "Tom", "user", "I planted twelve tomato seedlings behind the shed, the variety is called Black Krim."),
        (1, "Lea", "assistant", "They like it warm, so keep the fleece over them until the nights are mild."),
        (1, "Tom", "user", "The neighbour's goat Frieda ate the whole row of lettuce again on Tuesday."),
        (1, "Lea", "assistant", "A fence of one metre and twenty would stop her, goats do not dig."),
        (2, "Tom", "user", "My rain barrel holds three hundred litres and is empty after a week without rain."),
        (2, "Lea", "assistant", "Put mulch of straw round the plants, it halves what they need in July."),
    ],
}

ASKED = {
    "harbour": [
        ("How deep does Mara's boat draw?", "1.4 metres", ["1"], "fact"),
        ("What is Ida allergic to?", "hazelnuts", ["3"], "fact"),
        ("How much was the mooring for the season?", "420 euros", ["7"], "fact"),
        (
            "When is the party and who must not eat hazelnuts?",
            "the second Saturday of June; Ida",
            ["3", "9"],
            "several",
        ),
    ],
    "garden": [
        ("Which variety of tomato did Tom plant?", "Black Krim", ["1"], "fact"),
        ("How many litres does the rain barrel hold?", "300", ["5"], "fact"),
    ],
}


def document():
    """The file as JSON values."""
    return {
        "name": "tiny",
        "source": "made up",
        "licence": "Apache-2.0",
        "conversations": [
            {
                "id": name,
                "speakers": sorted({speaker for _, speaker, _, _ in spoken}),
                "messages": [
                    {
                        "id": str(number),
                        "session": session,
                        "date": f"2026-0{session}-10T10:{number:02}:00+00:00",
                        "speaker": speaker,
                        "role": role,
                        "text": text,
                    }
                    for number, (session, speaker, role, text) in enumerate(spoken, start=1)
                ],
                "qa": [
                    {"q": question, "a": answer, "evidence": evidence, "category": category}
                    for question, answer, evidence, category in ASKED[name]
                ],
            }
            for name, spoken in SPOKEN.items()
        ],
    }


def write(folder, values=None):
    """The file in a folder; its path."""
    path = folder / "tiny.json"
    path.write_text(json.dumps(document() if values is None else values, indent=1), encoding="utf-8")
    return path


def dataset(folder):
    """The file, read."""
    return read_dataset(write(folder))
