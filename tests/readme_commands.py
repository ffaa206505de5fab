"""The table of commands in the README: `python -m tests.readme_commands` writes it anew."""

from pathlib import Path

from streetai_core.cli import main
from streetai_core.cli.reference import command_table

README = Path(__file__).parent.parent / "README.md"

FIRST, LAST = "<!-- made by tests/readme_commands.py -->\n", "<!-- end of what was made -->\n"


def table_in(text):
    """The table that a page has, `None` if it has none."""
    _, found, rest = text.partition(FIRST)
    table, ended, _ = rest.partition(LAST)
    return table if found and ended else None


def with_table(text):
    """The page with the table as it should be."""
    before, first, rest = text.partition(FIRST)
    return before + first + command_table(main) + LAST + rest.partition(LAST)[2] if first else text


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
