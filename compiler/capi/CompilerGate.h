// Which threads are in the compiler, for those who have to wait for them.
#ifndef TILEWRIGHT_COMPILER_CAPI_COMPILERGATE_H
#define TILEWRIGHT_COMPILER_CAPI_COMPILERGATE_H

namespace tilewright::capi {

/// Around what uses LLVM without Python's lock. LLVM's and the assemblers'
/// locks and tables belong to the process: a fork, whose child has none of the
/// other threads, and the destructors at a process's end wait until no thread
/// is inside.
class CompilerGate {
public:
  CompilerGate();
  ~CompilerGate();
  CompilerGate(const CompilerGate &) = delete;
};

} // namespace tilewright::capi

#endif // TILEWRIGHT_COMPILER_CAPI_COMPILERGATE_H
