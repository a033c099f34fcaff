/* Marks the functions that libtilewright exports. Everything else is hidden. */
#ifndef TILEWRIGHT_RUNTIME_INCLUDE_TILEWRIGHT_C_EXPORT_H
#define TILEWRIGHT_RUNTIME_INCLUDE_TILEWRIGHT_C_EXPORT_H

#define TW_EXPORT __attribute__((visibility("default")))

#endif /* TILEWRIGHT_RUNTIME_INCLUDE_TILEWRIGHT_C_EXPORT_H */
