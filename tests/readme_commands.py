"""The table on the page of the command line: `python -m tests.readme_commands` writes it anew."""

from streetai_core.cli import main
from streetai_core.cli.reference import command_table
from tests.readme_pages import COMMANDS, ROOT, text_of

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
    (ROOT / COMMANDS).write_text(with_table(text_of(COMMANDS)), encoding="utf-8")
