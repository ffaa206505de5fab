"""Colours that people with any kind of colour vision tell apart, and that stay apart when printed in grey."""

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"
BROWN = "#8c6d31"

SERIES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BROWN)
"""The colours of Okabe and Ito (2008), with a brown in place of their yellow, which is too light on white."""

MUTED = "#b8bec6"
"""What is there for comparison."""
INK = "#22272e"
LINE = "#dfe3e8"
"""Axes and grids."""
