"""Integer arguments whose value a kernel is compiled for."""


class KnownInt(int):
    """The value of an integer argument that is compiled in. Inside the kernel it is a scalar of `type`, as signatures
    spell it ("i32"). A plain int among the constants of a kernel is a `tl.constexpr` instead."""

    def __new__(cls, value, type):
        made = super().__new__(cls, value)
        made.type = type
        return made

    def __getnewargs__(self):
        return int(self), self.type


def of_launch(value):
    """The int `value` in the type that a launch passes it in."""
    types = {"i32": (-(2**31), 2**31), "i64": (-(2**63), 2**63), "u64": (0, 2**64)}
    found = next((type for type, (least, end) in types.items() if least <= value < end), None)
    return value if found is None else KnownInt(value, found)
