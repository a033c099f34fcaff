"""Kernels that choose their configuration by measuring."""

import math
import threading

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.tuning import results
from tilewright.tuning.autotuner import Autotuner

pytestmark = pytest.mark.compiled


def fill(out, n, value, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(out + at, mask=at < n) + value, mask=at < n)


CONFIGS = [tw.Config({"BLOCK": block}, num_warps=warps) for block in (32, 256) for warps in (1, 4)]


def grid(meta):
    return (tw.cdiv(meta["n"], meta["BLOCK"]),)


def bench_of(times, calls):
    """A `do_bench` that runs once and returns the entry of `times` for the block that ran."""

    def bench(run, quantiles):
        run()
        calls.append(dict(running))
        return [times[running["BLOCK"]]] * len(quantiles)

    running = {}
    bench.running = running
    return bench


def tuned(times, calls, **options):
    bench = bench_of(times, calls)
    options.setdefault("key", ["n"])
    options.setdefault("configs", CONFIGS)
    note = options.pop("pre_hook", None)

    def hook(arguments):
        bench.running.update(BLOCK=arguments["BLOCK"], num_warps=arguments["num_warps"])
        if note:
            note(arguments)

    options.setdefault("cache_results", False)
    return tw.autotune(do_bench=bench, pre_hook=hook, **options)(tw.jit(fill))


def test_the_fastest_is_used_until_the_key_changes(backend):
    calls = []
    kernel = tuned({32: 2.0, 256: 1.0}, calls)
    out = backend.array(np.zeros(1000), "float32")
    kernel[grid](out, 1000, 1.0)
    measured = len(calls)
    assert kernel.best_config.kwargs == {"BLOCK": 256}
    assert measured
    before = backend.numpy(out).copy()
    kernel[grid](out, 1000, 1.0)
    assert len(calls) == measured
    np.testing.assert_array_equal(backend.numpy(out), before + 1)
    kernel[grid](out, 999, 1.0)
    assert len(calls) > measured
    assert set(kernel.configs_timings.values()) == {2.0, 1.0}


def test_the_same_code_is_measured_once(backend):
    calls = []
    stages = [tw.Config({"BLOCK": block}, num_stages=number) for block in (32, 256) for number in (2, 3, 4)]
    kernel = tuned({32: 2.0, 256: 1.0}, calls, configs=stages)
    out = backend.array(np.zeros(1000), "float32")
    kernel[grid](out, 1000, 1.0)  # which has no loop to pipeline
    assert [call["BLOCK"] for call in calls] == [32, 256]
    assert kernel.configs_timings == {
        config: 2.0 if config.kwargs["BLOCK"] == 32 else 1.0 for config in stages
    }
    assert kernel.best_config is stages[3]


def test_other_grids_are_measured_for_themselves(backend):
    calls = []
    stages = [tw.Config({"BLOCK": 256}, num_stages=number) for number in (2, 3, 4)]
    kernel = tuned({256: 1.0}, calls, configs=stages)
    kernel[lambda meta: (4 * meta["num_stages"],)](backend.array(np.zeros(1000), "float32"), 1000, 1.0)
    assert len(calls) == 3


def test_dtypes_are_part_of_the_key(backend):
    calls = []
    kernel = tuned({32: 1.0, 256: 2.0}, calls)
    kernel[grid](backend.array(np.zeros(64), "float32"), 64, 1.0)
    measured = len(calls)
    kernel[grid](backend.array(np.zeros(64), "float16"), 64, 1.0)
    assert len(calls) == 2 * measured
    assert len(kernel.cache) == 2


def test_arrays_are_reset_or_restored(backend):
    for option, expected in (("reset_to_zero", 1.0), ("restore_value", 6.0)):
        for _ in range(2):  # measured, then found on disk
            kernel = tuned({32: 1.0, 256: 2.0}, [], cache_results=True, **{option: ["out"]})
            out = backend.array(np.full(100, 5.0), "float32")
            kernel[grid](out, 100, 1.0)
            np.testing.assert_array_equal(backend.numpy(out), np.full(100, expected))


def test_hooks(backend):
    seen = []
    config = tw.Config({"BLOCK": 32}, pre_hook=lambda arguments: seen.append(arguments["n"]))
    kernel = tw.autotune([config], key=[])(tw.jit(fill))
    kernel[grid](backend.array(np.zeros(8), "float32"), 8, 1.0)
    assert seen == [8]
    after = []
    kernel = tuned(
        {32: 1.0, 256: 2.0},
        [],
        post_hook=lambda arguments, exception: after.append((arguments["n"], exception)),
    )
    kernel[grid](backend.array(np.zeros(8), "float32"), 8, 1.0)
    assert after and set(after) == {(8, None)}


@pytest.mark.compiled
def test_a_hook_is_told_of_configurations_that_cannot_be_compiled(backend):
    told = []
    kernel = tw.autotune(
        [tw.Config({"BLOCK": 32}, num_warps=128), tw.Config({"BLOCK": 32}), tw.Config({"BLOCK": 64})],
        key=[],
        post_hook=lambda arguments, exception: told.append((arguments["BLOCK"], exception)),
        cache_results=False,
        warmup=1,
        rep=1,
    )(tw.jit(fill))
    kernel[grid](backend.array(np.zeros(8), "float32"), 8, 1.0)
    ((block, error),) = [entry for entry in told if entry[1] is not None]
    assert block == 32 and isinstance(error, tw.OutOfResources)
    assert "out of resource: threads, Required: 4096, Hardware limit: 1024" in str(error)


def test_errors_of_hooks_are_not_hidden(backend):
    def hook(arguments):
        raise ValueError("mine")

    kernel = tuned({32: 1.0, 256: 2.0}, [], pre_hook=hook)
    with pytest.raises(ValueError, match="mine"):
        kernel[grid](backend.array(np.zeros(8), "float32"), 8, 1.0)


def test_pruning(backend):
    calls = []
    kernel = tuned(
        {32: 1.0, 256: 2.0},
        calls,
        prune_configs_by={
            "early_config_prune": lambda configs, named, **kwargs: [
                config for config in configs if config.kwargs["BLOCK"] <= named["n"]
            ]
        },
    )
    kernel[grid](backend.array(np.zeros(64), "float32"), 64, 1.0)
    assert {call["BLOCK"] for call in calls} == {32}
    calls.clear()
    kernel = tuned(
        {32: 1.0, 256: 2.0},
        calls,
        prune_configs_by={"perf_model": lambda BLOCK, num_warps, **_: -BLOCK * num_warps, "top_k": 2},
    )
    kernel[grid](backend.array(np.zeros(64), "float32"), 64, 1.0)
    assert {call["BLOCK"] for call in calls} == {256}
    kernel = tuned({}, [], prune_configs_by={"early_config_prune": lambda configs, named, **kwargs: []})
    with pytest.raises(tw.AutotunerError, match="left no configuration of fill"):
        kernel[grid](backend.array(np.zeros(64), "float32"), 64, 1.0)


def picky(out, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK < 64, "too large")
    tl.store(out + tl.arange(0, BLOCK), 1.0)


def test_configurations_that_cannot_be_compiled_are_left_out(backend):
    out = backend.array(np.zeros(64), "float32")
    kernel = tw.autotune([tw.Config({"BLOCK": block}) for block in (32, 64, 128)], key=[])(tw.jit(picky))
    kernel[(1,)](out)
    assert kernel.best_config.kwargs == {"BLOCK": 32}
    assert "too large" in str(kernel.dropped[tw.Config({"BLOCK": 64})])
    assert math.isinf(kernel.configs_timings[tw.Config({"BLOCK": 128})])
    np.testing.assert_array_equal(backend.numpy(out), [1.0] * 32 + [0.0] * 32)
    # If no configuration compiles, the kernel's own error is raised.
    kernel = tw.autotune([tw.Config({"BLOCK": block}) for block in (64, 128)], key=[])(tw.jit(picky))
    with pytest.raises(tw.CompilationError, match="too large"):
        kernel[(1,)](out)


def test_mistakes():
    with pytest.raises(ValueError, match="key names 'm', which is no parameter of fill"):
        tw.autotune(CONFIGS, key=["m"])(tw.jit(fill))
    with pytest.raises(ValueError, match="heuristics names 'm', which is no parameter of fill"):
        tw.heuristics({"m": len})(tw.jit(fill))
    kernel = tw.autotune(CONFIGS, key=["n"])(tw.jit(fill))
    with pytest.raises(ValueError, match=r"BLOCK of fill\(\) is chosen by autotune and was given as well"):
        kernel[(1,)](np.zeros(4, np.float32), 4, 1.0, BLOCK=32)


def test_without_measuring(backend, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_AUTOTUNE", "first")
    calls = []
    kernel = tuned({}, calls)
    kernel[grid](backend.array(np.zeros(64), "float32"), 64, 1.0)
    assert kernel.best_config == CONFIGS[0] and not calls


def test_results_are_kept_on_disk(backend, monkeypatch):
    calls = []
    out = backend.array(np.zeros(64), "float32")
    tuned({32: 2.0, 256: 1.0}, calls, cache_results=True, key=["n"])[grid](out, 64, 1.0)
    measured = len(calls)
    assert measured
    again = tuned({32: 1.0, 256: 2.0}, calls, cache_results=True, key=["n"])
    again[grid](out, 64, 1.0)
    assert len(calls) == measured and again.best_config.kwargs == {"BLOCK": 256}
    assert again.configs_timings
    # Another list of configurations is another result.
    tuned({32: 1.0, 256: 2.0}, calls, cache_results=True, configs=CONFIGS[:3])[grid](out, 64, 1.0)
    assert len(calls) > measured


def test_one_thread_measures(backend):
    calls = []
    kernel = tuned({32: 2.0, 256: 1.0}, calls)
    arrays = [backend.array(np.zeros(128), "float32") for _ in range(8)]
    threads = [threading.Thread(target=lambda out=out: kernel[grid](out, 128, 1.0)) for out in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kernel.cache) == 1 and len(calls) <= 2 * len(CONFIGS)


def test_heuristics_in_both_orders(backend):
    def scale(out, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(out + at, 2.0 if EVEN else 1.0, mask=at < n)

    even = tw.heuristics({"EVEN": lambda arguments: arguments["n"] % 2 == 0})
    configs = [tw.Config({"BLOCK": block}) for block in (32, 64)]
    for kernel in (
        tw.autotune(configs, key=["n"])(even(tw.jit(scale))),
        even(tw.autotune(configs, key=["n"])(tw.jit(scale))),
    ):
        for n, expected in ((10, 2.0), (11, 1.0)):
            out = backend.array(np.zeros(n), "float32")
            kernel[(1,)](out, n)
            np.testing.assert_array_equal(backend.numpy(out), np.full(n, expected))
        assert kernel.kernel.__name__ == "scale"


def test_configurations_of_other_kernels():
    with pytest.raises(ValueError, match=r"name 'BLOCKS', which is no parameter .*; did you mean 'BLOCK'\?"):
        tw.autotune([tw.Config({"BLOCKS": 32})], key=["n"])(tw.jit(fill))


def test_real_measuring(backend):
    out = backend.array(np.zeros(4096), "float32")
    kernel = tw.autotune(CONFIGS, key=["n"], warmup=1, rep=2, restore_value=["out"])(tw.jit(fill))
    kernel[grid](out, 4096, 3.0)
    np.testing.assert_array_equal(backend.numpy(out), np.full(4096, 3.0))
    assert all(0 < time < 1000 for time in kernel.configs_timings.values())
    assert isinstance(kernel, Autotuner) and kernel.best_config in CONFIGS


def test_space():
    space = tw.Space(BLOCK=[16, 32, 64, 128], num_warps=[1, 2, 4], where=lambda c: c.kwargs["BLOCK"] > 16)
    assert len(space) == 12 and len(space.configs()) == 9
    tried = []

    def measure(configs):
        tried.extend(configs)
        return [abs(config.kwargs["BLOCK"] - 64) + config.num_warps for config in configs]

    times = space.search(measure, clock=iter(range(1000)).__next__)
    assert len(tried) == len(set(tried)) == len(times)
    best = min(times, key=times.get)
    assert (best.kwargs["BLOCK"], best.num_warps) == (64, 1)
    assert tw.Space(BLOCK=[1], seconds=2).search(lambda configs: [1.0], clock=iter([0, 3]).__next__) == {}
    for wrong in ({}, {"BLOCK": []}, {"BLOCK": [1], "seconds": 0}):
        with pytest.raises(ValueError):
            tw.Space(**wrong)


def test_autotune_searches_a_space(backend):
    kernel = tuned({32: 2.0, 256: 1.0}, [], configs=tw.Space(BLOCK=[32, 256], num_warps=[1, 4], seconds=5))
    kernel[grid](backend.array(np.zeros(64), "float32"), 64, 1.0)
    assert kernel.best_config.kwargs == {"BLOCK": 256}


def test_command(backend, tmp_path, monkeypatch, capsys):
    from tilewright.cli import main

    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))  # other processes use the other one
    out = backend.array(np.zeros(64), "float32")
    calls = []
    options = {"cache_results": True, "configs": CONFIGS[1:]}
    tuned({32: 2.0, 256: 1.0}, calls, **options)[grid](out, 64, 1.0)
    measured = len(calls)
    assert main(["tune", "list"]) == 0
    assert "fill" in capsys.readouterr().out
    file = tmp_path / "table.json"
    assert main(["tune", "export", str(file)]) == 0
    assert main(["tune", "clear"]) == 0
    assert not list(results.entries(results.disk_cache()))
    assert main(["tune", "import", str(file)]) == 0
    again = tuned({32: 1.0, 256: 2.0}, calls, **options)
    again[grid](out, 64, 1.0)
    assert len(calls) == measured and again.best_config.kwargs == {"BLOCK": 256}
    file.write_text('{"x": {}}')
    assert main(["tune", "import", str(file)]) == 1
    assert "cannot be imported: 'x' is no digest" in capsys.readouterr().err
