"""Commands of plug-in packages, found by entry point and imported only when they are used.

A package adds one in its `pyproject.toml`:

    [project.entry-points."streetai.commands"]
    name = "package.module:click_command"
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import click

from streetai_core.cli.wording import one_line
from streetai_core.errors import MissingExtraError

GROUP = "streetai.commands"

_OWN_PREFIX = "streetai_"
"""Our plug-in packages are called so, and what they need is in the extra of the rest of their name."""


class PluginCommands(click.Group):
    """A group whose commands are its own and those of entry points.

    A broken entry point says so when it is used, and harms no other; none replaces a command of the group.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, sorted; nothing is imported."""
        return sorted({*super().list_commands(ctx), *entry_points(group=GROUP).names})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported now; one that only explains itself if that fails."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        found = next(iter(entry_points(group=GROUP, name=cmd_name)), None)
        if found is None:
            return None
        try:
            command = found.load()
        except MissingExtraError as error:
            return _unusable(cmd_name, str(error))
        except Exception as error:  # noqa: BLE001 - somebody else's module may fail in any way, and others must go on
            return _unusable(cmd_name, f"{type(error).__name__}: {error}. {_remedy(found)}")
        if not isinstance(command, click.Command):
            return _unusable(cmd_name, f"{found.value} is not a click command. {_remedy(found)}")
        return command


def _unusable(name: str, reason: str) -> click.Command:
    """A command that takes any arguments and ends with the reason why it cannot run."""
    message = one_line(f"the command {name!r} cannot be used: {reason}")

    def explain() -> None:
        raise click.ClickException(message)

    return click.Command(
        name,
        callback=explain,
        short_help="(cannot be used, run it to see why)",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )


def _remedy(found: EntryPoint) -> str:
    """The line that should repair a plug-in."""
    package = found.module.partition(".")[0]
    if package.startswith(_OWN_PREFIX):
        return f"Install what it needs with: pip install 'streetai[{package.removeprefix(_OWN_PREFIX)}]'"
    distribution = package if found.dist is None else found.dist.name
    return f"Repair it with: pip install --upgrade --force-reinstall {distribution}"
