"""Annotations of a kernel's parameters as types: `n: tl.int64`, `x_ptr: tl.const`."""

from ..language import dtypes
from ..language.dtypes import const, dtype, pointer_type, type_from_signature
from ..language.errors import LanguageTypeError
from ..language.semantic import convert
from ..language.tensor import tensor


def annotated_type(annotation):
    """The number type that an annotation names (`tl.int64`, "i64"), None if it names none."""
    if isinstance(annotation, str):
        name = annotation.rsplit(".", 1)[-1].strip()
        try:
            annotation = getattr(dtypes, name, None) or type_from_signature(name)
        except LanguageTypeError:
            return None
    is_number = isinstance(annotation, dtype) and not annotation.is_block() and not annotation.is_ptr()
    return annotation if is_number and annotation != dtypes.void else None


def is_const(annotation):
    if isinstance(annotation, str):
        return annotation.rsplit(".", 1)[-1].strip() == "const"
    return annotation is const


def as_annotated(name, annotation, value):
    """The argument `value` of the kernel's parameter `name` in the type that it is annotated with.

    Raises `LanguageTypeError` for a value that cannot have this type.
    """
    if is_const(annotation):
        if not isinstance(value, tensor) or not value.dtype.is_ptr():
            raise LanguageTypeError(
                f"argument {name!r} is annotated as a pointer, got {convert.describe(value)}"
            )
        pointer = tensor(value.handle, pointer_type(value.dtype.element_ty, const=True))
        pointer.origin, pointer.extent = value.origin, value.extent
        return pointer
    ty = annotated_type(annotation)
    if ty is None:
        return value
    if convert.is_literal(value) and isinstance(value, float) <= ty.is_floating():
        return convert.constant(value, ty)
    if (
        isinstance(value, tensor)
        and value.dtype.is_floating() <= ty.is_floating()
        and not value.dtype.is_ptr()
    ):
        return convert.cast(value, ty)
    raise LanguageTypeError(f"argument {name!r} is annotated as {ty}, got {convert.describe(value)}")
