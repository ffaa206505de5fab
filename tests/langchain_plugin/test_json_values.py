"""What a message holds beyond JSON: kept as far as it goes, and named where it does not."""

import logging
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from uuid import UUID

import numpy as np
from langchain_core.messages import AIMessage, ToolMessage
from pydantic import BaseModel

from streetai_langchain.messages import from_stored
from tests.langchain_plugin.conftest import stored


def test_what_is_not_json_is_kept_as_far_as_it_goes(shared, caplog):
    """Values with a JSON form are kept in it, the others are dropped and named, and nothing crashes."""

    class Colour(Enum):
        RED = "red"

    class Parsed(BaseModel):
        when: datetime

    @dataclass
    class Point:
        x: int

    circle: dict = {}
    circle["self"] = circle
    kwargs = {
        "parsed": Parsed(when=datetime(2026, 3, 2, tzinfo=timezone.utc)),
        "uuid": UUID(int=1),
        "colour": Colour.RED,
        "pair": (1, 2),
        "point": Point(3),
        "numpy": [np.int64(4), np.float64(0.5)],
        "frame": np.zeros(2),
        "odds": [0.5, float("nan"), "after"],
        "circle": circle,
        7: "seven",
        "endless": iter(int, 1),
    }
    with caplog.at_level(logging.WARNING, logger="streetai_langchain"):
        back = from_stored(stored(shared, "odd", ToolMessage("ok", tool_call_id="1", artifact=kwargs))[0])

    assert back.artifact == {
        "parsed": {"when": "2026-03-02T00:00:00Z"},
        "uuid": "00000000-0000-0000-0000-000000000001",
        "colour": "red",
        "pair": [1, 2],
        "point": {"x": 3},
        "numpy": [4, 0.5],
        "odds": [0.5, None, "after"],
        "circle": {},
    }
    [record] = caplog.records
    for dropped in (
        "artifact.frame (ndarray)",
        "artifact.odds[1] (float)",
        "artifact.circle.self (dict)",
        "artifact.7",
    ):
        assert dropped in record.getMessage()
    assert "artifact.endless" in record.getMessage()


def test_nesting_beyond_every_use_is_cut(shared):
    """A payload that is nested without end is stored to a depth that every reader can take."""
    deep: list = []
    for _ in range(5000):
        deep = [deep]

    back = from_stored(stored(shared, "deep", AIMessage("ok", response_metadata={"deep": deep}))[0])

    depth = 0
    level = back.response_metadata["deep"]
    while level:
        level = level[0]
        depth += 1
    assert 10 < depth < 100
