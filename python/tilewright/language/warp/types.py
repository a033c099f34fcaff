"""The types of blocks, rings and slots in shared memory."""

from ..dtypes import block_type, dtype
from ..errors import LanguageError, LanguageTypeError, LanguageValueError
from ..ir import builder
from ..semantic.convert import describe
from ..semantic.shape import as_shape
from ..tensor import tensor
from ..tiles import tensor_descriptor

TARGET = "sm_90a"
_MAX_DIM = 1 << 12
_CLUSTERS = (1, 2, 4, 8)


class shared_type(dtype):
    """A block of `element_ty` in shared memory, as the tensor memory accelerator writes it."""

    def __init__(self, element_ty, shape):
        self.element_ty, self.dims = element_ty, tuple(shape)
        self.name = f"{list(self.dims)} of {element_ty}"

    @property
    def ir(self):
        """The spelling of this type in the IR."""
        return f"!warp.shared<{'x'.join(map(str, self.dims))}x{self.element_ty.ir}>"

    @property
    def block(self):
        """The type of the block in registers."""
        return block_type(self.element_ty, self.dims)


class ring_type(dtype):
    """A ring of `num_slots` slots that hold `tiles` each, in each of `cluster` thread blocks."""

    def __init__(self, num_slots, tiles, cluster):
        self.num_slots, self.tiles, self.cluster = num_slots, tuple(tiles), cluster
        self.name = f"ring of {num_slots} slots of {', '.join(tile.name for tile in self.tiles)}"

    @property
    def ir(self):
        """The spelling of this type in the IR."""
        tiles = ", ".join(tile.ir for tile in self.tiles)
        cluster = f", cluster {self.cluster}" if self.cluster > 1 else ""
        return f"!warp.ring<{self.num_slots} x {{{tiles}}}, transactions{cluster}>"


class slot_type(dtype):
    """A slot of a ring, in each of `cluster` thread blocks."""

    def __init__(self, cluster):
        self.name, self.cluster = "slot", cluster

    @property
    def ir(self):
        """The spelling of this type in the IR."""
        return f"!warp.slot<cluster {self.cluster}>" if self.cluster > 1 else "!warp.slot"


def tile_type(given):
    """The type of a block in shared memory that `given` names: a tensor descriptor, for its blocks, a
    `tl.block_type`, or a pair of shape and element type.

    Raises `LanguageTypeError` and `LanguageValueError` for anything else.
    """
    if isinstance(given, tensor_descriptor):
        shape, element = _without_leading_ones(given.block_shape), given.dtype
    elif isinstance(given, block_type):
        shape, element = given.shape, given.element_ty
    elif isinstance(given, tuple) and len(given) == 2:
        shape, element = given
    else:
        raise LanguageTypeError(
            "a block of shared memory is given as a tensor descriptor, a tl.block_type or "
            f"a pair (shape, dtype), got {describe(given)}"
        )
    return shared_type(_element(element), _dims(shape))


def check_cluster(cluster):
    """Raise `LanguageValueError` for an unsupported number of thread blocks in a cluster."""
    if isinstance(cluster, bool) or cluster not in _CLUSTERS:
        raise LanguageValueError(f"a cluster has 1, 2, 4 or 8 thread blocks, got {describe(cluster)}")


def _without_leading_ones(shape):
    shape = tuple(shape)
    while len(shape) > 2 and shape[0] == 1:
        shape = shape[1:]
    return shape


def _element(element):
    is_number = isinstance(element, dtype) and (element.is_int() or element.is_floating())
    if not is_number or element.is_bool() or element.is_stored_float():
        raise LanguageTypeError(f"shared memory holds numbers to compute with, got {describe(element)}")
    return element


def _dims(shape):
    shape = as_shape(
        (tuple(shape),) if isinstance(shape, (tuple, list)) else (shape,), "a block in shared memory"
    )
    wrong = [dim for dim in shape if dim & (dim - 1) or dim > _MAX_DIM]
    if wrong or not 1 <= len(shape) <= 5:
        raise LanguageValueError(
            "a block in shared memory has one to five dimensions, which are powers of two up to "
            f"{_MAX_DIM}, got {list(shape)}"
        )
    return shape


def check_target(what):
    """Raise `LanguageError` if the target cannot run `what`, the name of a function of this module."""
    target = builder().warp_target
    if target in ("interpreter", TARGET):
        return
    if not target.startswith("sm_"):
        raise LanguageError(
            f"{what} is for GPUs: the CPU back end has no rings, roles and wgmma",
            hint="launch the kernel on a GPU, or try it in the interpreter (TILEWRIGHT_INTERPRET=1)",
        )
    raise LanguageError(f"{what} needs {TARGET}, Hopper's GPUs, and the target is {target}")


def create(op, operands, types, **attrs):
    """The handles of the results of an op; `types` None: the op infers them."""
    return builder().create(op, [operand.handle for operand in operands], types, attrs)


def create_one(op, operands, ty, **attrs):
    """The one result of an op, of type `ty`, as a tensor."""
    (handle,) = create(op, operands, [ty], **attrs)
    return tensor(handle, ty)
