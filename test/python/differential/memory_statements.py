"""Statements that write memory and read it again: by pointers, block pointers, descriptors, rows and atomics."""

from types_and_shapes import BLOCKS, SPAN, is_float, numel, spell

#: Each program has a matrix of so many rows and columns in each of the arrays of `BLOCKS`.
ROWS, COLUMNS = 16, 32


class MemoryStatements:
    """Statements around `Expressions`. A program reads what any of its threads wrote."""

    def _block(self):
        """One of the arrays: the start of the program's part of it, and the element type."""
        type_ = self.pick(tuple(BLOCKS))
        return f"blocks_{type_} + pid * {SPAN}", type_

    def _matrix_shape(self, type_):
        rows = self.pick((1, 2, 4, 8, 16, 3, 6))
        columns = self.pick((16, 32, 8, 24) if type_[-1] != "8" else (16, 32))
        return rows, columns

    def _access(self, indent, base, shape):
        """Creates a view of the part by blocks of a shape. Returns the texts that read and write it."""
        name, row, column = self._name(), self.integer(-1, ROWS), self.integer(-1, 2) * 8
        kind = self.integer(0, 2)
        if kind == 0:
            self._add(
                indent,
                f"{name} = tl.make_tensor_descriptor({base}, [{ROWS}, {COLUMNS}], [{COLUMNS}, 1], {list(shape)})",
            )
            return f"{name}.load([{row}, {column}])", f"{name}.store([{row}, {column}], {{}})"
        if kind == 1:
            arguments = f"({ROWS}, {COLUMNS}), ({COLUMNS}, 1), ({row}, {column}), {spell(shape)}, (1, 0)"
            self._add(indent, f"{name} = tl.make_block_ptr({base}, {arguments})")
            check = "boundary_check=(0, 1)"
            return f'tl.load({name}, {check}, padding_option="zero")', f"tl.store({name}, {{}}, {check})"
        row, column = abs(row), abs(column)
        self._add(indent, f"{name}_r = {row} + tl.arange(0, {shape[0]})[:, None]")
        self._add(indent, f"{name}_c = {column} + tl.arange(0, {shape[1]})[None, :]")
        address = f"{base} + {name}_r * {COLUMNS} + {name}_c"
        mask = f"mask=({name}_r < {ROWS}) & ({name}_c < {self.pick((COLUMNS, 20, 'n + 8'))})"
        return f"tl.load({address}, {mask}, other=0)", f"tl.store({address}, {{}}, {mask})"

    def _write_block(self, indent, depth):
        base, type_ = self._block()
        shape = self._matrix_shape(type_)
        _, store = self._access(indent, base, shape)
        self._add(indent, store.format(self.expression(type_, shape, 1)))

    def _read_block(self, indent, depth):
        base, type_ = self._block()
        shape = self._matrix_shape(type_)
        load, _ = self._access(indent, base, shape)
        self._define(indent, type_, shape, load)

    def _rows(self, indent, depth):
        """Rows that an index names, read or written."""
        base, type_ = self._block()
        if type_ == "int8":
            base, type_ = f"blocks_int32 + pid * {SPAN}", "int32"
        name, count, columns = self._name(), self.pick((8, 16, 12)), self.pick((8, 16))
        self._add(
            indent,
            f"{name} = tl.make_tensor_descriptor({base}, [{ROWS}, {COLUMNS}], [{COLUMNS}, 1], [1, {columns}])",
        )
        column = self.pick((0, 8, 16, 24))
        if self.chance(2):
            # Each row once: the order of two writes is unspecified.
            index = f"(tl.arange(0, {count}) * 5 + {self.integer(0, 9)}) % {ROWS + 1}"
            value = self.expression(type_, (count, columns), 1)
            return self._add(indent, f"{name}.scatter({value}, {index}, {column})")
        index = f"({self.expression('uint32', (count,), 1)} % {ROWS + 2}).to(tl.int32)"
        return self._define(indent, type_, (count, columns), f"{name}.gather({index}, {column})")

    def _exchange(self, indent, depth):
        """An atomic operation on distinct elements of the program; its result is used."""
        base, type_ = self._block()
        if type_ not in ("int32", "float32"):
            base, type_ = f"blocks_int32 + pid * {SPAN}", "int32"
        shape = self.shape(128)
        offsets = (
            f"tl.reshape(tl.arange(0, {numel(shape)}), {spell(shape)})" if shape else str(self.integer(0, 9))
        )
        pointer, value = f"{base} + ({offsets} * 3 + {self.integer(0, 99)})", self.expression(type_, shape, 1)
        op = self.pick(
            ("add", "max", "min", "xchg", "cas", *(() if is_float(type_) else ("and", "or", "xor")))
        )
        if op == "cas":
            text = f"tl.atomic_cas({pointer}, {self.leaf(type_, shape)}, {value})"
        else:
            # The result of a masked element is unspecified.
            text = f"tl.atomic_{op}({pointer}, {value})"
        self._define(indent, type_, shape, self._bounded(f"({text} + 0)", type_) if is_float(type_) else text)

    def _leave(self, indent, depth):
        """An early return from the program."""
        self._add(indent, f"if {self._condition()}:")
        self._add(indent + 1, "return")
