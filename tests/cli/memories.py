"""Databases to try the commands on."""

import json
from datetime import datetime, timedelta, timezone

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=timezone.utc)

SAID = [
    ("user", "My boat Kittiwake draws 1.35 metres.", "Mara", "first"),
    ("assistant", "Then a berth with two metres will do.", None, "first"),
    ("user", "I never eat hazelnuts, I am allergic.", "Mara", None),
    ("assistant", "Noted: no hazelnuts.\n\x1b[31mNo colours either.", None, None),
]

LINE = {"role": "user", "content": "The mast of the boat is nine metres high."}


def fill(path, ids=("mara",)):
    """A database with the same conversation in each memory, made without a model."""
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        for memory_id in ids:
            messages = [
                NewMessage(
                    content=text,
                    role=role,
                    name=name,
                    conversation_id=conversation,
                    message_id=f"m{number}",
                    created_at=NOON + timedelta(minutes=number),
                )
                for number, (role, text, name, conversation) in enumerate(SAID)
            ]
            registry.get(memory_id).add_messages(messages)
            memory = registry.get(memory_id)
            memory.post_process(memory.retrieve("Which boat draws how much?"), "Kittiwake draws 1.35 metres.")
    return path


def line_file(path, *lines):
    """A file of messages, one a line."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines or (LINE,)), encoding="utf-8")
    return path
