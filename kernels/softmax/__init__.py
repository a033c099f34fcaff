"""Softmax over the last dimension."""

from .backward import softmax_backward
from .kernel import softmax

__all__ = ["softmax", "softmax_backward"]
