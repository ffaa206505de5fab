"""A memory on one page: static HTML without scripts, made to be kept and mailed."""

from streetai_core.report.page import REPLAYED, report

__all__ = ["REPLAYED", "report"]
