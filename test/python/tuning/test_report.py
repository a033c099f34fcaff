"""Tables and plots of measurements."""

import pytest
from optional_packages import needs
from tilewright.testing import Benchmark, do_bench, do_bench_cudagraph, perf_report

pytestmark = pytest.mark.once


def benchmark(**options):
    return Benchmark(
        x_names=["n"],
        x_vals=[1, 2],
        line_arg="provider",
        line_vals=["a", "b"],
        line_names=["Ours", "Theirs"],
        plot_name="speed",
        args={"factor": 10},
        **options,
    )


@perf_report(benchmark(ylabel="GB/s", styles=[("blue", "-"), ("green", "--")]))
def measured(n, factor, provider):
    return n * factor + (provider == "b")


def test_table(capsys, tmp_path):
    assert measured.run(print_data=True, save_path=str(tmp_path)) == [[1, 10, 11], [2, 20, 21]]
    printed = capsys.readouterr().out
    assert "speed:" in printed and "Ours (GB/s)" in printed
    assert (tmp_path / "speed.csv").read_text().splitlines()[1] == "1,10,11"
    needs("matplotlib")
    assert (tmp_path / "speed.png").stat().st_size > 1000


def test_lists_of_benchmarks_and_points():
    several = perf_report([benchmark()])(lambda n, factor, provider: (n, n - 1, n + 1))
    assert several.run(diff_col=True) == [[[1, 1, 1, 0], [2, 2, 2, 0]]]
    pair = Benchmark(["m", "n"], [(1, 2), 3], "p", [0], ["x"], "t", {})
    assert list(pair.points()) == [{"m": 1, "n": 2}, {"m": 3, "n": 3}]
    pair.x_vals = [(1, 2, 3)]
    with pytest.raises(ValueError, match="for 2 names"):
        list(pair.points())
    with pytest.raises(ValueError, match="1 line_vals, but 2 line_names"):
        Benchmark(["n"], [1], "p", [0], ["x", "y"], "t", {})


def test_modes():
    times = do_bench(lambda: None, warmup=1, rep=1, return_mode="all", device="cpu")
    assert len(times) >= 3
    assert do_bench(lambda: None, warmup=1, rep=1, return_mode="max", device="cpu") >= 0
    assert isinstance(do_bench(lambda: None, 1, 1, None, [0.5], device="cpu"), float)
    with pytest.raises(ValueError, match="return_mode is one of median, mean"):
        do_bench(lambda: None, 1, 1, return_mode="best", device="cpu")
    assert do_bench_cudagraph(lambda: None, rep=1) >= 0


def test_no_graph_is_measured_inside_another(monkeypatch):
    torch = needs("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    with pytest.raises(RuntimeError, match="Warm up autotuned kernels"):
        do_bench_cudagraph(lambda: None)
