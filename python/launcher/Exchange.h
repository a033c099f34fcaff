// Exchanges arrays with other libraries by DLPack.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_EXCHANGE_H
#define TILEWRIGHT_PYTHON_LAUNCHER_EXCHANGE_H

#include <pybind11/pybind11.h>

namespace tilewright::python {

/// `dlpack_export` and `dlpack_import`.
void defineExchange(pybind11::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_EXCHANGE_H
