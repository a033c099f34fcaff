"""Generates the language reference from docstrings: `python docs/generator`."""
