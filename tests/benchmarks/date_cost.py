"""What reading dates costs, and how many written cases it resolves: `python -m tests.benchmarks.date_cost`.

With a conversation file (the shape of `tests.benchmarks.replay`) as argument, its messages are timed too.
"""

import json
import statistics
import sys
import time
from datetime import datetime
from pathlib import Path

from streetai_core.text.dates import mentioned_dates, question_times
from tests.benchmarks.recording import record

CASES = Path(__file__).parents[1] / "text" / "dates" / "cases.jsonl"
NO_DATES = CASES.with_name("no_dates.txt")
SAID_AT = datetime(2023, 6, 14, 15, 0)  # noqa: DTZ001 - a wall clock, as chats have them
ROUNDS = 20
PLAIN = (
    "I told him that the new kitchen floor would be hard to clean, but he likes how it looks, and so do the kids. "
    "What do you think?"
)
SIZES = (1_000_000, 10_000_000)
LONG = {"digits": "7", "last": "last ", "prose": PLAIN + " ", "nested": "the week before ", "fractions": "1/2/"}


def microseconds(read, *arguments):
    """The fastest of some rounds, so that other work of the machine does not count."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        read(*arguments)
        times.append((time.perf_counter() - start) * 1e6)
    return min(times)


def summary(times):
    """Median, 99th percentile and maximum."""
    ordered = sorted(times)
    return {
        "median_us": round(statistics.median(ordered), 1),
        "p99_us": round(ordered[int(len(ordered) * 0.99)], 1),
        "max_us": round(ordered[-1], 1),
    }


def is_resolved(case):
    """Whether exactly the gold span is read, and nothing else."""
    mentions = mentioned_dates(case["text"], datetime.fromisoformat(case["said_at"]))
    spans = [(mention.span.start.isoformat(), mention.span.end.isoformat()) for mention in mentions]
    return spans == [(case["start"], case["end"])]


def seconds(text):
    """One reading of a long text."""
    start = time.perf_counter()
    mentioned_dates(text, SAID_AT)
    return round(time.perf_counter() - start, 2)


def messages(path):
    """The texts of a conversation file."""
    conversations = json.loads(Path(path).read_text(encoding="utf-8"))["conversations"]
    return [message["text"] for conversation in conversations for message in conversation["messages"]]


def main():
    """Measure and record."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    plain = NO_DATES.read_text(encoding="utf-8").splitlines()
    resolved = sum(map(is_resolved, cases))
    figures = {
        "cases": len(cases),
        "resolved_percent": round(100 * resolved / len(cases), 1),
        "sentences_without_date": len(plain),
        "false_alarms": sum(bool(mentioned_dates(text, SAID_AT)) for text in plain),
        "case": summary(
            [microseconds(mentioned_dates, case["text"], datetime.fromisoformat(case["said_at"])) for case in cases]
        ),
        "question": summary([microseconds(question_times, case["text"] + "?", SAID_AT) for case in cases]),
        f"no_time_word_{len(PLAIN)}_characters_us": round(microseconds(mentioned_dates, PLAIN, SAID_AT), 1),
        "seconds_for_megabytes": {
            name: {size // 1_000_000: seconds(part * (size // len(part))) for size in SIZES}
            for name, part in LONG.items()
        },
    }
    if len(sys.argv) > 1:
        figures["messages_of_file"] = summary(
            [microseconds(mentioned_dates, text, SAID_AT) for text in messages(sys.argv[1])]
        )
    record("date_cost", figures)


if __name__ == "__main__":
    main()
