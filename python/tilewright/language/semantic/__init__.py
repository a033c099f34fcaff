"""The meaning of each operation: promotion and broadcasting of its operands, then the ops that it becomes.

One module for each group of operations. Functions here take tensors or plain Python numbers (literals).
Modules of the language import these as `from .semantic import convert`. The import is lazy: a module is loaded when a
kernel that uses it is compiled.
"""

import importlib


class _OnDemand:
    """A proxy for a module of this package until its first use."""

    def __init__(self, name):
        self.__name__ = f"{__name__}.{name}"

    def __getattr__(self, name):
        found = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, found)  # The next time it is found without this.
        return found


arithmetic = _OnDemand("arithmetic")
choose = _OnDemand("choose")
compare = _OnDemand("compare")
convert = _OnDemand("convert")
dot = _OnDemand("dot")
dot_scaled = _OnDemand("dot_scaled")
memory = _OnDemand("memory")
nan_traces = _OnDemand("nan_traces")
pairs = _OnDemand("pairs")
promote = _OnDemand("promote")
reduce = _OnDemand("reduce")
shape = _OnDemand("shape")
tiles = _OnDemand("tiles")
