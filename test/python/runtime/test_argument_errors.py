"""Invalid calls and their errors."""

import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs

pytestmark = pytest.mark.compiled

X = np.zeros(8, np.float32)


def fails(error, message):
    return pytest.raises(error, match=f"^{re.escape(message)}$")


def test_missing_argument(kernel):
    with fails(TypeError, "kernel kernel() is missing argument 'n'"):
        kernel[1](X, X)


def test_missing_arguments(kernel):
    with fails(TypeError, "kernel kernel() is missing arguments 'x', 'n'"):
        kernel[1](y=X)


def test_unexpected_keyword(kernel):
    with fails(TypeError, "kernel kernel() has no parameter 'num_warp'; did you mean 'num_warps'?"):
        kernel[1](X, X, 1, num_warp=4)


def test_too_many_arguments(kernel):
    with fails(TypeError, "kernel kernel() takes 5 arguments, but 6 were given"):
        kernel[1](X, X, 1, 1.0, 64, 65)


def test_two_values(kernel):
    with fails(TypeError, "kernel kernel() got two values for argument 'x'"):
        kernel[1](X, X, 1, x=X)


@pytest.mark.parametrize(
    "dtype, name", [(np.complex64, "complex64"), (">f4", ">f4"), ("M8[s]", "datetime64[s]"), ("S3", "|S3")]
)
def test_wrong_dtype(kernel, dtype, name):
    with fails(TypeError, f"argument 'y' of kernel kernel(): no kernel takes elements of dtype {name}"):
        kernel[1](X, np.zeros(8, dtype), 1)


def test_wrong_dtype_of_a_tensor(kernel):
    torch = needs("torch")
    with pytest.raises(
        TypeError, match=r"argument 'x' .*: no kernel takes elements of DLPack type \(code 5, 64 bits"
    ):
        kernel[1](torch.zeros(2, dtype=torch.complex64), X, 1)


@pytest.mark.parametrize("value", ["text", [1, 2], object, {}, 1j, np.complex64(1), tl.float32])
def test_unsupported_object(kernel, value):
    with pytest.raises(TypeError) as caught:
        kernel[1](X, X, value)
    assert str(caught.value).startswith(f"argument 'n' of kernel kernel(): cannot pass {value!r} of type '")
    assert "kernels take arrays, int, float, bool and None" in str(caught.value)


class BrokenInterface:
    __array_interface__ = {"typestr": "<f4", "data": ("address", False)}


class BrokenCapsule:
    def __dlpack__(self, **options):
        return 5

    def __dlpack_device__(self):
        return (1, 0)


class RaisingDevice:
    def __dlpack__(self, **options):
        pass

    def __dlpack_device__(self):
        raise BufferError("not today")


@pytest.mark.parametrize(
    "array, detail, cause",
    [
        (BrokenInterface(), ": its interface is malformed", type(None)),
        (BrokenCapsule(), "", ValueError),
        (RaisingDevice(), "", BufferError),
    ],
)
def test_array_that_cannot_be_read(kernel, array, detail, cause):
    with fails(TypeError, f"argument 'y' of kernel kernel(): cannot read the array{detail}") as caught:
        kernel[1](X, array, 3)
    assert isinstance(caught.value.__cause__, cause)


def test_tensor_of_a_trace(kernel):
    """Its library reports the CPU and address 0."""
    torch = needs("torch")
    fakes = needs("torch._subclasses.fake_tensor")
    array = np.zeros(4, np.float32)
    kernel[1](torch.zeros(4), array, 4)
    for _ in range(2):
        with fakes.FakeTensorMode(), pytest.raises(ValueError, match=r"argument 'x' .* has no memory"):
            kernel[1](torch.zeros(4), array, 4)
    kernel[1](torch.zeros(0), array, 0)


def test_tensor_without_memory(kernel):
    torch = needs("torch")
    with fails(TypeError, "argument 'x' of kernel kernel(): cannot read the array") as caught:
        kernel[1](torch.zeros(3, device="meta"), X, 3)
    assert "meta" in str(caught.value.__cause__)


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_int_beyond_64_bits(kernel, value):
    with fails(OverflowError, f"argument 'n' of kernel kernel(): {value} does not fit 64 bits"):
        kernel[1](X, X, value)


def test_array_for_a_constexpr(kernel):
    message = "is an array, but the parameter is tl.constexpr and takes a compile-time value"
    with fails(TypeError, f"argument 'BLOCK' of kernel kernel() {message}"):
        kernel[1](X, X, 1, BLOCK=X)


def test_constexpr_without_hash(kernel):
    message = "a compile-time value has to be hashable, got a value of type 'list'"
    with fails(TypeError, f"argument 'BLOCK' of kernel kernel(): {message}"):
        kernel[1](X, X, 1, BLOCK=[64])


@pytest.mark.parametrize(
    "grid, error, message",
    [
        ((), ValueError, " has 0 dimensions, not one to three"),
        ((1, 1, 1, 1), ValueError, " has 4 dimensions, not one to three"),
        (-1, ValueError, " along x is -1, a negative number"),
        ((1, -(2**70)), ValueError, f" along y is {-(2**70)}, a negative number"),
        (2**31, ValueError, f" along x is {2**31}, but at most {2**31 - 1} programs are allowed there"),
        ((1, 65536), ValueError, " along y is 65536, but at most 65535 programs are allowed there"),
        ((1, 1, 2**70), ValueError, f" along z is {2**70}, but at most 65535 programs are allowed there"),
        ((1, 2.5), TypeError, " along y is 2.5, not an int; tilewright.cdiv divides and rounds up"),
        (("1",), TypeError, " along x is '1', not an int"),
        (True, TypeError, " along x is True, not an int"),
        (np.array([3, 4]), TypeError, " along x is array([3, 4]), not an int"),
        (
            "16",
            TypeError,
            " is '16'; it is an int, one to three ints, or a function of the arguments that returns them",
        ),
        (lambda meta: -meta["n"], ValueError, " along x is -3, a negative number"),
    ],
)
def test_grid(kernel, grid, error, message):
    with fails(error, "grid of kernel kernel()" + message):
        kernel[grid](X, X, 3)


def test_grid_function_sees_arguments_and_options(kernel):
    seen = {}

    def grid(meta):
        seen.update(meta)
        return -1

    with pytest.raises(ValueError):
        kernel[grid](X, X, 3, num_warps=2)
    assert seen["x"] is X
    assert {name: seen[name] for name in ("n", "scale", "BLOCK", "num_warps", "num_stages", "debug")} == {
        "n": 3,
        "scale": 1.0,
        "BLOCK": 64,
        "num_warps": 2,
        "num_stages": 3,
        "debug": False,
    }


def test_grid_function_that_looks_up_an_unknown_name(kernel):
    message = (
        "the grid function of kernel kernel() looks up 'BLOK', which is no parameter and no option; it is given "
        "x, y, n, scale, BLOCK and the options; did you mean 'BLOCK'?"
    )
    for launch in (kernel, tw.interpret(kernel), tw.autotune([tw.Config({"BLOCK": 8})], key=[])(kernel)):
        with fails(tw.TilewrightError, message) as caught:
            launch[lambda meta: (meta["BLOK"],)](X, X, 3)
        assert isinstance(caught.value, KeyError) and isinstance(caught.value.__cause__, KeyError)
    assert kernel[lambda meta: (meta.get("BLOK", 1),)](X, X, 3)


def test_grid_function_with_an_error_of_its_own(kernel):
    for key, error in ((3, KeyError), ("BLOCK", KeyError)):
        with pytest.raises(error) as caught:
            kernel[lambda meta, key=key: {}[key]](X, X, 3)
        assert caught.type is error
    with pytest.raises(TypeError, match="unsupported operand"):
        kernel[lambda meta: meta["n"] + "1"](X, X, 3)


def test_grid_function_without_a_parameter(kernel):
    message = (
        "the grid function of kernel kernel() is called with one dict, the arguments and options by name, and takes "
        "(m, n)"
    )
    with fails(TypeError, message):
        kernel[lambda m, n: (1,)](X, X, 3)


def test_heuristic_that_looks_up_an_unknown_name(kernel):
    tuned = tw.heuristics({"BLOCK": lambda args: args["N"]})(kernel)
    message = "the heuristic for 'BLOCK' of kernel kernel() looks up 'N', which is no parameter and no option"
    with pytest.raises(tw.TilewrightError, match=re.escape(message)):
        tuned[1](X, X, 3)


def test_kernel_of_a_class():
    class Scale:
        @tw.jit
        def kernel(self, x):
            pass

    message = "is missing argument 'x'; 'self' is a parameter as others: kernels are launched as functions"
    with fails(TypeError, f"kernel kernel() {message}"):
        Scale().kernel[1](X)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"num_warps": 3}, ValueError, "num_warps must be a power of 2 up to 32, got 3"),
        ({"num_warps": "4"}, TypeError, "num_warps is an int, got '4'"),
        ({"num_stages": 0}, ValueError, "num_stages is between 1 and 16, got 0"),
        ({"num_stages": True}, TypeError, "num_stages is an int, got True"),
        ({"debug": 1}, TypeError, "debug is True or False, got 1"),
    ],
)
def test_options(kernel, options, error, message):
    with fails(error, message):
        kernel[1](X, X, 3, **options)


def test_call_without_grid(kernel):
    with fails(RuntimeError, "kernel kernel() is launched over a grid: kernel[grid](...)"):
        kernel(X, X, 3)


def test_variable_parameters():
    with fails(TypeError, "kernel f() cannot take **named: its arguments have to be named"):

        @tw.jit
        def f(**named):
            pass

    @tw.jit
    def g(x, *rest):
        pass

    with fails(
        TypeError,
        "kernel g() cannot be launched: it takes *rest, as only functions that kernels call may; pass a tuple "
        "instead",
    ):
        g[1](X)


def test_unknown_name_in_do_not_specialize():
    with fails(ValueError, "do_not_specialize of kernel f() names 'm', which is no parameter of it"):

        @tw.jit(do_not_specialize=["m"])
        def f(n):
            pass


def test_jit_of_something_else():
    with pytest.raises(TypeError, match="jit decorates a Python function, got 3"):
        tw.jit(3)


def test_too_many_parameters():
    names = ", ".join(f"p{i}" for i in range(321))
    scope = {}
    exec(f"def f({names}): pass", scope)
    with fails(TypeError, "kernel f() has 321 parameters; at most 320 are supported"):
        tw.jit(scope["f"])[1](*range(321))


def test_stream_that_is_none(kernel):
    from tilewright.runtime.specializer import Specializer

    specializer = Specializer(kernel.fn, kernel.params)
    message = (
        "stream of kernel kernel() is 'main', not an int, a tilewright.Stream or a stream of torch or CuPy"
    )
    with fails(TypeError, message):
        specializer.stream_handle("main")
    assert specializer.stream_handle(type("Stream", (), {"cuda_stream": 7})()) == 7
    assert specializer.stream_handle(type("Stream", (), {"__cuda_stream__": lambda self: (0, 9)})()) == 9
