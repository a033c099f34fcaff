#ifndef TILEWRIGHT_PYTHON_TILEWRIGHT_AOT_SUPPORT_STATUS_H
#define TILEWRIGHT_PYTHON_TILEWRIGHT_AOT_SUPPORT_STATUS_H
/* The status that functions of a library return. */
enum tilewright_status {
  TILEWRIGHT_OK = 0,
  TILEWRIGHT_INVALID_ARGUMENT = 1, /* the caller passed what can never work */
  TILEWRIGHT_UNAVAILABLE = 3,      /* this machine has no driver or device */
  TILEWRIGHT_UNSUPPORTED = 4,   /* the library has no code for this machine */
  TILEWRIGHT_OUT_OF_MEMORY = 5, /* host or device memory is exhausted */
  TILEWRIGHT_DRIVER_ERROR = 7,  /* the device's driver reported an error */
  TILEWRIGHT_KERNEL_ASSERT = 8  /* an assertion failed in a kernel (CPU) */
};
#endif
