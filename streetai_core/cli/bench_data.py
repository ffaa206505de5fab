"""What `streetai bench` measures on: a file of conversations, with what looks wrong in it told on stderr."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from streetai_core.cli.wording import one_line

if TYPE_CHECKING:
    from streetai_core.config import Config
    from streetai_core.evaluation.conversation_runs import Plan
    from streetai_core.evaluation.datasets import Dataset
    from streetai_core.evaluation.embedding_cache import DiskCachedEncoder

_SHOWN_WARNINGS = 3
"""A date in an unknown form seldom comes alone, and the first ones show what is wrong with all."""


def read_data(path: Path, *, most: int | None = None) -> Dataset:
    """The conversations of `--data`; the first warnings go to stderr, all of them are in the results.

    Raises:
        InputError: the file cannot be used.
    """
    from streetai_core.evaluation.datasets import read_dataset

    dataset = read_dataset(path, most=most)
    for warning in dataset.warnings[:_SHOWN_WARNINGS]:
        click.echo(f"Warning: {one_line(warning)}", err=True)
    more = len(dataset.warnings) - _SHOWN_WARNINGS
    if more > 0:
        click.echo(f"Warning: and {more:,} more, which are in the results", err=True)
    return dataset


def read_plan(path: Path, most: int | None, config: Config, encoder: DiskCachedEncoder) -> Plan:
    """A run on the conversations of `--data`, one at a time.

    Raises:
        InputError: the file cannot be used.
    """
    from streetai_core.evaluation.conversation_runs import Plan

    return Plan(dataset=read_data(path, most=most), config=config, encoder=encoder)
