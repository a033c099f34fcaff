/* Marks the functions that libtilewright exports. Everything else is hidden. */
#ifndef TILEWRIGHT_C_EXPORT_H
#define TILEWRIGHT_C_EXPORT_H

#define TW_EXPORT __attribute__((visibility("default")))

#endif /* TILEWRIGHT_C_EXPORT_H */
