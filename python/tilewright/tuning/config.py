"""One way to compile a kernel."""

from collections.abc import Mapping

from ..errors import TilewrightError


class AutotunerError(TilewrightError):
    """No configuration of an autotuned kernel is left, or none of them works."""


class Config:
    """Values for constexpr parameters and options of a kernel, one candidate of `autotune`.

    Args:
        kwargs: values by the names of parameters, such as `{"BLOCK": 128}`.
        num_warps, num_stages, num_ctas, maxnreg: options of the launch, see `Options`.
        pre_hook: called before each launch with this configuration, with a dict of all arguments by name.
        ir_override: the name of a file with an edited stage, which existing code gives: a launch with one raises
            `ValueError`, as a kernel is compiled from its source.

    Raises `TypeError` for kwargs that are no dict.

    Two are equal if all but their hooks are.

    Example:

        >>> import tilewright as tw
        >>> tw.Config({"BLOCK": 128}, num_warps=8).all_kwargs()
        {'BLOCK': 128, 'num_warps': 8, 'num_ctas': 1, 'num_stages': 3}
    """

    def __init__(
        self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None
    ):
        if not isinstance(kwargs, Mapping):
            raise TypeError(
                f"kwargs of a Config is a dict of values by the names of parameters, got {kwargs!r}"
            )
        self.kwargs = dict(kwargs)
        self.num_warps, self.num_stages = num_warps, num_stages
        self.num_ctas, self.maxnreg = num_ctas, maxnreg
        self.pre_hook, self.ir_override = pre_hook, ir_override

    def all_kwargs(self):
        """The keyword arguments that it adds to a launch."""
        options = {
            "num_warps": self.num_warps,
            "num_ctas": self.num_ctas,
            "num_stages": self.num_stages,
            "maxnreg": self.maxnreg,
            "ir_override": self.ir_override,
        }
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __repr__(self):
        return f"<tilewright.Config {self}>"

    def __eq__(self, other):
        return isinstance(other, Config) and self.all_kwargs() == other.all_kwargs()

    def __hash__(self):
        return hash(str(self))
