"""Binding of arguments, specialisation, compilation on first use, and launch."""
