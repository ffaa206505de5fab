"""Every verb beside other memories: `python -m tests.benchmarks.speed [--sizes N,N] [--systems NAME,NAME]`.

The figures of `streetai bench speed --systems`, recorded by size; with `--data FILE` on the messages of recorded
conversations, otherwise on made-up texts. Set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS to 1:
thread pools of several libraries on few cores measure each other.
"""

import argparse
from pathlib import Path

from streetai_core import Config
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.speed_catalogue import EVERYTHING, select_timed, use_published
from streetai_core.evaluation.speed_comparison import compare_speed, comparison_report
from streetai_core.evaluation.speed_texts import RecordedTexts
from tests.benchmarks.recording import record

KEPT = ("vectors", "threads", "compared_with", "durability", "left_out")
DIGITS = 3


def rounded(rows):
    """Rows with their figures as short as they are exact."""
    return [
        {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in row.items()}
        for row in rows
    ]


def recorded(path):
    """The messages of a file with the default model's vectors."""
    return RecordedTexts(read_dataset(path), DiskCachedEncoder(default_encoder(), default_folder()))


def main():
    """Measure and record, size by size, so that a run that is stopped leaves what it has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--systems", default=EVERYTHING)
    parser.add_argument("--published", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repeats", type=int, default=30)
    chosen = parser.parse_args()
    if chosen.published:
        use_published(chosen.published)
    systems = select_timed(chosen.systems.split(","), Config())
    material = recorded(chosen.data) if chosen.data else None
    for size in map(int, chosen.sizes.split(",")):
        compared = compare_speed(systems, sizes=[size], repeats=chosen.repeats, material=material)
        report = comparison_report(compared, systems)
        figures = {name: report[name] for name in KEPT}
        figures |= {"timings": rounded(report["timings"]), "filled": rounded(report["filled"])}
        record("speed", figures, f"{size}" if material is None else f"recorded_{size}")


if __name__ == "__main__":
    main()
