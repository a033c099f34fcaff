"""How a kernel is compiled, as given at a launch beside its arguments."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Options:
    """Options of a compilation.

    `num_warps`: warps of 32 lanes that run one program on a GPU, a power of two up to 32. `num_stages`:
    depth of software pipelining, 1 to 16. `debug`: checks in the code. The CPU back end takes no notice of
    the first two. Raises `TypeError` and `ValueError`.
    """

    num_warps: int = 4
    num_stages: int = 3
    debug: bool = False

    def __post_init__(self):
        for name in ("num_warps", "num_stages"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} is an int, got {value!r}")
        if self.num_warps not in (1, 2, 4, 8, 16, 32):
            raise ValueError(f"num_warps is 1, 2, 4, 8, 16 or 32, got {self.num_warps}")
        if not 1 <= self.num_stages <= 16:
            raise ValueError(f"num_stages is between 1 and 16, got {self.num_stages}")
        if not isinstance(self.debug, bool):
            raise TypeError(f"debug is True or False, got {self.debug!r}")

    def items(self):
        """Pairs of name and value."""
        return [(field.name, getattr(self, field.name)) for field in fields(self)]


OPTION_NAMES = tuple(field.name for field in fields(Options))
