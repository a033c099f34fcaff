"""Members of Triton's native library that programs use, under the compat module."""

import pytest
import tilewright.compat
from optional_packages import needs


@pytest.fixture(autouse=True)
def installed():
    tilewright.compat.install()


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_cublas(backend, name):
    torch = needs("torch")
    import triton
    from triton._C.libtriton import nvidia

    device = "cuda" if backend.name == "cuda" else "cpu"
    a, b = (
        torch.randint(-3, 4, shape, device=device).to(getattr(torch, name)) for shape in ((5, 16), (7, 16))
    )
    c = torch.full((5, 7), float("nan"), device=device, dtype=a.dtype)
    nvidia.cublas.CublasLt(torch.empty(64, dtype=torch.uint8, device=device)).matmul(a, b, c)
    want = (a.double() @ b.double().T).to(a.dtype)
    torch.testing.assert_close(c, want)
    triton.testing.cublas().matmul(a, b, c.zero_())
    torch.testing.assert_close(c, want)


def test_nothing_else_of_the_library():
    with pytest.raises(ImportError, match="ir"):
        from triton._C.libtriton import ir  # noqa: F401
