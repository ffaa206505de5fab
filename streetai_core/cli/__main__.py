"""`python -m streetai_core.cli`, for where scripts are not on the path."""

from streetai_core.cli.program import main

main(prog_name="streetai")
