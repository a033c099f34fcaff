// Element types in the spelling of the array protocols.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_ARRAYTYPES_H
#define TILEWRIGHT_PYTHON_LAUNCHER_ARRAYTYPES_H

#include "python/launcher/Argument.h"
#include "python/launcher/DLPack.h"

#include <optional>
#include <string_view>

namespace tilewright::python {

/// Here and below: nothing for types that kernels do not support.
std::optional<ElementType> elementTypeOf(const dlpack::DataType &type);

/// For a typestr of an array interface: "<f4". Big-endian types are
/// unsupported.
std::optional<ElementType> elementTypeOfTypestr(std::string_view typestr);

/// For a format of a buffer, in the letters of Python's `struct`; null means
/// bytes.
std::optional<ElementType> elementTypeOfFormat(const char *format);

/// Inverse of `spelling`: "fp32".
std::optional<ElementType> elementTypeOfSpelling(std::string_view text);

/// Inverse of `elementTypeOf`.
dlpack::DataType dlpackTypeOf(ElementType type);

/// For the name of a dtype: "bfloat16".
std::optional<ElementType> elementTypeOfName(std::string_view name);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_ARRAYTYPES_H
