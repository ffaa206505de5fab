"""The table of all commands in the README of this folder, made from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click


def command_table(program: click.Group, name: str = "streetai") -> str:
    """All commands of a program as a Markdown table: how each is called, and what it does."""
    context = click.Context(program, info_name=name)
    rows = [
        f"| `{_cell(usage)}` | {_cell(command.get_short_help_str(limit=200))} |"
        for usage, command in _commands(program, context)
    ]
    return "\n".join(["| command | |", "|---|---|", *rows]) + "\n"


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    """The commands, with those of groups in their place."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from _commands(command, inner)
        else:
            yield _usage(command, inner), command


def _usage(command: click.Command, context: click.Context) -> str:
    """The command with its arguments and the options that it cannot do without."""
    words = [context.command_path.removeprefix(f"{context.find_root().info_name} ")]
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            words.append(_placeholder(parameter, parameter.name or ""))
        elif parameter.required:
            words += [max(parameter.opts, key=len), _placeholder(parameter, parameter.type.name)]
    return " ".join(["streetai", *words])


def _placeholder(parameter: click.Parameter, otherwise: str) -> str:
    """What stands for a value."""
    return (parameter.metavar or otherwise).upper()


def _cell(text: str) -> str:
    """A text in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
