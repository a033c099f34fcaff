"""Values made of others: tuples, named tuples and the aggregates that users declare.

A class decorated with `tl.aggregate` is one value of the language: loops carry it, branches merge it, functions
take and return it, and kernels are launched with it.
"""

import builtins
import inspect

from .aggregate import aggregate as _base
from .constexpr import constexpr, constexpr_type, unwrap
from .errors import LanguageTypeError
from .ir import is_active
from .semantic import convert
from .tensor import known_value, tensor


def _is_constexpr(annotation):
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.rsplit(".", 1)[-1] == "constexpr"


def constant_fields(value):
    """The names of the fields of a named tuple that are annotated as a `tl.constexpr`."""
    annotations = getattr(type(value), "__annotations__", {})
    return {name for name, annotation in annotations.items() if _is_constexpr(annotation)}


def items_of(value):
    """The parts of a tuple or an aggregate as (name, part); None for everything else.

    Fields annotated as `tl.constexpr` are constants.
    """
    if isinstance(value, structure):
        return list(value.fields().items())
    if not isinstance(value, builtins.tuple):
        return None
    names = getattr(value, "_fields", builtins.range(len(value)))
    constant = constant_fields(value)
    return [
        (name, constexpr(item) if name in constant else item) for name, item in zip(names, value, strict=True)
    ]


def has_fields(value):
    """Whether the parts of `value`, or of values of the class `value`, have names."""
    return hasattr(value, "_fields")


def with_items(kind, items):
    """A value of the class `kind`, of tuples or an aggregate, with the given parts."""
    if issubclass(kind, structure):
        return kind.of(items)
    return kind(*items) if has_fields(kind) else builtins.tuple(items)


class tuple_type:
    """The type of a tuple: the `types` of its parts, and the names of its `fields`, empty where they have none.

    Example:

        >>> import tilewright.language as tl
        >>> tl.tuple_type([tl.float32, tl.constexpr_type(3)])
        [:fp32,:constexpr_type[3]]
    """

    def __init__(self, types, fields=None):
        self.types, self.fields = list(types), list(fields or [""] * len(types))
        self.name = (
            f"[{','.join(f'{field}:{ty}' for field, ty in zip(self.fields, self.types, strict=True))}]"
        )

    @classmethod
    def of(cls, value):
        """The type of the tuple `value`."""
        types = [
            cls.of(part)
            if isinstance(part, builtins.tuple)
            else part.type
            if hasattr(part, "type")
            else constexpr_type(part)
            for part in value
        ]
        return cls(types, getattr(value, "_fields", None))

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __eq__(self, other):
        return isinstance(other, tuple_type) and (self.types, self.fields) == (other.types, other.fields)

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name


def _skeleton(value):
    """The static part of a value, without its tensors: hashable, and equal for values of the same kind."""
    if isinstance(value, tensor):
        return tensor
    items = items_of(value)
    if items is None:
        return (type(value), value.static) if isinstance(value, _base) else unwrap(value)
    return (type(value), *(_skeleton(item) for _, item in items))


def _tensors(value):
    if isinstance(value, tensor):
        return [value]
    if isinstance(value, builtins.tuple):
        return [leaf for item in value for leaf in _tensors(item)]
    return list(value.parts) if isinstance(value, _base) else []


def _replaced(value, parts):
    if isinstance(value, tensor):
        return next(parts)
    if isinstance(value, _base) and not isinstance(value, structure):
        return value.with_parts([next(parts) for _ in value.parts])
    items = items_of(value)
    return value if items is None else with_items(type(value), [_replaced(item, parts) for _, item in items])


class structure(_base):
    """The base of the classes that `tl.aggregate` makes."""

    is_structured_argument = True
    _annotations = {}

    @classmethod
    def of(cls, values):
        """The aggregate with these values, in the order of the fields."""
        made = object.__new__(cls)
        made.__dict__.update(zip(cls._annotations, values, strict=True))
        made.__dict__["_complete"] = True
        return made

    def __setattr__(self, name, value):
        if self.__dict__.get("_complete"):
            # In a kernel `p.x = value` binds p to another aggregate, and comes here from plain Python alone.
            raise AttributeError(
                f"cannot assign to field {name!r} on immutable aggregate {builtins.type(self).__name__}; "
                "tl.aggregate_replace() makes a changed copy"
            )
        if name not in self._annotations:
            raise LanguageTypeError(
                f"{type(self).__name__} declares no field {name!r}",
                hint=f"add '{name}: tl.tensor' to the class",
            )
        self.__dict__[name] = self._checked(name, value)

    def _checked(self, name, value):
        """A field's value: a constant where it is declared as one, inside a kernel numbers become scalars."""
        value = builtins.tuple(value) if type(value) is list else value
        if not _is_constexpr(self._annotations[name]):
            plain = unwrap(value)
            return convert.to_tensor(plain) if is_active() and convert.is_literal(plain) else value
        value = known_value(value)
        if getattr(type(value), "is_runtime_value", False):
            raise LanguageTypeError(
                f"{type(self).__name__}.{name} is a tl.constexpr, got {convert.describe(value)}",
                hint="declare it as tl.tensor, or give a constant",
            )
        return value if isinstance(value, constexpr) else constexpr(value)

    def fields(self):
        """The fields by name."""
        return {name: self.__dict__[name] for name in self._annotations}

    def _with(self, name, value):
        """The same with another value in the field `name`."""
        made = object.__new__(builtins.type(self))
        made.__dict__.update(self.__dict__, _complete=False)
        setattr(made, name, value)
        made.__dict__["_complete"] = True
        return made

    @property
    def parts(self):
        """The tensors in the fields, in order."""
        return builtins.tuple(leaf for value in self.fields().values() for leaf in _tensors(value))

    @property
    def static(self):
        """Everything else."""
        return _skeleton(self)

    def with_parts(self, parts):
        """The same with other tensors."""
        rest = iter(parts)
        return self.of([_replaced(value, rest) for value in self.fields().values()])

    @property
    def type(self):
        """How errors name the type."""
        fields = [
            f"{name}: {getattr(value, 'type', value) if isinstance(value, (tensor, _base)) else unwrap(value)}"
            for name, value in self.fields().items()
        ]
        return f"{type(self).__name__}({', '.join(fields)})"

    __repr__ = type.fget


def _default_init(cls, annotations):
    parameter = inspect.Parameter
    kind, defaults = parameter.POSITIONAL_OR_KEYWORD, vars(cls)
    signature = inspect.Signature(
        [parameter(name, kind, default=defaults.get(name, parameter.empty)) for name in annotations]
    )

    def init(self, *args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    own = parameter("self", parameter.POSITIONAL_ONLY)
    init.__signature__ = signature.replace(parameters=[own, *signature.parameters.values()])
    return init


def _annotations_of(cls):
    """The annotations of the class, after those of the aggregates that it derives from."""
    inherited = cls._annotations if issubclass(cls, structure) else {}
    return {**inherited, **inspect.get_annotations(cls)}


def _init_of(cls, annotations):
    init = cls.__dict__.get("__init__")
    if init is None and issubclass(cls, structure) and not inspect.get_annotations(cls):
        init = cls.__init__
    if init is None:
        return _default_init(cls, annotations)
    if getattr(init, "is_kernel_function", False):
        raise TypeError(f"{cls.__name__}.__init__ is a plain function: leave out the decorator @tw.jit")
    return inspect.unwrap(init)  # a constexpr_function sees its arguments as they are


def aggregate(cls):
    """Make a class of values that hold blocks, scalars, pointers, tuples and constants in named fields.

    The annotations of the class are its fields; those that are a `tl.constexpr` are known while compiling. Without an
    `__init__` of its own, which is plain Python and assigns all fields, the class is called with the fields in order;
    a class attribute is the default of its field. Methods decorated with `@tw.jit` are called from kernels.
    A derived aggregate has the fields of its base before its own.
    An aggregate is a value: `span.start = 1` in a kernel binds the variable `span` to a changed copy. Other variables and
    callers keep theirs.
    A kernel may be launched with one: its fields then are arrays, numbers and constants.

    Raises `TypeError` for a class without annotations, unless it gathers functions decorated with `@tw.jit`.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> import tilewright.language as tl
        >>> @tl.aggregate
        ... class Span:
        ...     start: tl.tensor
        ...     stop: tl.tensor
        ...     STEP: tl.constexpr
        ...
        ...     @tw.jit
        ...     def size(self):
        ...         return (self.stop - self.start) // self.STEP
        ...
        >>> @tw.jit
        ... def kernel(out_ptr, start, stop):
        ...     tl.store(out_ptr, Span(start, stop, 2).size())
        ...
        >>> out = np.zeros(1, np.int32)
        >>> _ = kernel[1,](out, 0, 10)
        >>> out
        array([5], dtype=int32)
    """
    annotations = _annotations_of(cls) if isinstance(cls, builtins.type) else {}
    if not annotations and not any(
        getattr(member, "is_kernel_function", False) for member in getattr(cls, "__dict__", {}).values()
    ):
        raise TypeError(f"tl.aggregate decorates a class whose annotations are its fields, got {cls!r}")
    taken = [name for name in annotations if hasattr(structure, name)]
    if taken:
        raise TypeError(f"{cls.__name__}.{taken[0]} has a name that every aggregate uses: choose another one")
    construct = _init_of(cls, annotations)

    def init(self, *args, **kwargs):
        construct(self, *args, **kwargs)
        if builtins.type(self).__init__ is not init:  # that of a class derived from this one goes on
            return
        missing = [name for name in annotations if name not in self.__dict__]
        if missing:
            raise LanguageTypeError(f"{cls.__name__}.__init__ does not assign {missing[0]!r}")
        self.__dict__["_complete"] = True

    init.__signature__ = inspect.signature(construct)
    own = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    for member in own.values():
        if isinstance(member, staticmethod) and inspect.isfunction(member.__func__):
            member.__func__.is_of_aggregate = True
    bases = [base for base in cls.__bases__ if base is not object]
    return builtins.type(
        cls.__name__,
        builtins.tuple(bases if issubclass(cls, structure) else [structure, *bases]),
        {**own, "_annotations": annotations, "_fields": builtins.tuple(annotations), "__init__": init},
    )


def aggregate_replace(instance, **changes):
    """A copy of an aggregate with other values in the fields that `changes` names.

    Raises `TypeError` for other values, and for unknown fields.

    Example:

        >>> import tilewright.language as tl
        >>> @tl.aggregate
        ... class Step:
        ...     size: tl.constexpr
        ...     count: tl.constexpr
        ...
        >>> tl.aggregate_replace(Step(4, 2), count=3)
        Step(size: 4, count: 3)
    """
    if not isinstance(instance, structure):
        raise TypeError(f"aggregate_replace() expects an aggregate instance, got {builtins.type(instance)}")
    for name, value in changes.items():
        if name not in instance._annotations:
            raise TypeError(f"{builtins.type(instance).__name__} has no field {name!r}")
        instance = instance._with(name, value)
    return instance


aggregate_replace.is_builtin = True
