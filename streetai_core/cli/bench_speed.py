"""`streetai bench speed --systems`: the verbs of several memories, beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streetai_core.cli.bench_view import progress_bar, show
from streetai_core.cli.usage import given_for

if TYPE_CHECKING:
    from streetai_core.config import Config
    from streetai_core.evaluation.datasets import Dataset
    from streetai_core.evaluation.embedding_cache import DiskCachedEncoder


def compare_systems(
    names: Sequence[str],
    config: Config,
    *,
    sizes: Sequence[int],
    repeats: int,
    published: Path | None,
    recorded: tuple[Dataset, DiskCachedEncoder] | None,
) -> dict[str, Any]:
    """Time the systems of these names with a progress bar, and return the report.

    Args:
        names: those of `select_timed`.
        config: of the system `streetai`.
        sizes: texts in each memory.
        repeats: timings of each verb and system.
        published: where the published product is installed, if that is a folder of its own.
        recorded: the conversations that the memories are filled with, and what embeds them; `None`: made-up texts.

    Raises:
        BadParameter: a name is unknown, or the published product is not where it is said to be.
        InputError: there is no message in the conversations.
    """
    from streetai_core.evaluation.provenance import described
    from streetai_core.evaluation.speed_catalogue import select_timed, use_published
    from streetai_core.evaluation.speed_comparison import compare_speed, comparison_report
    from streetai_core.evaluation.speed_systems import TIMED_VERBS
    from streetai_core.evaluation.speed_texts import RecordedTexts

    if published is not None:
        with given_for("--published"):
            use_published(published)
    with given_for("--systems"):
        systems = select_timed(names, config)
    material = None if recorded is None else RecordedTexts(*recorded)
    with progress_bar(len(sizes) * (len(TIMED_VERBS) + len(systems))) as bar:
        comparison = compare_speed(systems, sizes=sizes, repeats=repeats, material=material, watch=bar.advance)
    data = {} if recorded is None else {"data": described(recorded[0])}
    return {**comparison_report(comparison, systems), **data}


def comparison_tables(report: Mapping[str, Any]) -> None:
    """Print a report on several systems: a row for each size, verb and system, then what cannot be in a table."""
    show(
        "Milliseconds of each verb, beside other memories",
        ["verb", "system", "texts", "CPU", "wall", "times CPU", "times wall"],
        [
            [
                one["verb"],
                one["system"],
                f"{one['size']:,}",
                f"{one['cpu_ms']:.3f}",
                f"{one['wall_ms']:.3f}",
                _times(one["times_cpu"]),
                _times(one["times_wall"]),
            ]
            for one in report["timings"]
        ],
        [
            f"Medians, calls in turn. Times: those of {report['compared_with']} are 1.",
            *(f"{name}, what add waits for: {what}" for name, what in report["durability"].items()),
            *(f"Left out: {line}" for line in report["left_out"]),
        ],
        names=3,
    )
    show(
        "Filled",
        ["system", "texts", "CPU seconds", "MB on disk"],
        [
            [one["system"], f"{one['size']:,}", f"{one['cpu_seconds']:.2f}", f"{one['disk_megabytes']:.1f}"]
            for one in report["filled"]
        ],
        names=2,
    )


def _times(ratio: float | None) -> str:
    """A ratio; a dash where the first system has no such verb."""
    return "-" if ratio is None else f"{ratio:.2f}"
