"""Arrays on the CPU and on CUDA devices, for programs that bring no array library along.

    x = tw.from_numpy(np.arange(1024, dtype=np.float32))      # on the GPU where there is one
    out = tw.empty(x.shape, x.dtype)
    kernel[(8,)](x, out, 1024)
    print(tw.to_numpy(out))

Memory of a device comes from a stream-ordered pool: making and freeing an array wait for nothing. An array that does
not fit raises `tilewright.OutOfMemory`, after the pool has released its unused memory.
"""

import math
import operator
import reprlib

import numpy as np

from ._tilewright import cuda as _driver
from .array_types import numpy_dtype, spelling_of
from .devices import cuda_available, name_of, ordinal_of
from .streams import Stream, handle_of, owner_of
from .tensors import check_memory, is_tensor


def _row_major(shape):
    """The strides, in elements, of an array without gaps."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def _pinned_memory(array):
    """The page-locked memory of ours in which a NumPy array lies; None for other memory."""
    while isinstance(array, np.ndarray):
        array = array.base
    memory = array.obj if isinstance(array, memoryview) else array
    return memory if isinstance(memory, _driver.PinnedMemory) else None


class _HostView:
    """Memory of an array on the CPU, as NumPy takes it; bits, since NumPy has no letter for some types."""

    def __init__(self, array):
        self._array, size = array, array.dtype.itemsize
        self.__array_interface__ = {
            "shape": array.shape,
            "typestr": f"<u{size}",
            "data": (array.address, array.read_only),
            "strides": array.strides,
            "version": 3,
        }


class Array(_driver.ArrayBase):
    """An array of one element type on one device, made by the functions of this module.

    `shape`, `strides` (in bytes, as NumPy's), `dtype` (NumPy's), `device` ("cpu", "cuda:0"), `address`, `read_only`.
    Kernels take it as a pointer. It is freed with the object, in the order of the stream on which it was made. If other
    streams used it, or the stream is another library's, freeing waits for the device.

    Example:

        >>> import tilewright as tw
        >>> x = tw.zeros((2, 3), "float16", device="cpu")
        >>> x.shape, x.strides, x.nbytes, x.device
        ((2, 3), (6, 2), 12, 'cpu')
        >>> x.reshape(-1).shape
        (6,)
    """

    def __init__(self, shape, spelling, ordinal, address, holder, strides=None, read_only=False):
        super().__init__(address, spelling, ordinal, read_only, holder)
        self.shape, self.dtype = tuple(shape), numpy_dtype(spelling)
        self._steps = _row_major(self.shape) if strides is None else tuple(strides)  # in elements
        self.ordinal = ordinal

    @property
    def device(self):
        """ "cpu" or "cuda:NUMBER"."""
        return name_of(self.ordinal)

    @property
    def strides(self):
        """The bytes from one element to the next along each axis."""
        return tuple(step * self.dtype.itemsize for step in self._steps)

    @property
    def size(self):
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

    @property
    def nbytes(self):
        """The bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def is_contiguous(self):
        """Whether its elements follow each other in row-major order."""
        return self.size < 2 or all(
            size == 1 or have == want
            for size, have, want in zip(self.shape, self._steps, _row_major(self.shape))
        )

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def reshape(self, *shape):
        """The same memory with another shape. One dimension may be -1. Raises `ValueError` if it does not
        fit."""
        shape = _shape(shape[0] if len(shape) == 1 else shape, unknown=True)
        known = math.prod(dim for dim in shape if dim >= 0)
        if -1 in shape and known and self.size % known == 0:
            shape = tuple(self.size // known if dim < 0 else dim for dim in shape)
        if -1 in shape or math.prod(shape) != self.size:
            raise ValueError(f"cannot reshape an array of shape {list(self.shape)} to {list(shape)}")
        self._need_contiguous("reshape")
        return Array(
            shape,
            spelling_of(self.dtype),
            self.ordinal,
            self.address,
            self.holder,
            read_only=self.read_only,
        )

    def _need_contiguous(self, what):
        if not self.is_contiguous:
            raise ValueError(
                f"{what} needs an array in row-major order, got strides {list(self.strides)} "
                f"of shape {list(self.shape)}"
            )

    def _host_view(self):
        """The elements on the CPU as a NumPy array over the same memory."""
        view = np.asarray(_HostView(self))
        return view.view(self.dtype)

    def _use(self, stream):
        """The handle of a stream that is about to use the memory."""
        handle = handle_of(stream, self.ordinal)
        if isinstance(self.holder, _driver.DeviceMemory):
            self.holder.note_use(handle)
        return handle

    def copy_from(self, source, stream=None):
        """Copy a NumPy array or an `Array` of the same shape and dtype into this one, which is given back.

        Queued on `stream` (None: the current one). A NumPy array may be changed when this returns, unless it is
        `pinned`. Raises `ValueError` for another shape or dtype.
        """
        if tuple(source.shape) != self.shape or source.dtype != self.dtype:
            raise ValueError(
                f"cannot copy {source.dtype} of shape {list(source.shape)} "
                f"to {self.dtype} of shape {list(self.shape)}"
            )
        if self.read_only:
            raise ValueError("cannot copy to an array that is read-only")
        if isinstance(source, Array) and source.ordinal != self.ordinal:
            source = source.to_numpy()
        if self.ordinal < 0:
            np.copyto(self._host_view(), source._host_view() if isinstance(source, Array) else source)
            return self
        self._need_contiguous("a copy to a device")
        handle = self._use(stream)
        if isinstance(source, Array):
            source._need_contiguous("a copy on a device")
            source._use(stream)
            _driver.copy_on_device(self.ordinal, self.address, source.address, self.nbytes, handle)
            return self
        source = np.ascontiguousarray(source)
        _driver.upload(
            self.ordinal, self.address, source.ctypes.data, self.nbytes, handle, _pinned_memory(source)
        )
        return self

    def to_numpy(self, out=None, stream=None):
        """A copy as a NumPy array, when the work before on `stream` (None: the current one) is done.

        With `out`, a contiguous array of the same shape and dtype, into that; where it is `pinned` the copy is
        only queued, and done when the stream is.
        """
        if out is None:
            out = np.empty(self.shape, self.dtype)
        elif out.shape != self.shape or out.dtype != self.dtype or not out.flags.c_contiguous:
            raise ValueError(
                f"out is {out.dtype} of shape {list(out.shape)}, "
                f"not a contiguous array of {self.dtype} of shape {list(self.shape)}"
            )
        if self.ordinal < 0:
            np.copyto(out, self._host_view())
            return out
        self._need_contiguous("a copy from a device")
        _driver.download(
            self.ordinal, out.ctypes.data, self.address, self.nbytes, self._use(stream), _pinned_memory(out)
        )
        return out

    numpy = to_numpy

    def __array__(self, dtype=None, copy=None):
        if self.ordinal >= 0:
            raise TypeError(f"the array is on {self.device}; to_numpy() copies it to the host")
        view = self._host_view()
        return np.array(view, dtype, copy=True) if copy else view.astype(dtype or self.dtype, copy=False)

    @property
    def __cuda_array_interface__(self):
        """Version 3 of the interface; only of arrays on CUDA devices whose type it has a letter for."""
        if self.ordinal < 0 or self.dtype.kind == "V" or self.dtype.name.startswith(("bfloat16", "float8_e")):
            raise AttributeError(f"arrays of {self.dtype} on {self.device} have no CUDA array interface")
        if isinstance(self.holder, _driver.DeviceMemory):
            self.holder.share()  # it is unknown when the other library is done
        strides = None if self.is_contiguous else self.strides
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, self.read_only),
            "strides": strides,
            "version": 3,
            "stream": handle_of(None, self.ordinal) or 1,
        }

    def __dlpack_device__(self):
        """DLPack's type and number of the device."""
        return (1, 0) if self.ordinal < 0 else (2, self.ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule with this array; `stream` (DLPack's number) is made to wait for the current one.

        Raises `BufferError` for a copy or another device, which are not supported. Raises it also for read-only arrays if
        the consumer's DLPack version lacks the read-only flag.
        """
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("an array is given as it is, on its own device")
        versioned = max_version is not None and tuple(max_version) >= (1, 0)
        if self.read_only and not versioned:
            raise BufferError("a read-only array needs DLPack 1.0 or newer")
        if self.ordinal >= 0 and stream != -1:
            consumer, own = {None: 0, 1: 0}.get(stream, stream), handle_of(None, self.ordinal)
            if consumer != own:
                ready = Stream(self.ordinal, handle=own).record_event()
                Stream(self.ordinal, handle=consumer).wait(ready)
        return _driver.dlpack_export(self, list(self.shape), list(self._steps), versioned)

    def __repr__(self):
        return f"<tilewright array of {self.dtype}, shape {list(self.shape)}, on {self.device}>"


def _shape(shape, unknown=False):
    """The dimensions as a tuple of ints."""
    try:
        dims = tuple(map(operator.index, shape if hasattr(shape, "__len__") else (shape,)))
    except TypeError:
        raise TypeError(f"the dimensions of an array are ints, got {reprlib.repr(shape)}") from None
    if any(dim < (-1 if unknown else 0) for dim in dims) or dims.count(-1) > 1:
        raise ValueError(f"the dimensions of an array are not negative, got {list(dims)}")
    return dims


def empty(shape, dtype=np.float32, device=None, stream=None):
    """An `Array` whose content is not set.

    `shape` is an int or several; `dtype` a type of NumPy, ml_dtypes, torch or the language, or its name; `device`
    "cpu", "cuda", "cuda:1", a number, or None for the current GPU where there is one and else the CPU. Work
    queued on `stream` (None: the current one) from now on may use it; other streams wait for that one. Raises
    `OutOfMemory` with the numbers, `ValueError` and `TypeError` for invalid arguments.

    Example:

        >>> import tilewright as tw
        >>> tw.empty((2, 3), "float32", device="cpu")
        <tilewright array of float32, shape [2, 3], on cpu>
    """
    dims, spelling, ordinal = _shape(shape), spelling_of(dtype), ordinal_of(device)
    bytes_ = math.prod(dims) * numpy_dtype(spelling).itemsize
    if ordinal < 0:
        # Aligned for every vector unit, and for copies by whole cache lines.
        raw = np.empty(bytes_ + 64, np.uint8)
        raw = raw[-raw.ctypes.data % 64 :]
        return Array(dims, spelling, ordinal, raw.ctypes.data, raw)
    memory = _driver.DeviceMemory(ordinal, bytes_, handle_of(stream, ordinal), owner_of(stream, ordinal))
    return Array(dims, spelling, ordinal, memory.address, memory)


def zeros(shape, dtype=np.float32, device=None, stream=None):
    """An `Array` of zeros; see `empty`.

    Example:

        >>> import tilewright as tw
        >>> tw.to_numpy(tw.zeros(3, device="cpu"))
        array([0., 0., 0.], dtype=float32)
    """
    array = empty(shape, dtype, device, stream)
    if array.ordinal < 0:
        array._host_view()[...] = 0
    elif array.nbytes:
        _driver.fill(array.ordinal, array.address, 0, array.nbytes, handle_of(stream, array.ordinal))
    return array


def from_numpy(array, device=None, stream=None):
    """A copy of a NumPy array, or of a value that converts to one, on a device; see `empty` and `Array.copy_from`.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> tw.from_numpy(np.arange(3, dtype=np.int32), device="cpu")
        <tilewright array of int32, shape [3], on cpu>
    """
    array = np.asarray(array)
    return empty(array.shape, array.dtype, device, stream).copy_from(array, stream)


def to_numpy(array, out=None, stream=None):
    """A copy of an `Array` as a NumPy array; see `Array.to_numpy`.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> tw.to_numpy(tw.from_numpy(np.arange(3), device="cpu"))
        array([0, 1, 2])
    """
    if not hasattr(array, "to_numpy"):
        raise TypeError(f"to_numpy copies an array of Tilewright, got one of type {type(array).__name__!r}")
    return array.to_numpy(out, stream)


def pinned(shape, dtype=np.float32, device=None):
    """A NumPy array in page-locked memory, from and to which a GPU copies by itself while the program goes on.

    Where there is no GPU, or `device` is the CPU, an array in plain memory. Wait for the stream before the
    memory is used again. Raises `OutOfMemory` when no more memory can be locked.

    Example:

        >>> import tilewright as tw
        >>> tw.pinned((2, 3), device="cpu").shape
        (2, 3)
    """
    dims, ordinal = _shape(shape), -1
    if device is not None or cuda_available():
        ordinal = ordinal_of(device)
    dtype = numpy_dtype(spelling_of(dtype))
    count = math.prod(dims)
    if ordinal < 0 or count == 0:
        return np.empty(dims, dtype)
    return np.frombuffer(_driver.PinnedMemory(ordinal, count * dtype.itemsize), dtype).reshape(dims)


def from_dlpack(source):
    """An `Array` over the memory of an object with `__dlpack__`, such as a torch tensor. Nothing is copied.

    Later work on the current stream waits for the work that the other library has queued. Raises
    `TypeError` for element types that no kernel takes, and `ValueError` for devices without kernels. Torch tensors
    whose memory does not hold their values raise either.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> x = np.arange(3, dtype=np.float32)
        >>> tw.to_numpy(tw.from_dlpack(x))
        array([0., 1., 2.], dtype=float32)
    """
    if not hasattr(source, "__dlpack_device__"):
        raise TypeError(
            f"from_dlpack takes what has __dlpack__, such as a tensor of torch, got {source!r:.80}"
        )
    if is_tensor(source):
        check_memory(source, "from_dlpack")
    kind, number = source.__dlpack_device__()
    asked = {}
    if kind == 2:
        # DLPack's name of the default stream is 1.
        asked["stream"] = handle_of(None, number) or 1
    try:
        capsule = source.__dlpack__(max_version=(1, 0), **asked)
    except TypeError:  # from before DLPack 1.0
        capsule = source.__dlpack__(**asked)
    found = _driver.dlpack_import(capsule)
    return Array(
        found["shape"],
        found["type"],
        found["cuda_device"],
        found["address"],
        found["holder"],
        strides=found["strides"],
        read_only=found["read_only"],
    )
