// Element types as the array protocols spell them.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_ARRAYTYPES_H
#define TILEWRIGHT_PYTHON_LAUNCHER_ARRAYTYPES_H

#include "python/launcher/Argument.h"
#include "python/launcher/DLPack.h"

#include <optional>
#include <string_view>

namespace tilewright::python {

/// Nothing for a type that kernels do not know, here and below.
std::optional<ElementType> elementTypeOf(const dlpack::DataType &type);

/// Of an array interface: "<f4". Big-endian types are not known.
std::optional<ElementType> elementTypeOfTypestr(std::string_view typestr);

/// Of a buffer, in the letters of Python's `struct`; null means bytes.
std::optional<ElementType> elementTypeOfFormat(const char *format);

/// As `spelling` writes it: "fp32".
std::optional<ElementType> elementTypeOfSpelling(std::string_view text);

/// What `elementTypeOf` reads.
dlpack::DataType dlpackTypeOf(ElementType type);

/// Of a dtype: "bfloat16".
std::optional<ElementType> elementTypeOfName(std::string_view name);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_ARRAYTYPES_H
