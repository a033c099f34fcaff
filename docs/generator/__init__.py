"""Makes the reference of the language from its docstrings: `python docs/generator`."""
