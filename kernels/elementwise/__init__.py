"""Elementwise kernels."""

from .kernel import add

__all__ = ["add"]
