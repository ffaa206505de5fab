"""Tokens sent against the full history on the bundled conversation: `python -m tests.benchmarks.savings`.

Plays it as `streetai demo` does, through a LangChain chain, with the real encoder and the default settings but for the
half-life of the demo. Tokens are characters / 4 and 4 for each message.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean

from tests.benchmarks.recording import record


def main():
    """Run the demo, add up its lines."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "streetai_core.cli", "demo", "--json", "--db", str(Path(folder) / "m.db")],
            capture_output=True,
            text=True,
            check=True,
        )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    turns = [
        (line["tokens_sent"], line["tokens_full_history"]) for line in lines if "tokens_sent" in line and "turn" in line
    ]
    sent = [one for one, _ in turns]
    quarters = [round(mean(sent[n * len(sent) // 4 : (n + 1) * len(sent) // 4])) for n in range(4)]
    record(
        "savings",
        {
            "user_turns": len(turns),
            "first_16_saved_whole_percent": _saved(turns[:16]),
            "first_16_saved_mean_of_turns_percent": round(100 * mean(1 - one / full for one, full in turns[:16]), 1),
            "all_saved_whole_percent": _saved(turns),
            "turns_above_history": sum(one > full for one, full in turns),
            "mean_tokens_by_quarter": quarters,
            "last_quarter_over_second": round(quarters[3] / quarters[1], 3),
            "last_prompt_tokens": turns[-1][0],
            "last_history_tokens": turns[-1][1],
        },
    )


def _saved(turns):
    """Percent of all tokens that were not sent."""
    sent, full = (sum(column) for column in zip(*turns, strict=True))
    return round(100 * (1 - sent / full), 1)


if __name__ == "__main__":
    main()
