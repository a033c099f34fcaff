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
  Bool = 3,
  Pointer = 4,
};

/// The text of a value whose 64 bits are meant as `kind` says.
std::string formatValue(PrintKind kind, uint64_t bits);

/// Writes a line to the standard output, whole among those of other threads.
void printLine(const std::string &line);

} // namespace tilewright::runtime::cpu

#endif // TILEWRIGHT_RUNTIME_CPU_PRINT_H
