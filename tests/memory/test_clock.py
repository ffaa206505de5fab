"""The clock of a memory is its turns: what the clock on the wall does changes no order, no decay and no recall."""

from datetime import datetime, timedelta, timezone

import pytest

from streetai_core import Config, MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError

NOON = datetime(2026, 3, 28, 12, tzinfo=timezone.utc)
SAID = (
    "My boat is called Kestrel.",
    "She lies at berth 31.",
    "The mast is made of spruce.",
    "Ilse cooks on board.",
    "We moved to berth 40.",
    "Tides turn in the evening.",
)
QUESTIONS = ("Where does my boat lie?", "What is the mast made of?", "Who cooks?")

STEADY = (timedelta(0), timedelta(0))
JUMPS = {
    "a day back": (timedelta(days=-1), timedelta(0)),
    "ten years on": (timedelta(days=3653), timedelta(0)),
    # The same moments as a zone tells them whose clocks go forward that night.
    "summer time": (timedelta(0), timedelta(hours=1)),
}


class Clock:
    """Ticks by a minute, and jumps once in the middle."""

    def __init__(self, jump, zone):
        self.now, self.jump, self.zone, self.asked = NOON, jump, zone, 0

    def __call__(self):
        """The time, later or earlier than the last."""
        self.asked += 1
        self.now += timedelta(minutes=1) + (self.jump if self.asked == len(SAID) else timedelta(0))
        return self.now.astimezone(timezone(self.zone)) if self.asked > len(SAID) else self.now


def lived(path, jump, zone, config):
    """A small life, and all of it that is not a time."""
    with MemoryRegistry(path, config=config, encoder=HashingEncoder(), clock=Clock(jump, zone)) as registry:
        memory = registry.get("m")
        for number, text in enumerate(SAID):
            memory.add_message(text, "user", message_id=str(number))
            memory.post_process(memory.retrieve(QUESTIONS[number % len(QUESTIONS)]), text)
        stats = {**memory.stats(), "memory_id": ""}
        return {
            "order": [(message.message_id, message.turn) for message in memory.messages()],
            "weights": [(signal.content, signal.base_weight, signal.last_used_turn) for signal in memory.signals],
            "recall": [
                [(hit.signal.content, hit.score, hit.parts) for hit in memory.retrieve(question)]
                for question in QUESTIONS
            ],
            "stats": stats,
        }


@pytest.mark.parametrize("jump", JUMPS.values(), ids=list(JUMPS))
@pytest.mark.parametrize("config", [Config(), Config.classic()], ids=["default", "classic"])
def test_a_clock_that_jumps_changes_nothing_but_times(tmp_path, jump, config):
    """Order, turns, weights, scores and their parts are the same to the last bit."""
    steady = lived(tmp_path / "steady.db", *STEADY, config)
    assert steady == lived(tmp_path / "jumping.db", *jump, config)
    assert all(steady["recall"])


@pytest.mark.parametrize("when", [float("nan"), float("inf"), 1.5e9, "2026-03-01", datetime(2026, 3, 1).date()])  # noqa: DTZ001 - a date
def test_a_time_that_is_none_is_refused(tmp_path, when):
    """Nothing is stored; the error names the argument."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        with pytest.raises(InputError, match="created_at"):
            registry.get("m").add_message("hello there", "user", created_at=when)
        assert registry.get("m").messages() == []
