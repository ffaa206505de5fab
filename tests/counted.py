"""Names that tell how much work it is to find them."""


class CountedName(str):
    """A name that counts how often one is compared with another; set `compared` to 0 before."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other):
        CountedName.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__
