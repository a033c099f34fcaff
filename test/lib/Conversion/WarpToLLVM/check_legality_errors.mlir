// RUN: tilewright-opt %s --nvidia-check-legality --split-input-file --verify-diagnostics

// LLVM would call a library function and abort.
llvm.func @intrinsic(%x: f64) -> f64 {
  // expected-error@+1 {{'sin' of 'f64' has no code on NVIDIA GPUs}}
  %0 = llvm.intr.sin(%x) : (f64) -> f64
  llvm.return %0 : f64
}

// -----

llvm.func @remainder(%x: f32) -> f32 {
  // expected-error@+1 {{a floating-point remainder of 'f32' has no code on NVIDIA GPUs}}
  %0 = llvm.frem %x, %x : f32
  llvm.return %0 : f32
}

// -----

// An op of another dialect is left after lowering.
llvm.func @dialect(%x: f32) -> f32 {
  // expected-error@+1 {{'arith.addf' cannot be compiled for NVIDIA GPUs here}}
  %0 = arith.addf %x, %x : f32
  llvm.return %0 : f32
}

// -----

llvm.func @nobody()
llvm.func @call() {
  // expected-error@+1 {{calls 'nobody', which is not defined}}
  llvm.call @nobody() : () -> ()
  llvm.return
}

// -----

llvm.func @indirect(%f: !llvm.ptr) {
  // expected-error@+1 {{calls through a pointer, which a GPU kernel cannot}}
  llvm.call %f() : !llvm.ptr, () -> ()
  llvm.return
}
