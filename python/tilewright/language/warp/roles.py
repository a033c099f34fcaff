"""Roles: warps of one program that run different functions."""

import contextvars
from dataclasses import dataclass

from ..builtin import builtin
from ..errors import LanguageError, LanguageTypeError, LanguageValueError
from ..ir import builder
from ..semantic.convert import describe
from .types import check_target

MAX_WARPS, _MAX_ROLES, _WARPS_PER_GROUP, _LANES = 32, 7, 4, 32
_MAX_REGISTERS = 64 * 1024

_current = contextvars.ContextVar("tilewright_role", default=None)


@dataclass(frozen=True, eq=False)
class Role:
    """A function, the arguments it is called with, and the warps that run it."""

    function: object
    args: tuple
    warps: int
    registers: int | None

    @property
    def name(self):
        """The name in errors."""
        return getattr(self.function, "__name__", "role")

    def run(self):
        """Compile or run the function. Raises `LanguageError` if it returns something."""
        token = _current.set(self)
        try:
            if builder().call(self.function, self.args) is not None:
                raise LanguageError(f"the role {self.name}() returns nothing", hint="store the result")
        finally:
            _current.reset(token)


def current_role(what=None):
    """The current role, or None. With `what`, the name of a function, raises `LanguageError` if there is none."""
    role = _current.get()
    if role is None and what is not None:
        raise LanguageError(
            f"{what} stands in a role: the warps that run it are to be known",
            hint="put it into a function that warp.specialize gives to a role",
        )
    return role


def _check_warps(warps):
    if isinstance(warps, bool) or not isinstance(warps, int) or not 1 <= warps <= MAX_WARPS:
        raise LanguageValueError(f"a role has 1 to {MAX_WARPS} warps, a constant, got {describe(warps)}")


def _check_registers(warps, registers):
    if registers is None:
        return
    if isinstance(registers, bool) or not isinstance(registers, int):
        raise LanguageTypeError(f"the registers of a role are a constant, got {describe(registers)}")
    if registers % 8 or not 24 <= registers <= 240:
        raise LanguageValueError(f"a thread has 24 to 240 registers, a multiple of 8, got {registers}")
    if warps % _WARPS_PER_GROUP:
        raise LanguageValueError(
            f"registers are given to warpgroups of {_WARPS_PER_GROUP} warps, and this role has {warps}",
            hint=f"give it {-(-warps // _WARPS_PER_GROUP) * _WARPS_PER_GROUP} warps; those that have nothing to do wait",
        )


@builtin
def role(function, *args, warps, registers=None):
    """`function`, called with `args`, as a role of `warps` warps, for `warp.specialize`.

    The function is one defined inside the kernel, which sees the kernel's variables, or one decorated with `@tw.jit`.
    `registers` is the budget of each thread, a multiple of 8 from 24 to 240. If one role has a budget, all do, and all
    have whole warpgroups of 4 warps. Roles that compute on blocks have a power of two of warps, the same in all.

    Raises `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> def low(block):
        ...     tl.store(out + tl.arange(0, 4), block)
        ...
        >>> def high():
        ...     tl.store(out + 4 + tl.arange(0, 4), tl.load(floats + 4 + tl.arange(0, 4)))
        ...
        >>> warp.specialize(
        ...     warp.role(low, 7.0, warps=4, registers=240),
        ...     warp.role(high, warps=4, registers=24),
        ... )
        >>> out
        float32 [7.0, 7.0, 7.0, 7.0, 4.0, 5.0, 6.0, 7.0]
    """
    if not getattr(type(function), "is_kernel_function", False):
        raise LanguageTypeError(
            f"a role runs a function, got {describe(function)}",
            hint="define it inside the kernel, or decorate it with @tw.jit",
        )
    _check_warps(warps)
    _check_registers(warps, registers)
    return Role(function, args, warps, registers)


def _check_roles(roles):
    for given in roles:
        if not isinstance(given, Role):
            raise LanguageTypeError(
                f"warp.specialize takes roles, got {describe(given)}", hint="make them with warp.role(...)"
            )
    if not 1 <= len(roles) <= _MAX_ROLES:
        raise LanguageValueError(f"a kernel has 1 to {_MAX_ROLES} roles, got {len(roles)}")
    warps = sum(given.warps for given in roles)
    if warps > MAX_WARPS:
        raise LanguageValueError(f"the roles have at most {MAX_WARPS} warps together, got {warps}")
    budgets = [given.registers for given in roles]
    if None in budgets and any(budgets):
        raise LanguageValueError("either all roles have a budget of registers or none has")
    registers = sum(given.warps * _LANES * (given.registers or 0) for given in roles)
    if registers > _MAX_REGISTERS:
        raise LanguageValueError(
            f"the roles ask for {registers} registers, a multiprocessor has {_MAX_REGISTERS}",
            hint="give fewer to some of them",
        )


@builtin
def specialize(*roles):
    """Give the warps of the program to `roles`, made by `warp.role`, which run at the same time.

    Called once, at the top of a kernel. The code before it computes scalars, descriptors and rings for all roles. Values
    of a role are its own; rings pass blocks between roles. The launch's `num_warps` has no effect.

    Raises `LanguageTypeError` and `LanguageValueError`.

    Example:

        >>> rows = tl.make_tensor_descriptor(floats, [8, 8], [8, 1], [8, 8])
        >>> ring = warp.ring(2, rows)
        >>> def fill():
        ...     slot = ring.acquire()
        ...     slot.load(0, rows, [0, 0])
        ...     ring.commit(slot)
        ...
        >>> def read():
        ...     slot = ring.wait()
        ...     tl.store(out + tl.arange(0, 8), tl.sum(slot[0].read(), 1))
        ...     ring.release(slot)
        ...
        >>> warp.specialize(warp.role(read, warps=4), warp.role(fill, warps=1))
        >>> out
        float32 [28.0, 92.0, 156.0, 220.0, 284.0, 348.0, 412.0, 476.0]
    """
    check_target("warp.specialize")
    if current_role() is not None:
        raise LanguageError("a role has no roles of its own")
    _check_roles(roles)
    # Whole warpgroups first, so that wgmma roles start at a multiple of four warps.
    builder().specialize(sorted(roles, key=lambda given: given.warps % _WARPS_PER_GROUP != 0))
