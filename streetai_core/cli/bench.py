"""`streetai bench`: measure a memory on a file of recorded conversations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from streetai_core.cli.bench_data import read_data, read_plan
from streetai_core.cli.bench_options import (
    cached_encoder,
    common_options,
    data_options,
    maybe_names_of,
    names_of,
    numbers,
)
from streetai_core.cli.opening import chosen_encoder
from streetai_core.cli.usage import GivenPath, given_for

if TYPE_CHECKING:
    from streetai_core.config import Config
    from streetai_core.evaluation.embedding_cache import DiskCachedEncoder

# What the commands run with is imported by the commands: it takes a second, which no --help shall wait for.


@click.group(short_help="Measure a memory on recorded conversations.")
def bench() -> None:
    """Measure a memory on recorded conversations, beside simple rankers and other memories.

    Figures are printed, and saved with what made them. A run that was interrupted goes on where it stopped.
    """


@bench.command(short_help="How much of the evidence is in the prompt.")
@data_options
@click.option("--budgets", callback=numbers, default="256,500,1000,1500,3000", show_default=True, help="Token budgets.")
@click.option(
    "--systems",
    "names",
    callback=names_of,
    default="all",
    show_default=True,
    help="What is compared: streetai, classic, last, dense, bm25, zsum, streetai-memory, llamaindex, langchain, "
    "memweave, mem0.",
)
@click.option(
    "--units",
    callback=names_of,
    default="messages,chunks,adaptive",
    show_default=True,
    help="What the simple rankers rank.",
)
@click.option(
    "--grid",
    type=GivenPath(),
    metavar="FILE",
    help="Variants of the settings (JSON); for each conversation that counts which is best on the others.",
)
def recall(
    *,
    data: Path,
    most: int | None,
    embeddings: Path | None,
    config: Config,
    encoder_name: str,
    out: Path,
    budgets: tuple[int, ...],
    names: tuple[str, ...],
    units: tuple[str, ...],
    grid: Path | None,
    as_json: bool,
) -> None:
    """How much of the evidence for each question is in the prompt that is really built, within a token budget.

    The evidence are the messages that the data name for a question; one counts if at least half of its text is sent.
    """
    from streetai_core.cli.bench_tables import recall_tables
    from streetai_core.cli.bench_view import progress_bar
    from streetai_core.evaluation.catalogue import select
    from streetai_core.evaluation.grid import read_grid
    from streetai_core.evaluation.recall_run import RecallPlan, recall_report, run_recall
    from streetai_core.evaluation.replay import MemorySystem
    from streetai_core.evaluation.results import ResultsFolder

    encoder = cached_encoder(encoder_name, embeddings)
    with given_for("--systems", "--units"):
        selection = select(names, units, config, encoder)
    with given_for("--grid"):
        variants = [MemorySystem(one.config, encoder, one.name) for one in read_grid(grid, config)] if grid else []
    plan = RecallPlan(
        dataset=read_data(data, most=most),
        systems=(*selection.systems, *variants),
        budgets=budgets,
        encoder=encoder.fingerprint,
        missing=selection.missing,
        variants=[one.description.name for one in variants],
    )
    folder = ResultsFolder(out)
    with _resumable(out, encoder), progress_bar(plan.questions) as bar:
        results = run_recall(plan, folder, bar.advance)
    report = recall_report(plan, results)
    folder.save("recall", report)
    folder.save_rows("recall-questions", (row.to_dict() for rows in results.values() for row in rows))
    _print(report, recall_tables, as_json=as_json)


@bench.command(short_help="What prompts cost against the full history.")
@data_options
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=1_500,
    show_default=True,
    help="Most tokens of each prompt. A message that has more is sent alone, and counted.",
)
@click.option("--learn", is_flag=True, help="Learn from every reply, as an app does.")
def tokens(
    *,
    data: Path,
    most: int | None,
    embeddings: Path | None,
    config: Config,
    encoder_name: str,
    out: Path,
    budget: int,
    learn: bool,
    as_json: bool,
) -> None:
    """Tokens of the prompt of every turn against resending the whole history, over whole conversations."""
    from streetai_core.cli.bench_tables import token_tables
    from streetai_core.cli.bench_view import progress_bar
    from streetai_core.evaluation.conversation_runs import run_tokens
    from streetai_core.evaluation.results import ResultsFolder

    encoder = cached_encoder(encoder_name, embeddings)
    plan = read_plan(data, most, config, encoder)
    folder = ResultsFolder(out)
    steps = sum(len(recording.messages) for recording in plan.dataset.recordings)
    with _resumable(out, encoder), progress_bar(steps) as bar:
        report, rows = run_tokens(plan, folder, bar.advance, budget=budget, learn=learn)
    folder.save("tokens", report)
    folder.save_rows("tokens-turns", rows)
    _print(report, token_tables, as_json=as_json)


@bench.command(short_help="Whether learning finds the evidence, and harms nothing.")
@data_options
@click.option(
    "--turns",
    type=click.IntRange(min=0),
    default=1_000,
    show_default=True,
    help="Turns of the long run; 0 measures credit only.",
)
def learning(
    *,
    data: Path,
    most: int | None,
    embeddings: Path | None,
    config: Config,
    encoder_name: str,
    out: Path,
    turns: int,
    as_json: bool,
) -> None:
    """Whether credit tells evidence from the other hits, and what a long time of learning does to other questions.

    Replies are simulated from the gold answers; nothing is known here about replies of your model.
    """
    from streetai_core.cli.bench_tables import learning_tables
    from streetai_core.cli.bench_view import progress_bar
    from streetai_core.evaluation.conversation_runs import learning_steps, run_learning
    from streetai_core.evaluation.results import ResultsFolder

    encoder = cached_encoder(encoder_name, embeddings)
    plan = read_plan(data, most, config, encoder)
    folder = ResultsFolder(out)
    with _resumable(out, encoder), progress_bar(learning_steps(plan, turns)) as bar:
        report, rows = run_learning(plan, folder, bar.advance, turns=turns)
    folder.save("learning", report)
    folder.save_rows("learning-hits", rows)
    _print(report, learning_tables, as_json=as_json)


@bench.command(short_help="Whether a memory sees that something was never said.")
@data_options
def absence(
    *,
    data: Path,
    most: int | None,
    embeddings: Path | None,
    config: Config,
    encoder_name: str,
    out: Path,
    as_json: bool,
) -> None:
    """Whether the best hit of a conversation's own questions scores above that of the other conversations' questions.

    The names of its own speakers are put into the strangers' questions.
    """
    from streetai_core.cli.bench_tables import absence_tables
    from streetai_core.cli.bench_view import progress_bar
    from streetai_core.evaluation.conversation_runs import run_absence
    from streetai_core.evaluation.results import ResultsFolder

    encoder = cached_encoder(encoder_name, embeddings)
    plan = read_plan(data, most, config, encoder)
    folder = ResultsFolder(out)
    with _resumable(out, encoder), progress_bar(len(plan.dataset.recordings)) as bar:
        report, rows = run_absence(plan, folder, bar.advance)
    folder.save("absence", report)
    folder.save_rows("absence-questions", rows)
    _print(report, absence_tables, as_json=as_json)


@bench.command(short_help="What each verb costs.")
@common_options
@click.option("--sizes", callback=numbers, default="1000,10000", show_default=True, help="Messages in the memory.")
@click.option("--repeats", type=click.IntRange(min=2), default=30, show_default=True, help="Timings of each verb.")
@click.option(
    "--systems",
    "names",
    callback=maybe_names_of,
    metavar="NAME,...",
    help="Time these beside each other, with vectors made by a formula: streetai, classic, streetai-memory, langchain, "
    "llamaindex, langgraph, mem0, or all. The first is what the others are compared with.",
)
@click.option(
    "--data",
    type=GivenPath(),
    metavar="FILE",
    help="Fill the --systems with the messages of recorded conversations and with the encoder's vectors of them, made "
    "before anything is timed.",
)
@click.option(
    "--published",
    type=GivenPath(),
    metavar="FOLDER",
    help="Where streetai-memory 0.2.0 is installed, if that is a folder of its own.",
)
def speed(
    *,
    config: Config,
    encoder_name: str,
    out: Path,
    sizes: tuple[int, ...],
    repeats: int,
    names: tuple[str, ...],
    data: Path | None,
    published: Path | None,
    as_json: bool,
) -> None:
    """What each verb costs on memories of made-up messages, in milliseconds and in times of the encoder's own cost.

    With --systems each verb is timed beside that of other memories instead, the calls in turn; the encoder's time has
    no part then.
    """
    from streetai_core.cli.bench_speed import compare_systems, comparison_tables
    from streetai_core.cli.bench_tables import speed_tables
    from streetai_core.cli.bench_view import progress_bar
    from streetai_core.evaluation.results import ResultsFolder
    from streetai_core.evaluation.speed import VERBS, measure_speed, speed_report

    if not names and (published is not None or data is not None):
        raise click.UsageError("--published and --data go with --systems")
    if names:
        report = compare_systems(
            names,
            config,
            sizes=sizes,
            repeats=repeats,
            published=published,
            recorded=None if data is None else (read_data(data), cached_encoder(encoder_name, None)),
        )
        ResultsFolder(out).save("speed-systems", report)
        _print(report, comparison_tables, as_json=as_json)
        return
    encoder = chosen_encoder(encoder_name)
    with progress_bar(len(sizes) * len(VERBS)) as bar:
        timings = measure_speed(config, encoder, sizes=sizes, repeats=repeats, watch=bar.advance)
    report = speed_report(timings, config, encoder)
    ResultsFolder(out).save("speed", report)
    _print(report, speed_tables, as_json=as_json)


@contextmanager
def _resumable(out: Path, encoder: DiskCachedEncoder) -> Iterator[None]:
    """Keep the embeddings whatever happens, and tell who interrupts where the results are."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"What is done is in {out}; the same command goes on from there.") from None
    finally:
        encoder.save()


def _print(report: Mapping[str, Any], tables: Callable[[Mapping[str, Any]], None], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report))
    else:
        tables(report)
