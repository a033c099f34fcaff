"""Scaled dot-product attention."""

from .kernel import attention

__all__ = ["attention"]
