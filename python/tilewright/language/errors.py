"""Errors that the language itself raises; the front end turns them into `CompilationError` at the user's
line.
"""


class LanguageError(Exception):
    """A kernel broke a rule of the language.

    `hint` says how to mend it where that is known. In the interpreter an error that the compiler does not have reaches
    the user as it is.
    """

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.message = message
        self.hint = hint


class LanguageTypeError(LanguageError, TypeError):
    """An operand has a type (dtype, rank, pointer or not) that the operation does not take."""


class BlockAsScalarError(LanguageTypeError):
    """A block where Python needs one number, as in a condition."""


class LanguageValueError(LanguageError, ValueError):
    """A value (shape, axis, option, range) that the operation does not take."""
