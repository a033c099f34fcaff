"""Kernel functions as plain Python that means the same.

Lines and columns are kept, so that debuggers show the original text. Only constructs with another meaning in the language
change:

1. An assigned number becomes a scalar with a type.
2. `and`, `or` and `not` work on blocks.
3. `is` compares the value of a constant.
4. The builtins `range`, `min`, `max`, `abs`, `len`, `print` and the like are those of the language.
"""

import ast
import copy
import operator
import weakref
from functools import partial

from ..frontend.constructs import refuse
from ..frontend.errors import CompilationError
from ..frontend.python_calls import HANDLED
from ..frontend.source import source_of
from ..frontend.values import describe, is_constant, materialize, wrap
from ..language.constexpr import unwrap
from ..language.errors import LanguageTypeError
from ..language.function import KernelFunction
from ..language.semantic import arithmetic
from ..language.semantic.index import setitem
from ..language.semantic.loop import unrolled
from ..language.structure import structure
from ..language.tensor import tensor

# Names that no kernel uses.
_VALUE, _CONSTANT, _AND, _OR, _NOT = "__tw_value", "__tw_constant", "__tw_and", "__tw_or", "__tw_not"
_IS, _CHAIN = "__tw_is", "__tw_chain"
_FUNCTION, _TUPLE, _UNROLLED = "__tw_function", "__tw_tuple", "__tw_unrolled"
_INDEX, _REPLACED, _SHOWN = "__tw_index", "__tw_replaced", "__tw_shown"
_CHANGED, _ASSIGNED, _KEPT = "__tw_changed", "__tw_assigned", "__tw_kept"


def _either(is_and):
    def combine(*thunks):
        result = None
        for thunk in thunks:
            value = thunk()
            if is_constant(value):
                if bool(unwrap(value)) is not is_and:
                    return value
                result = value if result is None or is_constant(result) else result
            elif result is None or is_constant(result):
                result = value
            else:
                result = arithmetic.logical(result, value, "arith.andi" if is_and else "arith.ori")
        return result

    return combine


def _not(value):
    return not unwrap(value) if is_constant(value) else arithmetic.logical_not(value)


def _print(*args, **kwargs):
    print(*args, **kwargs)


def _kept(value):
    """The value of a variable that is declared as a constant."""
    return wrap(unwrap(value)) if is_constant(value) else materialize(value)


def _same(left, right):
    return unwrap(left) is unwrap(right)


_COMPARISONS = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": _same,
    "IsNot": lambda left, right: not _same(left, right),
    "In": lambda left, right: unwrap(left) in unwrap(right),
    "NotIn": lambda left, right: unwrap(left) not in unwrap(right),
}


def _chain(names, *values):
    """`a < b <= c`, of blocks element by element."""
    links = zip(names, values[:-1], values[1:], strict=True)
    return _either(True)(*[partial(_COMPARISONS[name], left, right) for name, left, right in links])


class _Index:
    """Gives the index that it is given."""

    def __getitem__(self, index):
        return index


def _replaced(value, index, new):
    if not isinstance(value, tensor):
        raise LanguageTypeError(f"{describe(value)} has no elements that can be assigned")
    return setitem(value, index, new)


def _changed(value, name, new):
    if not isinstance(value, structure):
        raise LanguageTypeError(f"{describe(value)} has no fields that can be assigned")
    return value._with(name, new)


class LocalFunction(KernelFunction):
    """A function defined inside a kernel, rewritten with it."""


HELPERS = {
    **HANDLED,
    "print": _print,
    _VALUE: materialize,
    _CONSTANT: lambda value: wrap(unwrap(value)),
    _AND: _either(True),
    _OR: _either(False),
    _NOT: _not,
    _IS: _same,
    _CHAIN: _chain,
    _FUNCTION: LocalFunction,
    _TUPLE: tuple,
    _UNROLLED: unrolled,
    _INDEX: _Index(),
    _REPLACED: _replaced,
    _CHANGED: _changed,
    _KEPT: _kept,
    _SHOWN: unwrap,
}


class _Rewriter(ast.NodeTransformer):
    """Rewrites the constructs with another meaning in the language."""

    def __init__(self):
        #: Variables that are declared as constants before their assignments.
        self.declared = set()

    def _call(self, name, node, *args):
        return ast.copy_location(
            ast.Call(ast.copy_location(ast.Name(name, ast.Load()), node), list(args), []), node
        )

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.decorator_list = [ast.copy_location(ast.Name(_FUNCTION, ast.Load()), node)]
        node.returns = None
        for argument in _parameters(node):
            argument.annotation = None
        return node

    def visit_Lambda(self, node):
        self.generic_visit(node)
        return self._call(_FUNCTION, node, node)

    def visit_ListComp(self, node):
        self.generic_visit(node)
        for generator in node.generators:
            generator.iter = self._call(_UNROLLED, generator.iter, generator.iter)
        return self._call(_TUPLE, node, ast.copy_location(ast.ListComp(node.elt, node.generators), node))

    visit_GeneratorExp = visit_ListComp

    def visit_List(self, node):
        """A list is a tuple, and equal to one: `x.shape == [4, 8]`."""
        self.generic_visit(node)
        return ast.copy_location(ast.Tuple(node.elts, node.ctx), node)

    def visit_FormattedValue(self, node):
        """A constant is shown as its value, as where it is compiled."""
        self.generic_visit(node)
        node.value = self._call(_SHOWN, node.value, node.value)
        return node

    def visit_Assign(self, node):
        if len(node.targets) > 1 and any(isinstance(target, ast.Subscript) for target in node.targets):
            return self._each_target(node)
        self.generic_visit(node)
        (target,) = node.targets[-1:]
        is_declared = len(node.targets) == 1 and getattr(target, "id", None) in self.declared
        node.value = self._call(_KEPT if is_declared else _VALUE, node.value, node.value)
        if len(node.targets) == 1 and isinstance(target, ast.Subscript):
            return self._element_assignment(node, target, node.value)
        changes = []
        node.targets = [self._without_fields(target, changes) for target in node.targets]
        return [node, *changes]

    def _each_target(self, node):
        """`v = value; a = v; x[0] = v` for `a = x[0] = value`."""
        name = f"{_ASSIGNED}_each"
        first = ast.Assign([ast.Name(name, ast.Store())], node.value)
        others = [ast.Assign([target], ast.Name(name, ast.Load())) for target in node.targets]
        statements = [ast.fix_missing_locations(ast.copy_location(entry, node)) for entry in (first, *others)]
        return [one for entry in statements for one in _as_list(self.visit(entry))]

    def _without_fields(self, target, changes):
        """`target` with fields of aggregates replaced by variables. `changes` gets the statements that assign these to
        the fields."""
        if isinstance(target, (ast.Tuple, ast.List)):
            target.elts = [self._without_fields(entry, changes) for entry in target.elts]
        if not isinstance(target, ast.Attribute):
            return target
        name = f"{_ASSIGNED}{len(changes)}"
        changes.append(self._field_assignment(target, ast.copy_location(ast.Name(name, ast.Load()), target)))
        return ast.copy_location(ast.Name(name, ast.Store()), target)

    def _field_assignment(self, target, value):
        """`p = changed(p, "x", value)` for `p.x = value`, as an aggregate is a value."""
        owner, store = copy.copy(target.value), copy.copy(target.value)
        owner.ctx, store.ctx = ast.Load(), ast.Store()
        name = ast.copy_location(ast.Constant(target.attr), target)
        changed = self._call(_CHANGED, target, owner, name, value)
        if isinstance(store, ast.Attribute):
            return self._field_assignment(store, changed)
        return ast.copy_location(ast.Assign([store], changed), target)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            return node
        left = copy.copy(node.target)
        left.ctx = ast.Load()
        value = ast.copy_location(ast.BinOp(left, node.op, node.value), node)
        if isinstance(node.target, ast.Attribute):
            return self._field_assignment(node.target, value)
        return self._element_assignment(node, node.target, value)

    def _element_assignment(self, node, target, value):
        """`x = replaced(x, index[...], value)`, as a block is a value."""
        load = copy.copy(target.value)
        load.ctx = ast.Load()
        helper = ast.copy_location(ast.Name(_INDEX, ast.Load()), target)
        index = ast.copy_location(ast.Subscript(helper, target.slice, ast.Load()), target)
        store = copy.copy(target.value)
        store.ctx = ast.Store()
        return ast.copy_location(ast.Assign([store], self._call(_REPLACED, node, load, index, value)), node)

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if node.value is None:
            if ast.unparse(node.annotation).endswith("constexpr"):
                self.declared.add(getattr(node.target, "id", None))
            return node
        name = _CONSTANT if ast.unparse(node.annotation).endswith("constexpr") else _VALUE
        value = self._call(name, node.value, node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        thunks = [ast.copy_location(ast.Lambda(_no_arguments(), value), value) for value in node.values]
        return self._call(_AND if isinstance(node.op, ast.And) else _OR, node, *thunks)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self._call(_NOT, node, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) > 1:
            names = ast.copy_location(ast.Constant(tuple(type(op).__name__ for op in node.ops)), node)
            return self._call(_CHAIN, node, names, node.left, *node.comparators)
        if not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return node
        same = self._call(_IS, node, node.left, *node.comparators)
        if isinstance(node.ops[0], ast.Is):
            return same
        return ast.copy_location(ast.UnaryOp(ast.Not(), same), node)


def _as_list(statements):
    return statements if isinstance(statements, list) else [statements]


def _no_arguments():
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _parameters(tree):
    return [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]


#: By source the code of its rewritten function.
_codes = weakref.WeakKeyDictionary()


def rewrite(fn):
    """`fn` as a Python function for the interpreter, with its globals and closure as they are now."""
    source = source_of(fn)
    if source not in _codes:
        _codes[source] = _code(source)
    environment = {**fn.__globals__, **_closure(fn), **_free_builtins(fn)}
    names = dict(environment)
    exec(_codes[source], environment)
    made = environment.pop(fn.__name__)
    environment.update(names)  # by its own name it calls the kernel function, as others do
    return made


class _Refusing:
    """Raises errors for constructs of a function that would have no effect here."""

    #: A generator would not run, and the enclosing variables are copies.
    _SILENT = (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)

    def __init__(self, source):
        self.source = source

    def error(self, message, node, hint):
        """The `CompilationError` at `node`."""
        return CompilationError(message, [self.source.frame(node)], hint)

    def check(self):
        """Raise the error for the first such construct."""
        for node in ast.walk(self.source.tree):
            if isinstance(node, self._SILENT):
                refuse(self, node)


def _code(source):
    _Refusing(source).check()
    tree = source.parsed()
    # The caller binds the defaults: a tree has no values for them.
    tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
    tree = _Rewriter().visit(tree)
    tree.decorator_list = []
    module = ast.fix_missing_locations(ast.Module([tree], []))
    return compile(module, source.file, "exec")


def _closure(fn):
    cells = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells if cell != type(cell)()}


def _free_builtins(fn):
    """The helpers, less those whose names the module of `fn` uses for something of its own."""
    return {name: value for name, value in HELPERS.items() if name not in fn.__globals__}
