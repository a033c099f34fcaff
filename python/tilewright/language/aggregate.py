"""Values made of several scalars of the kernel and of constants, such as block pointers."""


class aggregate:
    """A value of the language that holds tensors: loops carry it and branches merge it part by part.

    `parts` are the tensors in order and `static` everything else, hashable; two aggregates have the same
    type when they have one class, equal `static` and parts of the same types. A subclass is made of these
    two.
    """

    is_runtime_value = True
    #: Whether it was used up, so that loops and branches drop it.
    is_spent = False

    #: The hint for operations that take blocks, or None.
    operand_hint = None

    def __init__(self, parts, static):
        self.parts, self.static = tuple(parts), static

    def with_parts(self, parts):
        """The same with other tensors."""
        return type(self)(parts, self.static)

    def same_type(self, other):
        """Whether `other` has the type of this one."""
        if type(self) is not type(other) or self.static != other.static:
            return False
        return [part.type for part in self.parts] == [part.type for part in other.parts]

    @property
    def type(self):
        """How errors name the type."""
        return f"{type(self).__name__} of {self.static}"
