// Output of kernels.
#ifndef TILEWRIGHT_RUNTIME_CPU_PRINT_H
#define TILEWRIGHT_RUNTIME_CPU_PRINT_H

#include <cstdint>
#include <string>

namespace tilewright::runtime::cpu {

/// Same values as `tw_print_kind` in tilewright-c/runtime.h.
enum class PrintKind : int32_t {
  Signed = 0,
  Unsigned = 1,
  Float = 2,
  Pointer = 3,
  Nothing = 4,
  Hex1 = 5,
  Hex2 = 6,
  Hex4 = 7,
  Hex8 = 8,
  Hex16 = 9,
};

/// Formats "pid (0, 0, 0) idx (1, 2) ": three program ids and an index of
/// `rank` dimensions. Omits the index for the kind `Nothing`.
std::string formatIndices(PrintKind kind, const int32_t *indices, int32_t rank);

/// Formats a value of 64 bits, interpreted as `kind`.
std::string formatValue(PrintKind kind, uint64_t bits);

/// Writes a line to the standard output, atomically among threads.
void printLine(const std::string &line);

} // namespace tilewright::runtime::cpu

#endif // TILEWRIGHT_RUNTIME_CPU_PRINT_H
