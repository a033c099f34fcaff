/* Functions ending in _cuda queue a run on `stream`, a CUstream of the calling
 * thread's current context (without one, of the primary context of device 0;
 * NULL is the default stream) and return at once. Functions ending in _cpu run
 * on `threads` threads (0: one for each processor; 1: in the calling thread)
 * and return when the work is done. All may be called from any thread at any
 * time.
 *
 * They return TILEWRIGHT_OK or an error; nothing ever ends the process.
 * Addresses are those of the device; the bits of half-precision scalars are
 * passed as integers. */

/* The message of the calling thread's last failure, valid until its next
 * one. */
const char *LIBRARY_error(void);
