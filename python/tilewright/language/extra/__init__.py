"""Functions outside of the language proper."""

__all__ = ["cuda", "extern_elementwise", "libdevice"]


def __getattr__(name):
    """Imports the module on first use: it is large, and few kernels use it."""
    import importlib

    if name in ("cuda", "libdevice"):
        return importlib.import_module(f"{__name__}.{name}")
    if name == "extern_elementwise":
        return importlib.import_module(f"{__name__}.extern").extern_elementwise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
