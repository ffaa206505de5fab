"""Names and numbers that tell how much work it is to find them."""


class _Counted:
    """Counts how often one of its kind is compared with another; set `compared` to 0 before."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other):
        type(self).compared += 1
        return super().__eq__(other)

    def __hash__(self):
        return super().__hash__()


class CountedName(_Counted, str):
    """A name."""

    __slots__ = ()


class CountedNumber(_Counted, int):
    """A number."""

    __slots__ = ()
