// Tracks the threads in the compiler, for those that must wait for them.
#ifndef TILEWRIGHT_COMPILER_CAPI_COMPILERGATE_H
#define TILEWRIGHT_COMPILER_CAPI_COMPILERGATE_H

namespace tilewright::capi {

/// Guards code that uses LLVM without Python's lock. The locks and tables of
/// LLVM and the assemblers belong to the process. So two events wait until no
/// thread is inside: a fork, whose child lacks the other threads, and the
/// destructors at the end of the process.
class CompilerGate {
public:
  CompilerGate();
  ~CompilerGate();
  CompilerGate(const CompilerGate &) = delete;
};

} // namespace tilewright::capi

#endif // TILEWRIGHT_COMPILER_CAPI_COMPILERGATE_H
