// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// Booleans are stored as bytes.
// expected-error @below {{booleans are stored as bytes: point to i8, not i1}}
tile.func @bool(%p: !tile.ptr<i1>) { tile.return }

// -----

// Signedness belongs to operations.
// expected-error @below {{pointee must be a signless integer, a float or a pointer, got 'si32'}}
tile.func @signed(%p: !tile.ptr<si32>) { tile.return }

// -----

// An index has no size in memory.
// expected-error @below {{pointee must be a signless integer, a float or a pointer, got 'index'}}
tile.func @index(%p: !tile.ptr<index>) { tile.return }

// -----

// A pointer points to one element; tiles hold pointers, not the reverse.
// expected-error @below {{pointee must be a signless integer, a float or a pointer, got 'tensor<4xf32>'}}
tile.func @tile(%p: !tile.ptr<tensor<4xf32>>) { tile.return }
