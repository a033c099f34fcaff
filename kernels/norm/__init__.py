"""Layer norm and RMS norm over the last dimension."""

from .backward import layer_norm_backward, rms_norm_backward
from .kernel import layer_norm, rms_norm

__all__ = ["layer_norm", "layer_norm_backward", "rms_norm", "rms_norm_backward"]
