// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   | FileCheck %s

// Three or more panels of 128 bytes alternate between two pieces of memory: the third waits until the first one's copy
// has been read. The first waits for copies of an earlier store.

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]],
                      lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
#bytes8k = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096]]}>
// CHECK-LABEL: llvm.func @panels
// CHECK: cp.async.bulk.wait_group.read 0;
// CHECK-NEXT: nvvm.barrier
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: fence.proxy.async.shared::cta;
// CHECK-NEXT: nvvm.barrier
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$1, {$3, $4}], [$2];
// CHECK: cp.async.bulk.commit_group;
// CHECK-NOT: wait_group
// CHECK: cp.async.bulk.tensor.2d
// CHECK: cp.async.bulk.wait_group.read 1;
// CHECK-NEXT: nvvm.barrier
// CHECK: cp.async.bulk.tensor.2d
// CHECK: cp.async.bulk.wait_group.read 1;
// CHECK: cp.async.bulk.tensor.2d
// CHECK-NOT: wait_group
// CHECK: cp.async.bulk.commit_group;
// CHECK: cp.async.bulk.wait_group.read 0;
// CHECK: llvm.return
tile.func @panels(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x128xf32, #rows>
  %s = warp.alloc : !warp.shared<8192xi8, #bytes8k>
  warp.tma_store %x, %map[%i, %i] through %s
      : tensor<32x128xf32, #rows>, !warp.tensor_map, !warp.shared<8192xi8, #bytes8k>
  warp.tma_store_wait %s : !warp.shared<8192xi8, #bytes8k>
  tile.return
}

// The first store of a program does not wait; its third piece waits for the first.
// CHECK-LABEL: llvm.func @first
// CHECK-NOT: wait_group
// CHECK-COUNT-2: cp.async.bulk.tensor.2d
// CHECK: cp.async.bulk.wait_group.read 1;
// CHECK-NEXT: nvvm.barrier
// CHECK: llvm.return
tile.func @first(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x128xf32, #rows>
  %s = warp.alloc : !warp.shared<8192xi8, #bytes8k>
  warp.tma_store %x, %map[%i, %i] through %s {first}
      : tensor<32x128xf32, #rows>, !warp.tensor_map, !warp.shared<8192xi8, #bytes8k>
  warp.tma_store_wait %s : !warp.shared<8192xi8, #bytes8k>
  tile.return
}

// Later parts of a tile are not computed before earlier ones are stored: the
// parts end in basic blocks of their own. All but the last of these exit if the
// grid is empty.
// CHECK-LABEL: llvm.func @parts
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK: setp.eq.u32 none, blocks, 0; @none exit;
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK-NOT: exit
// CHECK: llvm.return
#part = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]],
                      lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
tile.func @parts(%map: !warp.tensor_map, %i: i32, %j: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x64xf32, #part>
  %s = warp.alloc : !warp.shared<8192xi8, #bytes8k>
  warp.tma_store %x, %map[%i, %i] through %s
      : tensor<32x64xf32, #part>, !warp.tensor_map, !warp.shared<8192xi8, #bytes8k>
  warp.tma_store %x, %map[%i, %j] through %s
      : tensor<32x64xf32, #part>, !warp.tensor_map, !warp.shared<8192xi8, #bytes8k>
  warp.tma_store_wait %s : !warp.shared<8192xi8, #bytes8k>
  tile.return
}

// With memory for one panel each store waits until the previous one has been
// read.

#bytes4k = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>
// CHECK-LABEL: llvm.func @one_piece
// CHECK-COUNT-4: cp.async.bulk.wait_group.read 0;
// CHECK-NOT: wait_group
// CHECK: llvm.return
tile.func @one_piece(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x128xf32, #rows>
  %s = warp.alloc : !warp.shared<4096xi8, #bytes4k>
  warp.tma_store %x, %map[%i, %i] through %s
      : tensor<32x128xf32, #rows>, !warp.tensor_map, !warp.shared<4096xi8, #bytes4k>
  tile.return
}

// Where lanes hold columns of several panels, all are stored at once.

#columns = #warp.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2]],
                         lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]]}>
#bytes16k = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192]]}>
// CHECK-LABEL: llvm.func @at_once
// CHECK: fence.proxy.async
// CHECK-COUNT-4: cp.async.bulk.tensor.3d.global
// CHECK: cp.async.bulk.commit_group;
// CHECK-NOT: cp.async.bulk.tensor
// CHECK: llvm.return
tile.func @at_once(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x128xf32, #columns>
  %s = warp.alloc : !warp.shared<16384xi8, #bytes16k>
  warp.tma_store %x, %map[%i, %i, %i] through %s
      : tensor<32x128xf32, #columns>, !warp.tensor_map, !warp.shared<16384xi8, #bytes16k>
  tile.return
}

// Two warpgroups with disjoint rows: each has its own barrier and copies its
// 128 rows from its half of the memory.

#groups = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]],
                        lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
                        warp = [[32, 0], [64, 0], [128, 0]]}>
#bytes64k = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768]]}>
// CHECK-LABEL: llvm.func @warpgroups
// CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(7 : i32)
// CHECK: %[[GROUP:.*]] = llvm.lshr %{{.*}}, %{{.*}} : i32
// CHECK: %[[THREAD:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[LEADER:.*]] = llvm.icmp "eq" %[[THREAD]]
// CHECK: %[[ID:.*]] = llvm.add %[[GROUP]]
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %{{.*}}
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %{{.*}}
// CHECK: cp.async.bulk.tensor.2d
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %{{.*}}
// CHECK: cp.async.bulk.tensor.2d
// CHECK-NOT: cp.async.bulk.tensor.2d
tile.func @warpgroups(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 8 : i32} {
  %x = arith.constant dense<1.0> : tensor<256x64xf32, #groups>
  %s = warp.alloc : !warp.shared<65536xi8, #bytes64k>
  warp.tma_store %x, %map[%i, %i] through %s
      : tensor<256x64xf32, #groups>, !warp.tensor_map, !warp.shared<65536xi8, #bytes64k>
  tile.return
}
