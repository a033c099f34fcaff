"""The minimum of a launch, measured from C: the driver's call, and reading the arrays of a library."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile

import tilewright as tw

SOURCE = r"""
#include <stdint.h>
#include <time.h>
typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream, *attributes;
  unsigned attribute_count;
} description;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
double bare_launch(int (*launch)(const description *, void *, void **, void **), void *function,
                   unsigned threads, void **parameters, int count) {
  const description d = {{1, 1, 1}, {threads, 1, 1}, 0, 0, 0, 0};
  const double begun = now();
  for (int i = 0; i < count; ++i)
    if (launch(&d, function, parameters, 0))
      return -1;
  return (now() - begun) / count;
}
/* The heads of DLPack's DLTensor and DLPackExchangeAPI. */
typedef struct {
  void *data;
  int32_t device, index, rank;
  uint32_t type;
  int64_t *shape, *strides;
  uint64_t offset;
} tensor;
typedef struct {
  void *head[5];
  int (*read)(void *, tensor *);
  int (*stream)(int32_t, int32_t, void **);
} exchange;
double read_arrays(const exchange *library, void **arrays, int arrays_count, int count) {
  tensor read = {0};
  void *stream;
  const double begun = now();
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < arrays_count; ++k)
      if (library->read(arrays[k], &read))
        return -1;
    if (library->stream(read.device, read.index, &stream))
      return -1;
  }
  return (now() - begun) / count;
}
"""


def _library():
    """Compiles the functions above; they run with the interpreter's lock. None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, path = pathlib.Path(folder, "bare.c"), pathlib.Path(folder, "bare.so")
        source.write_text(SOURCE)
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", path], check=True)
        library = ctypes.PyDLL(str(path))
    library.bare_launch.restype = library.read_arrays.restype = ctypes.c_double
    return library


def _checked(measure):
    """Returns a function that raises if `measure` returns a negative number."""

    def checked():
        seconds = measure()
        if seconds < 0:
            raise RuntimeError("a call from C failed")
        return seconds

    return checked


def _check(result):
    if result:
        raise RuntimeError(f"the driver returned {result}")


def launch(compiled, arrays, batch):
    """Returns a function that measures the seconds of cuLaunchKernelEx with these arrays, over a batch.

    None without a C compiler.
    """
    library = _library()
    if library is None:
        return None
    driver = ctypes.CDLL(tw.knobs.LIBCUDA.text() or "libcuda.so.1")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    image = compiled.binary("cubin") if "cubin" in compiled.asm else compiled.binary("ptx") + b"\0"
    _check(driver.cuModuleLoadDataEx(ctypes.byref(module), image, 0, None, None))
    _check(driver.cuModuleGetFunction(ctypes.byref(function), module, compiled.name.encode()))
    values = [
        ctypes.c_uint64(array.data_ptr() if hasattr(array, "data_ptr") else array.address) for array in arrays
    ]
    parameters = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    call = ctypes.cast(driver.cuLaunchKernelEx, ctypes.c_void_p)
    threads = compiled.metadata["num_threads"]

    # The lambda keeps `values` alive.
    return _checked(lambda: values and library.bare_launch(call, function, threads, parameters, batch))


def exchange(arrays, batch):
    """Returns a function that measures the seconds to read all arrays and the stream by `DLPackExchangeAPI`.

    None if the library of the arrays lacks this C interface of DLPack, or without a C compiler.
    """
    capsule, library = getattr(type(arrays[0]), "__dlpack_c_exchange_api__", None), _library()
    if capsule is None or library is None:
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    functions = ctypes.c_void_p(pointer(capsule, b"dlpack_exchange_api"))
    objects = (ctypes.c_void_p * len(arrays))(*map(id, arrays))
    return _checked(lambda: library.read_arrays(functions, objects, len(arrays), batch))
