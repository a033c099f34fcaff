#include "python/launcher/ArrayTypes.h"

#include <utility>

namespace tilewright::python {

using Type = ElementType;

static std::optional<Type> signedOf(unsigned bytes) {
  switch (bytes) {
  case 1:
    return Type::I8;
  case 2:
    return Type::I16;
  case 4:
    return Type::I32;
  case 8:
    return Type::I64;
  default:
    return std::nullopt;
  }
}

static std::optional<Type> unsignedOf(unsigned bytes) {
  switch (bytes) {
  case 1:
    return Type::U8;
  case 2:
    return Type::U16;
  case 4:
    return Type::U32;
  case 8:
    return Type::U64;
  default:
    return std::nullopt;
  }
}

static std::optional<Type> floatOf(unsigned bytes) {
  switch (bytes) {
  case 2:
    return Type::F16;
  case 4:
    return Type::F32;
  case 8:
    return Type::F64;
  default:
    return std::nullopt;
  }
}

std::optional<Type> elementTypeOf(const dlpack::DataType &type) {
  if (type.lanes != 1 || type.bits % 8)
    return std::nullopt;
  const unsigned bytes = type.bits / 8;
  switch (type.code) {
  case dlpack::kInt:
    return signedOf(bytes);
  case dlpack::kUInt:
    return unsignedOf(bytes);
  case dlpack::kFloat:
    return floatOf(bytes);
  case dlpack::kBFloat:
    return bytes == 2 ? std::optional(Type::BF16) : std::nullopt;
  case dlpack::kBool:
    return bytes == 1 ? std::optional(Type::I1) : std::nullopt;
  case dlpack::kFloat8E4M3FN:
    return Type::F8E4M3FN;
  case dlpack::kFloat8E4M3FNUZ:
    return Type::F8E4M3FNUZ;
  case dlpack::kFloat8E5M2:
    return Type::F8E5M2;
  case dlpack::kFloat8E5M2FNUZ:
    return Type::F8E5M2FNUZ;
  default:
    return std::nullopt;
  }
}

std::optional<Type> elementTypeOfTypestr(std::string_view typestr) {
  if (typestr.size() != 3 || typestr[0] == '>')
    return std::nullopt;
  const unsigned bytes = typestr[2] - '0';
  switch (typestr[1]) {
  case 'b':
    return bytes == 1 ? std::optional(Type::I1) : std::nullopt;
  case 'i':
    return signedOf(bytes);
  case 'u':
    return unsignedOf(bytes);
  case 'f':
    return floatOf(bytes);
  default:
    return std::nullopt;
  }
}

std::optional<Type> elementTypeOfFormat(const char *format) {
  std::string_view letters = format ? format : "B";
  if (!letters.empty() &&
      std::string_view("@=<").find(letters[0]) != std::string_view::npos)
    letters.remove_prefix(1);
  if (letters.size() != 1)
    return std::nullopt;
  switch (letters[0]) {
  case '?':
    return Type::I1;
  case 'b':
    return Type::I8;
  case 'h':
    return Type::I16;
  case 'i':
    return Type::I32;
  // NumPy writes native formats, where `l` is a C long.
  case 'l':
  case 'q':
    return Type::I64;
  case 'B':
    return Type::U8;
  case 'H':
    return Type::U16;
  case 'I':
    return Type::U32;
  case 'L':
  case 'Q':
    return Type::U64;
  case 'e':
    return Type::F16;
  case 'f':
    return Type::F32;
  case 'd':
    return Type::F64;
  default:
    return std::nullopt;
  }
}

std::optional<Type> elementTypeOfSpelling(std::string_view text) {
  for (auto i = static_cast<uint8_t>(Type::I1);
       i <= static_cast<uint8_t>(Type::F64); ++i)
    if (text == spelling(static_cast<Type>(i)))
      return static_cast<Type>(i);
  return std::nullopt;
}

dlpack::DataType dlpackTypeOf(Type type) {
  switch (type) {
  case Type::I1:
    return {dlpack::kBool, 8, 1};
  case Type::I8:
    return {dlpack::kInt, 8, 1};
  case Type::I16:
    return {dlpack::kInt, 16, 1};
  case Type::I32:
    return {dlpack::kInt, 32, 1};
  case Type::I64:
    return {dlpack::kInt, 64, 1};
  case Type::U8:
    return {dlpack::kUInt, 8, 1};
  case Type::U16:
    return {dlpack::kUInt, 16, 1};
  case Type::U32:
    return {dlpack::kUInt, 32, 1};
  case Type::U64:
    return {dlpack::kUInt, 64, 1};
  case Type::F8E4M3FN:
    return {dlpack::kFloat8E4M3FN, 8, 1};
  case Type::F8E5M2:
    return {dlpack::kFloat8E5M2, 8, 1};
  case Type::F8E4M3FNUZ:
    return {dlpack::kFloat8E4M3FNUZ, 8, 1};
  case Type::F8E5M2FNUZ:
    return {dlpack::kFloat8E5M2FNUZ, 8, 1};
  // DLPack has no such type: other libraries see its bytes.
  case Type::F8E4M3B15:
    return {dlpack::kUInt, 8, 1};
  case Type::F16:
    return {dlpack::kFloat, 16, 1};
  case Type::BF16:
    return {dlpack::kBFloat, 16, 1};
  case Type::F32:
    return {dlpack::kFloat, 32, 1};
  case Type::F64:
    return {dlpack::kFloat, 64, 1};
  }
  return {};
}

std::optional<Type> elementTypeOfName(std::string_view name) {
  static constexpr std::pair<std::string_view, Type> kNames[] = {
      {"bool", Type::I1},
      {"int1", Type::I1},
      {"int8", Type::I8},
      {"int16", Type::I16},
      {"int32", Type::I32},
      {"int64", Type::I64},
      {"uint8", Type::U8},
      {"uint16", Type::U16},
      {"uint32", Type::U32},
      {"uint64", Type::U64},
      {"float16", Type::F16},
      {"float32", Type::F32},
      {"float64", Type::F64},
      {"bfloat16", Type::BF16},
      {"float8_e4m3fn", Type::F8E4M3FN},
      {"float8_e5m2", Type::F8E5M2},
      {"float8_e4m3fnuz", Type::F8E4M3FNUZ},
      {"float8_e5m2fnuz", Type::F8E5M2FNUZ},
  };
  for (auto [known, type] : kNames)
    if (name == known)
      return type;
  return elementTypeOfSpelling(name);
}

} // namespace tilewright::python
