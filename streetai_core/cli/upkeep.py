"""`streetai doctor`, `backup`, `restore` and `salvage`: looking after a database file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streetai_core.cli.opening import file_argument, json_option
from streetai_core.cli.plain_values import print_json
from streetai_core.cli.usage import GivenPath
from streetai_core.cli.wording import counted, counted_rows, one_line

if TYPE_CHECKING:
    from streetai_core.upkeep.backup import Backup
    from streetai_core.upkeep.health import Health
    from streetai_core.upkeep.salvage import Salvage

UNHEALTHY, UNREADABLE = 1, 2
"""Exit codes of `doctor`; 0: nothing to do."""

_LOST = 1
"""Exit code of `salvage` where not everything could be saved."""


@click.command(
    "doctor", short_help="Examine a database: is it whole?", epilog="Example: streetai doctor memory.db --json"
)
@file_argument
@json_option
@click.pass_context
def doctor_command(context: click.Context, file: Path, *, as_json: bool) -> None:
    """Examine the database FILE: is it whole, and what is going to go wrong.

    Exit code 0: nothing to do; 1: damage or a problem was found; 2: the file cannot be read. Changes nothing; others
    may use the file meanwhile.
    """
    from streetai_core.upkeep.doctor import examine

    health = examine(file)
    if as_json:
        print_json(health.to_dict())
    else:
        click.echo("\n".join(_health_lines(health)))
    if not health.readable:
        context.exit(UNREADABLE)
    context.exit(0 if health.healthy else UNHEALTHY)


@click.command(
    "backup",
    short_help="Copy a database that may be in use.",
    epilog="Example: streetai backup memory.db -o monday.db",
)
@file_argument
@click.option("-o", "--output", required=True, type=GivenPath(), help="The copy to make.")
@click.option("--force", "overwrite", is_flag=True, help="Replace the copy if it is there.")
@json_option
def backup_command(file: Path, output: Path, *, overwrite: bool, as_json: bool) -> None:
    """Copy the database FILE as it is now, whole and verified, while others use it."""
    from streetai_core.upkeep.backup import back_up

    _tell(back_up(file, output, overwrite=overwrite), as_json=as_json)


@click.command(
    "restore",
    short_help="Put a backup in the place of a database.",
    epilog="Example: streetai restore monday.db -o memory.db --force",
)
@click.argument("backup", type=GivenPath())
@click.option("-o", "--output", required=True, type=GivenPath(), help="Where the database is to be.")
@click.option("--force", "overwrite", is_flag=True, help="Replace the database that is there.")
@json_option
def restore_command(backup: Path, output: Path, *, overwrite: bool, as_json: bool) -> None:
    """Verify BACKUP, and put it in the place of a database."""
    from streetai_core.upkeep.backup import restore

    _tell(restore(backup, output, overwrite=overwrite), as_json=as_json)


@click.command(
    "salvage",
    short_help="Save what is whole in a damaged database.",
    epilog="Example: streetai salvage memory.db -o saved.db",
)
@file_argument
@click.option("-o", "--output", required=True, type=GivenPath(), help="The new database to make.")
@json_option
@click.pass_context
def salvage_command(context: click.Context, file: Path, output: Path, *, as_json: bool) -> None:
    """Write what is whole in the damaged database FILE into a new one.

    Exit code 0: all of it; 1: something was lost, or may be, or nothing could be saved. FILE is not changed.
    """
    from streetai_core.upkeep.salvage import salvage

    saved = salvage(file, output)
    if as_json:
        print_json(saved.to_dict())
    else:
        click.echo("\n".join(_salvage_lines(saved)))
    context.exit(0 if saved.complete else _LOST)


COMMANDS = (backup_command, doctor_command, restore_command, salvage_command)


def _health_lines(health: Health) -> list[str]:
    state = "healthy" if health.healthy else "not healthy" if health.readable else "cannot be read"
    lines = [f"{one_line(health.path)}: {state}"]
    if health.readable:
        lines.append(
            f"{health.size_bytes} bytes, {health.free_bytes} of them free, {health.log_bytes} in the log; "
            f"schema {health.schema_version}, SQLite {health.sqlite_version}"
        )
    for memory in health.memories:
        rows = ", ".join(counted_rows(memory.rows[table], table) for table in ("messages", "signals", "stacks"))
        lines.append(f"  {one_line(memory.memory_id)}: {rows}{'' if memory.whole else ', DAMAGED'}")
    for finding in health.findings:
        lines += [f"{finding.severity}: {one_line(finding.what)}", f"  {one_line(finding.advice)}"]
    return lines


def _salvage_lines(saved: Salvage) -> list[str]:
    lines = [f"{one_line(saved.path)}: {'everything' if saved.complete else 'a part'} was saved"]
    for memory in saved.memories:
        lines.append(f"  {one_line(memory.memory_id)}: {_counted(memory.rows)}")
        lost = {table: number for table, number in memory.lost.items() if table != "memories"}
        if lost:
            lines.append(f"    lost: {_counted(lost)}")
        if len(lost) < len(memory.lost):
            lines.append("    lost: its own row (its encoder, counts of its rows); what else may be lost is not known")
        if memory.without_vectors:
            without = counted(len(memory.without_vectors), "message has", "messages have")
            lines.append(f"    {without} lost all vectors; --json lists them")
    if saved.without_rows:
        lines.append(f"  {counted(saved.without_rows, 'memory is', 'memories are')} lost with all messages")
    return lines


def _tell(backup: Backup, *, as_json: bool) -> None:
    if as_json:
        print_json({"path": backup.path, "size_bytes": backup.size_bytes, "memories": dict(backup.memories)})
        return
    messages = counted(sum(backup.memories.values()), "message", "messages")
    memories = counted(len(backup.memories), "memory", "memories")
    click.echo(f"{one_line(backup.path)}: {memories} with {messages}, {backup.size_bytes:,} bytes, verified")


def _counted(rows: Mapping[str, int]) -> str:
    return ", ".join(counted_rows(number, table) for table, number in rows.items()) or "nothing"
