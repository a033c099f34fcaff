"""Softmax over the last dimension."""

from .kernel import softmax

__all__ = ["softmax"]
