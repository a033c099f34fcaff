"""Functions by `torch.compile` against PyTorch's own operators: `torch_program.py DEVICE`."""

import sys

import tilewright.compat

tilewright.compat.install()

import torch  # noqa: E402
import torch._inductor.config as config  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

DEVICE = sys.argv[1]


def check(function, *shapes):
    torch.manual_seed(0)
    arguments = [torch.randn(shape, device=DEVICE) for shape in shapes]
    want = function(*arguments)
    torch.testing.assert_close(torch.compile(function)(*arguments), want, rtol=1e-4, atol=1e-4)


def pointwise_and_reductions(x, weight):
    normed = x.softmax(-1) * weight
    return normed.sum(0), x.argmax(-1), x.var(0), (x > 2).any(-1), x.erf().cos()


def loops_over_long_rows(x):
    return x.amax(-1), x.std(-1), x.logsumexp(-1)


def scans_and_indices(x, y):
    sorted_x, _ = x.sort(-1)
    indices = (y.abs() * 9).long()
    return x.cumsum(-1), sorted_x, x[indices % 20], x.gather(0, indices[:, :30] % 20)


def several_programs_a_row(x):
    # PyTorch combines such scans with reductions on the CPU only.
    scans = (x.cumsum(-1),) if DEVICE == "cpu" else ()
    # PyTorch fails if a scan is the last kernel, so a reduction follows it.
    return x.sum(), x.amax(), x.softmax(-1), *scans, (x * 2).sum(0)


def check_training():
    torch.manual_seed(0)
    x, weight = (torch.randn(shape, device=DEVICE, requires_grad=True) for shape in ((40, 64), (64,)))

    def loss(x, weight):
        return torch.nn.functional.layer_norm(torch.nn.functional.gelu(x), (64,), weight).square().mean()

    want = torch.autograd.grad(loss(x, weight), (x, weight))
    torch.testing.assert_close(torch.autograd.grad(torch.compile(loss)(x, weight), (x, weight)), want)


def check_an_index_out_of_bounds():
    if DEVICE == "cuda":
        return  # a failed assertion leaves the device unusable
    try:
        torch.compile(lambda x, i: x[i] + 1)(torch.randn(20, 30), torch.tensor([1, 20]))
    except tilewright.TilewrightError as error:
        assert "index out of bounds" in str(error), error
    else:
        raise AssertionError("an index out of bounds was taken")


@triton.jit
def scale_kernel(x_ptr, factor, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, factor * tl.load(x_ptr + i, i < n), i < n)


@triton.constexpr_function
def doubled(x):
    return 2 * x


@triton.autotune([triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def sum_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, doubled(1) * tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)


def kernels_of_the_program(x, y):
    first, second = torch.empty_like(x), torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 16),)](x, 2.0, first, x.numel(), BLOCK=16)
    sum_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](first, y, second, x.numel())
    return second.relu()


if __name__ == "__main__":
    if DEVICE == "cpu" and not hasattr(config, "cpu_backend"):
        sys.exit()  # this PyTorch compiles for the CPU in C++ only
    config.cpu_backend, config.compile_threads, config.force_disable_caches = "triton", 1, True
    check(pointwise_and_reductions, (50, 300), (300,))
    check(loops_over_long_rows, (3, 9000))
    check(scans_and_indices, (20, 30), (20, 40))
    with config.patch({"triton.cooperative_reductions": True, "triton.force_cooperative_reductions": True}):
        check(several_programs_a_row, (4, 20000))
    check_training()
    check_an_index_out_of_bounds()
    check(kernels_of_the_program, (300,), (300,))
