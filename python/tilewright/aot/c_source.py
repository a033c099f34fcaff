"""The C header and the C source of a library. They need a C compiler, the C library, threads and `dlopen`."""

from pathlib import Path

from .c_interface import bits, kinds, prototype, public_names
from .cpu_features import X86, needed, saved_registers
from .exports import ExportError
from .library import Architecture

_SUPPORT = Path(__file__).parent / "support"
_INCLUDES = ("dlfcn.h", "pthread.h", "sched.h", "setjmp.h", "signal.h", "stdarg.h", "stdio.h", "stdlib.h")


#: How programs depend on each other, as the C source calls it.
_ORDERS = {"any": "TW_ANY_ORDER", "waiting": "TW_WAITING", "in_order": "TW_IN_ORDER"}


def _support(name):
    return (_SUPPORT / name).read_text()


def _notice():
    from .._tilewright import __version__

    return f"/* Made by tilewright compile {__version__}. Changes are lost when it is made again. */\n"


def _check_names(library):
    names = public_names(library)
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ExportError(f"library {library.name} would have two functions {name}; rename an export")


# -- the header -------------------------------------------------------------


def _describe(function, kind):
    first = function.of_kind(kind == "cpu")
    targets = ", ".join(dict.fromkeys(candidate.target for candidate in first))
    lines = [f"{function.name} for {targets}."]
    for name, type in function.arguments:
        lines.append(f"  {name}: {'address of ' + type[1:] if type.startswith('*') else type}")
    return "/* " + "\n * ".join(lines) + " */\n"


def header(library):
    """The text of the header."""
    _check_names(library)
    guard = f"TILEWRIGHT_LIBRARY_{library.name.upper()}_H"
    parts = [_notice(), f"#ifndef {guard}\n#define {guard}\n\n"]
    parts.append("#include <stdbool.h>\n#include <stdint.h>\n\n" + _support("status.h") + "\n")
    parts.append('#ifdef __cplusplus\nextern "C" {\n#endif\n\n')
    parts.append(_support("conventions.h").replace("LIBRARY", library.name))
    has_cuda = any("cuda" in kinds(function) for function in library.functions)
    if has_cuda:
        parts.append("\n" + _support("cuda_interface.h").replace("LIBRARY", library.name))
    for function in library.functions:
        for kind in kinds(function):
            parts.append(f"\n{_describe(function, kind)}{prototype(function, kind)};\n")
    parts.append("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
    return "".join(parts)


# -- the source -------------------------------------------------------------


def _numbers(values, spell=str, width=12):
    values = [spell(value) for value in values]
    rows = [", ".join(values[at : at + width]) for at in range(0, len(values), width)]
    return "{" + ",\n  ".join(rows) + "}"


def _image(candidate):
    """An image as words: a compiler reads these faster than bytes. PTX ends in a zero."""
    data = candidate.code + (b"\0" if candidate.image == "ptx" else b"")
    data += b"\0" * (-len(data) % 8)
    words = (int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8))
    return _numbers(words, lambda word: f"0x{word:x}", 8)


def _cuda_code(candidate, label, index):
    architecture = Architecture.parse(candidate.target)
    recipe = candidate.metadata.get("launch_recipe")
    text = f"static const uint64_t {label}_image[] = {_image(candidate)};\n"
    if recipe:
        text += f"static const int64_t {label}_recipe[] = {_numbers(recipe, lambda n: f'INT64_C({n})')};\n"
    fields = [
        index,
        architecture.capability,
        f"'{architecture.suffix}'" if architecture.suffix else 0,
        int(candidate.image == "ptx"),
        int(candidate.metadata["cooperative"]),
        int(candidate.metadata["dependent"]),
        f"{label}_image",
        candidate.metadata["num_threads"],
        candidate.metadata.get("shared", 0),
        candidate.metadata.get("cluster", 1),
        f"{label}_recipe" if recipe else "NULL",
    ]
    return f"{text}static const struct tw_cuda_code {label}_code = {_numbers(fields)};\n"


def _host_code(candidate, label):
    features = candidate.metadata["features"]
    rows = [f"{{{', '.join(map(hex, X86[name]))}}}" for name in needed(features)]
    text = f"void {candidate.symbol}(const uint64_t *, const int32_t *, int64_t, int64_t);\n"
    if rows:
        text += f"static const struct tw_cpu_feature {label}_features[] = {_numbers(rows, width=4)};\n"
    fields = [
        candidate.symbol,
        f"{label}_features" if rows else "NULL",
        len(rows),
        saved_registers(features),
        _ORDERS[candidate.metadata["program_order"]],
    ]
    return f"{text}static const struct tw_host_code {label}_code = {_numbers(fields)};\n"


def _expressions(function, candidate, label):
    """The C functions of a condition and a grid."""

    def spell(name):
        for index, (argument, _) in enumerate(function.arguments):
            if argument == name:
                return f"(int64_t)a[{index}]"
        return f"INT64_C({candidate.values[name]})"

    text = ""
    unused = "  (void)a;\n  (void)failed;\n"
    if candidate.when:
        text += f"static int64_t {label}_when(const uint64_t *a, int *failed) {{\n{unused}"
        text += f"  return {candidate.when.to_c(spell)};\n}}\n"
    if candidate.grid:
        dims = [dim.to_c(spell) for dim in candidate.grid] + ["1"] * (3 - len(candidate.grid))
        text += f"static void {label}_grid(const uint64_t *a, int64_t *grid, int *failed) {{\n{unused}"
        text += "".join(f"  grid[{i}] = {dim};\n" for i, dim in enumerate(dims)) + "}\n"
    return text


def _function(function, kind, counter):
    """A function with its candidates of one kind; `counter` numbers those of the GPU."""
    base, rows, text = f"tw_{function.name}_{kind}", [], ""
    for number, candidate in enumerate(function.of_kind(kind == "cpu")):
        label = f"{base}_{number}"
        if kind == "cuda":
            text += _cuda_code(candidate, label, counter[0])
            counter[0] += 1
        else:
            text += _host_code(candidate, label)
        text += f"static const unsigned char {label}_hints[] = {_numbers(candidate.hints or [0])};\n"
        text += _expressions(function, candidate, label)
        code = (f"&{label}_code", "NULL") if kind == "cuda" else ("NULL", f"&{label}_code")
        rows.append(
            f'{{"{candidate.symbol}", "{candidate.target}", {label}_hints, '
            f"{label + '_when' if candidate.when else 'NULL'}, "
            f"{label + '_grid' if candidate.grid else 'NULL'}, {code[0]}, {code[1]}}}"
        )
    text += f"static const struct tw_candidate {base}_candidates[] = {{\n  " + ",\n  ".join(rows) + "};\n"
    names = [f'"{name}"' for name, _ in function.arguments] or ['""']
    text += f"static const char *const {base}_names[] = {_numbers(names)};\n"
    text += (
        f"static const struct tw_function {base} = {{\n"
        f'  "{function.name}", {base}_names, {len(function.arguments)}, {base}_candidates, {len(rows)}}};\n\n'
    )
    return text + _entry(function, kind, base)


def _entry(function, kind, base):
    values = [bits(name, type) for name, type in function.arguments] or ["0"]
    grid = "{grid[0], grid[1], grid[2]}" if function.takes_grid else "{1, 1, 1}"
    device = "stream" if kind == "cuda" else "threads"
    return (
        f"{prototype(function, kind)} {{\n"
        f"  const uint64_t arguments[] = {{{', '.join(values)}}};\n"
        f"  int64_t dims[3] = {grid};\n"
        f"  return tw_launch_{'cuda' if kind == 'cuda' else 'host'}(&{base}, arguments, dims, {device});\n"
        "}\n\n"
    )


def _limits(library):
    """Bounds of arrays in the support code."""
    recipes = [candidate.metadata.get("launch_recipe") for candidate in library.candidates]
    cuda = [candidate for candidate in library.candidates if not candidate.is_cpu]
    return {
        "TW_MAX_ARGUMENTS": max([1, *(len(function.arguments) for function in library.functions)]),
        "TW_MAX_MAPS": max([1, *(recipe[2] for recipe in recipes if recipe)]),
        "TW_CUDA_KERNELS": max(1, len(cuda)),
    }


def _housekeeping(library, functions):
    text = f"const char *{library.name}_error(void) {{ return tw_message; }}\n"
    if not functions:
        return text
    rows = ", ".join(f"&tw_{function.name}_cuda" for function in functions)
    return (
        text + f"\nstatic const struct tw_function *const tw_functions[] = {{{rows}}};\n\n"
        f"int {library.name}_load_cuda(void) {{ return tw_load_all(tw_functions, {len(functions)}); }}\n\n"
        f"void {library.name}_unload_cuda(void) {{ tw_unload_all(); }}\n"
    )


def source(library):
    """The text of the C source; it includes the header."""
    _check_names(library)
    by_kind = {
        kind: [function for function in library.functions if kind in kinds(function)]
        for kind in ("cuda", "cpu")
    }
    parts = [_notice(), "#define _GNU_SOURCE\n", f'#include "{library.name}.h"\n\n']
    parts += [f"#include <{name}>\n" for name in (*_INCLUDES, "string.h")]
    if by_kind["cpu"]:
        parts.append("#if defined(__x86_64__)\n#include <cpuid.h>\n#endif\n")
    parts.append("\n" + "".join(f"#define {name} {value}\n" for name, value in _limits(library).items()))
    parts += ["\n", _support("common.c")]
    files = {"cpu": ("host.c",), "cuda": ("driver.c", "recipe.c", "load.c", "launch.c")}
    for kind in ("cpu", "cuda"):
        parts += [f"\n{_support(name)}" for name in files[kind] if by_kind[kind]]
    parts.append("\n/* -- The functions ------------------------------------------------------ */\n\n")
    counter = [0]
    for function in library.functions:
        parts += [_function(function, kind, counter) for kind in kinds(function)]
    parts.append(_housekeeping(library, by_kind["cuda"]))
    return "".join(parts)
