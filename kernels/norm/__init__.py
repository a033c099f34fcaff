"""Layer norm and RMS norm over the last dimension."""

from .kernel import layer_norm, rms_norm

__all__ = ["layer_norm", "rms_norm"]
