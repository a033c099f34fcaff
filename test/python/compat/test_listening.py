"""`triton.knobs.compilation.listener` and `triton.knobs.runtime.add_stages_inspection_hook`."""

import numpy as np
import pytest
import tilewright as tw
from optional_packages import needs

needs("torch")


@pytest.fixture
def triton(tmp_path):
    import tilewright.compat

    tilewright.compat.install()
    import triton

    with triton.knobs.compilation.scope(), triton.knobs.runtime.scope(), triton.knobs.cache.scope():
        triton.knobs.cache.dir = tmp_path
        yield triton
    tilewright.compat.uninstall()


def scale_of(triton):
    """A new function each time, not yet compiled in this process."""
    import triton.language as tl

    @triton.jit
    def scale(x, out, factor, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i) * factor)

    return scale


def arguments():
    return np.arange(8, dtype=np.float32), np.zeros(8, np.float32), 3.0


@pytest.mark.compiled
def test_the_listener_is_told_of_each_compilation(triton):
    from triton.backends.compiler import GPUTarget

    told = []
    triton.knobs.compilation.listener = lambda **facts: told.append(facts)
    x, out, factor = arguments()
    for _ in range(2):
        scale_of(triton)[1,](x, out, factor, BLOCK=8)
    assert np.array_equal(out, 3 * x)
    first, second = told
    for facts in told:
        assert set(facts) == {"src", "metadata", "metadata_group", "times", "cache_hit"}
        assert facts["src"].name == "scale" and facts["src"].signature["BLOCK"] == "constexpr"
        assert facts["src"].constants["BLOCK"] == 8
        assert facts["metadata"]["hash"] and isinstance(facts["metadata"]["target"], GPUTarget)
        assert facts["metadata"]["num_warps"] == 4 and facts["times"].ir_initialization > 0
        assert isinstance(facts["times"], triton.knobs.CompileTimes)
    assert first["cache_hit"] is False and second["cache_hit"] is True
    assert first["times"].total_lowering > 0 and first["times"].lowering_stages[0][0] == "ttir"
    assert second["times"].total_lowering == second["times"].store_results == 0
    triton.knobs.compilation.listener = None
    scale_of(triton)[1,](x, out, 4, BLOCK=4)
    assert len(told) == 2


def test_the_listener_is_told_of_kernels_compiled_ahead(triton):
    from triton.backends.compiler import GPUTarget

    told = []
    triton.knobs.compilation.listener = lambda **facts: told.append(facts)
    signature = {"x": "*fp32", "out": "*fp32", "factor": "fp32", "BLOCK": "constexpr"}
    src = triton.compiler.ASTSource(scale_of(triton), signature, {"BLOCK": 128})
    triton.compile(src, target=GPUTarget("cuda", 90, 32))
    (facts,) = told
    assert facts["src"] is src and facts["metadata"]["target"] == GPUTarget("cuda", 90, 32)
    assert {"ttir", "ttgir", "ptx"} <= {name for name, _ in facts["times"].lowering_stages}


@pytest.mark.compiled
def test_stages_may_be_looked_at(triton):
    from triton.backends.compiler import Language

    seen = []

    def hook(backend, stages, options, language, capability):
        inner = stages["ttir"]

        def look(src, metadata):
            text = inner(src, metadata)
            seen.append(
                (text, metadata["name"], language, capability == backend.target.arch, options.num_warps)
            )
            return text

        stages["ttir"] = look

    triton.knobs.runtime.add_stages_inspection_hook = hook
    x, out, factor = arguments()
    scale_of(triton)[1,](x, out, factor, BLOCK=8, num_warps=2)
    scale_of(triton)[1,](x, out, factor, BLOCK=8, num_warps=2)  # on disk by now
    (one,) = seen
    assert "tile.func" in one[0] and one[1:] == ("scale", Language.TRITON, True, 2)


def replaced(stages):
    stages["ttir"] = lambda src, metadata: "module {}"


def added(stages):
    stages["mine"] = lambda src, metadata: src


def removed(stages):
    del stages["ttir"]


@pytest.mark.compiled
@pytest.mark.parametrize(
    "change, message",
    [(replaced, "changed what 'ttir' gives"), (added, "added 'mine'"), (removed, "removed 'ttir'")],
)
def test_stages_may_not_be_changed(triton, change, message):
    triton.knobs.runtime.add_stages_inspection_hook = lambda backend, stages, *rest: change(stages)
    with pytest.raises(tw.TilewrightError, match=f"a hook for stages may look at them, but it {message}"):
        scale_of(triton)[1,](*arguments(), BLOCK=8)


@pytest.mark.compiled
def test_the_listener_of_autotuners_is_told_of_each_choice(triton):
    told = []
    x, out, factor = arguments()
    with triton.knobs.autotuning.scope():
        triton.knobs.autotuning.listener = lambda **facts: told.append(facts)
        for sizes in ([4, 8], [8]), ([4, 8], [4, 8]), ([4, 8], [4, 8]):
            listed, kept = ([triton.Config({"BLOCK": size}) for size in entry] for entry in sizes)
            tuned = triton.autotune(
                listed,
                key=[],
                prune_configs_by={"early_config_prune": lambda *args, kept=kept, **named: kept},
            )(scale_of(triton))
            tuned[1,](x, out, factor)
    assert triton.knobs.autotuning.listener is None
    measured, kept_on_disk = told  # a single configuration is no choice
    for facts in told:
        assert facts["fn"].__name__ == "scale" and facts["key"] == ("float32", "float32")
        assert facts["best_config"] in facts["configs_timings"] and len(facts["configs_timings"]) == 2
    assert measured["duration"] > 0 and measured["cache_hit"] is False
    assert kept_on_disk["duration"] is None and kept_on_disk["cache_hit"] is True
