"""`record_turn` between processes: one of them records the turn, and a crash leaves all of it or nothing."""

import subprocess
import sys

import pytest

from tests.memory.test_record_turn import REPLY, TURN, open_registry, picture, seeded, steps

RACE = """
import sys
from streetai_core import NewMessage
from tests.memory.test_record_turn import QUESTION, REPLY, TURN, open_registry

with open_registry(sys.argv[1]) as registry:
    memory = registry.get("m")
    hits = memory.retrieve(QUESTION)
    print("ready", flush=True)
    sys.stdin.readline()
    print(len(memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)))
"""


def test_two_processes_record_a_turn_once(tmp_path):
    """Both ask at the same moment; one of them learns, the other gets nothing, and the clock advances by one turn."""
    with open_registry(tmp_path / "m.db") as registry:
        memory, hits = seeded(registry)
        turn = memory.stats()["turn_counter"]
        racers = [
            subprocess.Popen(
                [sys.executable, "-c", RACE, str(tmp_path / "m.db")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        for racer in racers:
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            racer.stdin.write("go\n")
            racer.stdin.flush()
        counts = [int(racer.communicate(timeout=60)[0]) for racer in racers]

        assert sorted(counts) == [0, len(hits)]
        assert sum(steps(memory)) == len(hits) > 0
        assert memory.stats()["turn_counter"] == turn + 2


CRASH = """
import os, sys
from tests.memory.test_record_turn import QUESTION, REPLY, TURN, open_registry

with open_registry(sys.argv[1]) as registry:
    memory = registry.get("m")
    hits = memory.retrieve(QUESTION)

    def die(frame, event, argument):
        if (event, frame.f_code.co_name) == tuple(sys.argv[2:]):
            os._exit(9)

    sys.setprofile(die)
    memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)
"""


@pytest.mark.parametrize(
    "moment", [("return", "_write_messages"), ("call", "_learn"), ("return", "_learn"), ("call", "forget")]
)
def test_a_crash_leaves_all_or_nothing(tmp_path, moment):
    """The process ends inside the transaction: neither stored nor learned, and the retry does both."""
    with open_registry(tmp_path / "m.db") as registry:
        memory, hits = seeded(registry)
        before, learned = picture(memory), steps(memory)
        done = subprocess.run([sys.executable, "-c", CRASH, str(tmp_path / "m.db"), *moment], check=False)

        if moment == ("call", "forget"):
            # Nothing failed, so nothing was forgotten: the control that the other moments are real ones.
            assert done.returncode == 0
            assert sum(steps(memory)) == len(hits)
            return
        assert done.returncode == 9
        assert (picture(memory), steps(memory)) == (before, learned)
        assert len(memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)) == len(hits)
        assert sum(steps(memory)) == len(hits) > 0
