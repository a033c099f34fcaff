// What kernels print.
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

/// "pid (0, 0, 0) idx (1, 2) " of a program's three numbers and an index of
/// `rank` dimensions after them; without an index where there is no value.
std::string formatPlace(PrintKind kind, const int32_t *place, int32_t rank);

/// The text of a value whose 64 bits are meant as `kind` says.
std::string formatValue(PrintKind kind, uint64_t bits);

/// Writes a line to the standard output, whole among those of other threads.
void printLine(const std::string &line);

} // namespace tilewright::runtime::cpu

#endif // TILEWRIGHT_RUNTIME_CPU_PRINT_H
