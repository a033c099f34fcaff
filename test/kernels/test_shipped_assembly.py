"""No shipped configuration spills registers or gets advice from the assembler (C7508, C7510 to C7515 and all).

By default it assembles a subset that has each kernel with each of its tiles, with `--all-configurations` everything.
"""

import pytest
from assembling import assemble, needs_assembler, tensor_maps
from shipped import SHIPPED

pytestmark = pytest.mark.compiled


@needs_assembler
@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda shipped: shipped.name)
def test_no_advice_and_no_spills(request, shipped):
    if not shipped.covers and not request.config.getoption("--all-configurations"):
        pytest.skip("runs with --all-configurations")
    compiled = assemble(
        shipped.kernel, shipped.dtype, shipped.constants, "sm_90a", types=shipped.types, **shipped.options
    )
    if shipped.engine:
        assert "wgmma.mma_async" in compiled.asm["ptx"]
        assert tensor_maps(compiled)[0] >= 2
    assert compiled.metadata["advice"] == []
    assert compiled.metadata["spills"] == 0


def test_every_kernel_is_covered():
    covered = {shipped.kernel.fn for shipped in SHIPPED if shipped.covers}
    assert {shipped.kernel.fn for shipped in SHIPPED} == covered
