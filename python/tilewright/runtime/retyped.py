"""Arrays reinterpreted with an element type that their library lacks."""

from ..tensors import check_memory, is_tensor


class Retyped:
    """The array `base` with elements of `dtype`, a type of the language of the same size; a kernel takes it as a pointer
    to those. All else is asked of `base`, a NumPy array or a tensor of torch.

    Raises `TypeError` where the sizes differ.
    """

    def __init__(self, base, dtype):
        bits = 8 * (base.element_size() if hasattr(base, "element_size") else base.dtype.itemsize)
        if bits != dtype.primitive_bitwidth:
            raise TypeError(f"elements of {bits} bits cannot be seen as {dtype}")
        self.base, self.dtype = base, dtype

    def __getattr__(self, name):
        if name.startswith("__") or name == "base":  # protocols would give the elements of the base
            raise AttributeError(name)
        return getattr(self.base, name)

    @property
    def data(self):
        """The array itself."""
        return self.base

    @property
    def device(self):
        """That of the array, "cpu" for one of NumPy."""
        return getattr(self.base, "device", "cpu")

    def data_ptr(self):
        """The address of the first element. Raises as `check_memory` does for a tensor of torch."""
        if is_tensor(self.base):
            check_memory(self.base, "the base")
        return self.base.data_ptr() if hasattr(self.base, "data_ptr") else self.base.ctypes.data

    def element_size(self):
        """The bytes of an element."""
        return self.dtype.primitive_bitwidth // 8

    def __repr__(self):
        return f"<{self.dtype} in {self.base!r}>"


def _same_kind(name):
    def method(self, *args, **kwargs):
        return Retyped(getattr(self.base, name)(*args, **kwargs), self.dtype)

    return method


for _name in ("clone", "contiguous", "copy", "cpu", "cuda", "new_empty", "to"):
    setattr(Retyped, _name, _same_kind(_name))
