// RUN: tilewright-opt %s -nvidia-attach-lines -mlir-print-debuginfo | FileCheck %s

// CHECK-LABEL: llvm.func @kernel
// CHECK-NEXT: llvm.mlir.constant(1 : i32) : i32 loc(#[[OWN:.*]])
// CHECK-NEXT: llvm.mlir.constant(2 : i32) : i32 loc(#[[OTHER:.*]])
// CHECK-NEXT: llvm.mlir.constant(3 : i32) : i32 loc(#[[CALLED:.*]])
// CHECK-NEXT: llvm.mlir.constant(4 : i32) : i32 loc(#[[NESTED:.*]])
// CHECK-NEXT: llvm.mlir.constant(5 : i32) : i32 loc(#[[NAMED:.*]])
// CHECK-NEXT: llvm.mlir.constant(6 : i32) : i32 loc(#[[NAMED_CALLED:.*]])
// CHECK-NEXT: llvm.return loc(#[[NONE:.*]])
// CHECK-NEXT: } loc(#[[FUNCTION:.*]])
llvm.func @kernel() {
  %0 = llvm.mlir.constant(1 : i32) : i32 loc("/d/a.py":7:5)
  %1 = llvm.mlir.constant(2 : i32) : i32 loc("/d/b.py":3:1)
  %2 = llvm.mlir.constant(3 : i32) : i32 loc(callsite("/d/b.py":4:1 at "/d/a.py":8:5))
  %3 = llvm.mlir.constant(4 : i32) : i32
      loc(callsite("/d/c.py":5:1 at callsite("/d/b.py":4:1 at "/d/a.py":8:5)))
  %4 = llvm.mlir.constant(5 : i32) : i32 loc("kernel"("/d/a.py":9:5 to :12))
  %5 = llvm.mlir.constant(6 : i32) : i32
      loc(callsite("helper"("/d/b.py":4:1 to 5:3) at "kernel"("/d/a.py":9:5 to :12)))
  llvm.return loc(unknown)
} loc("/d/a.py":2:1)

// An external function has no unit.
// CHECK: llvm.func @elsewhere() loc(#[[ELSEWHERE:.*]])
llvm.func @elsewhere() loc("/d/a.py":1:1)

// CHECK-DAG: #[[A:.*]] = #llvm.di_file<"a.py" in "/d">
// CHECK-DAG: #[[B:.*]] = #llvm.di_file<"b.py" in "/d">
// CHECK-DAG: #[[C:.*]] = #llvm.di_file<"c.py" in "/d">
// CHECK-DAG: #[[UNIT:.*]] = #llvm.di_compile_unit<{{.*}}emissionKind = DebugDirectivesOnly
// CHECK-DAG: #[[KERNEL:.*]] = #llvm.di_subprogram<id = {{.*}}compileUnit = #[[UNIT]], scope = #[[A]], name = "kernel"{{.*}}line = 2
// CHECK-DAG: #[[DECLARED:.*]] = #llvm.di_subprogram<scope = #[[A]], name = "elsewhere"
// CHECK-DAG: #[[IN_B:.*]] = #llvm.di_lexical_block_file<scope = #[[KERNEL]], file = #[[B]]
// CHECK-DAG: #[[IN_C:.*]] = #llvm.di_lexical_block_file<scope = #[[KERNEL]], file = #[[C]]
// CHECK-DAG: #[[OWN]] = loc("/d/a.py":7:5)
// CHECK-DAG: #[[B3:.*]] = loc("/d/b.py":3:1)
// CHECK-DAG: #[[B4:.*]] = loc("/d/b.py":4:1)
// CHECK-DAG: #[[C5:.*]] = loc("/d/c.py":5:1)
// CHECK-DAG: #[[OTHER]] = loc(fused<#[[IN_B]]>[#[[B3]]])
// CHECK-DAG: #[[FUSED_B:.*]] = loc(fused<#[[IN_B]]>[#[[B4]]])
// CHECK-DAG: #[[CALLED]] = loc(callsite(#[[FUSED_B]] at
// CHECK-DAG: #[[FUSED_C:.*]] = loc(fused<#[[IN_C]]>[#[[C5]]])
// CHECK-DAG: #[[NESTED]] = loc(callsite(#[[FUSED_C]] at
// Ranges and the names of functions stay, for errors of later stages.
// CHECK-DAG: #[[RANGE_A:.*]] = loc("/d/a.py":9:5 to :12)
// CHECK-DAG: #[[RANGE_B:.*]] = loc("/d/b.py":4:1 to 5:3)
// CHECK-DAG: #[[NAMED]] = loc("kernel"(#[[RANGE_A]]))
// CHECK-DAG: #[[HELPER:.*]] = loc("helper"(#[[RANGE_B]]))
// CHECK-DAG: #[[FUSED_HELPER:.*]] = loc(fused<#[[IN_B]]>[#[[HELPER]]])
// CHECK-DAG: #[[NAMED_CALLED]] = loc(callsite(#[[FUSED_HELPER]] at #[[NAMED]]))
// CHECK-DAG: #[[FUNCTION]] = loc(fused<#[[KERNEL]]>
// CHECK-DAG: #[[ELSEWHERE]] = loc(fused<#[[DECLARED]]>
