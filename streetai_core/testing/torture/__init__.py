"""Programs that try to lose or tear data, on this machine's own disk.

Run one with `python -m streetai_core.testing.torture COMMAND --help`. They touch only files and processes that they
make.
"""
