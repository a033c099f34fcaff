"""Barriers of a role, between roles, and of a cluster."""

from ..aggregate import aggregate
from ..builtin import builtin
from ..errors import LanguageError, LanguageValueError
from ..ir import builder
from ..semantic.convert import describe
from .roles import MAX_WARPS, current_role
from .types import check_target, create


@builtin
def barrier():
    """Wait for all warps of the role.

    Blocks of `warp.shared` need none: the compiler inserts barriers between stores and reads. Accesses to global memory
    need one.

    Example:

        >>> def work():
        ...     lanes = tl.arange(0, 8)
        ...     tl.store(out + lanes, tl.load(floats + lanes))
        ...     warp.barrier()
        ...     reversed = tl.load(out + 7 - lanes)
        ...     warp.barrier()
        ...     tl.store(out + lanes, reversed)
        ...
        >>> warp.specialize(warp.role(work, warps=4))
        >>> out
        float32 [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    """
    check_target("warp.barrier")
    current_role("warp.barrier")
    create("warp.barrier", [], [])


@builtin
def cluster_barrier():
    """Wait for all threads of all programs of the cluster.

    Stores of a program to a `warp.shared` of the cluster before it are visible to the others after it. All roles of all
    programs of the cluster pass the same number of these barriers, also roles that only copy.

    Example, of a grid of 2:

        >>> part = warp.shared((8,), tl.float32, cluster=2)
        >>> def work():
        ...     lanes = tl.arange(0, 8)
        ...     part.store(tl.load(floats + 8 * warp.cluster_rank() + lanes))
        ...     warp.cluster_barrier()
        ...     total = part.read(0) + part.read(1)
        ...     warp.cluster_barrier()
        ...     tl.store(out + 8 * warp.cluster_rank() + lanes, total)
        ...
        >>> warp.specialize(warp.role(work, warps=4))
        >>> out
        float32 [8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0]
    """
    check_target("warp.cluster_barrier")
    current_role("warp.cluster_barrier")
    create("warp.cluster_barrier", [], [])


class role_barrier(aggregate):
    """A barrier between roles, made by `warp.named_barrier`. Attribute: `warps`, the number of warps that arrive at it.

    Example:

        >>> ready = warp.named_barrier(8)
        >>> ready.warps
        8
    """

    def __init__(self, number, warps):
        super().__init__((), ("barrier", number))
        self.number, self.warps = number, warps

    def with_parts(self, parts):
        """Itself."""
        return self

    @property
    def type(self):
        """How errors name the type."""
        return f"barrier of {self.warps} warps"

    def _come(self, op, what):
        role = current_role(what)
        if role.warps > self.warps:
            raise LanguageValueError(
                f"{role.warps} warps of {role.name}() come to a barrier of {self.warps}",
                hint="a barrier counts the warps of all roles that wait at it or arrive",
            )
        create(op, [], [], barrier=self.number, warps=self.warps)

    @builtin
    def wait(self):
        """Wait until all its warps, those of this role included, have arrived. Then the barrier starts anew."""
        self._come("warp.named_barrier_wait", "wait")

    @builtin
    def arrive(self):
        """Arrive with the warps of this role, without waiting."""
        self._come("warp.named_barrier_arrive", "arrive")


@builtin
def named_barrier(warps):
    """A barrier for `warps` warps of several roles, as a `role_barrier`; made at the top of a kernel.

    It orders roles, such as two that alternate on the tensor cores; blocks go through rings. The hardware has 16
    barriers. The compiler takes one, one for each role and one for each warpgroup.

    Raises `LanguageValueError` for another number than 1 to 32.

    Example:

        >>> ready = warp.named_barrier(8)
        >>> def first():
        ...     tl.store(out + tl.arange(0, 8), tl.load(floats + tl.arange(0, 8)))
        ...     ready.arrive()
        ...
        >>> def second():
        ...     ready.wait()
        ...     tl.store(out + 8 + tl.arange(0, 8), 2 * tl.load(out + tl.arange(0, 8)))
        ...
        >>> warp.specialize(warp.role(first, warps=4), warp.role(second, warps=4))
        >>> out
        float32 [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]
    """
    check_target("warp.named_barrier")
    if isinstance(warps, bool) or not isinstance(warps, int) or not 1 <= warps <= MAX_WARPS:
        raise LanguageValueError(
            f"1 to {MAX_WARPS} warps come to a barrier, a constant, got {describe(warps)}"
        )
    if current_role() is not None:
        raise LanguageError("a barrier between roles is made at the top of a kernel, before them")
    current = builder()
    current.named_barriers += 1
    return role_barrier(current.named_barriers - 1, warps)
