"""Tables and plots of a function's time over one of its arguments."""

from pathlib import Path


class Benchmark:
    """A plan of measurements: one line of a plot for each value of one argument, over values of others.

    Args:
        x_names: arguments on the x axis; all are set to the same value, or for tuples in `x_vals` each to
            its own.
        x_vals: their values.
        line_arg, line_vals, line_names: the argument that the lines differ in, its values, and the names
            of the lines.
        plot_name: title of the table and name of the files.
        args: other arguments, the same for all.
        xlabel, ylabel, x_log, y_log: the axes.
        styles: pairs of colour and line style of the lines, as matplotlib names them.

    Example:

        >>> from tilewright.testing import Benchmark
        >>> sizes = Benchmark(["n"], [1, 2], "provider", ["ours"], ["Ours"], "sums", args={})
        >>> list(sizes.points())
        [{'n': 1}, {'n': 2}]
    """

    def __init__(
        self,
        x_names,
        x_vals,
        line_arg,
        line_vals,
        line_names,
        plot_name,
        args,
        xlabel="",
        ylabel="",
        x_log=False,
        y_log=False,
        styles=None,
    ):
        self.x_names, self.x_vals = list(x_names), list(x_vals)
        self.line_arg, self.line_vals, self.line_names = line_arg, list(line_vals), list(line_names)
        if len(self.line_vals) != len(self.line_names):
            raise ValueError(f"{len(self.line_vals)} line_vals, but {len(self.line_names)} line_names")
        self.plot_name, self.args = plot_name, dict(args)
        self.xlabel, self.ylabel, self.x_log, self.y_log = xlabel, ylabel, x_log, y_log
        self.styles = styles

    def points(self):
        """The values of the x axis, each as a dict of arguments."""
        for value in self.x_vals:
            values = value if isinstance(value, (tuple, list)) else [value] * len(self.x_names)
            if len(values) != len(self.x_names):
                raise ValueError(f"x_vals has {value!r} for {len(self.x_names)} names")
            yield dict(zip(self.x_names, values))


def _three(result):
    """A result as value, low and high."""
    return result if isinstance(result, (tuple, list)) else (result, None, None)


class Mark:
    """A measured function with its benchmarks, made by `perf_report`."""

    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def run(
        self, show_plots=False, print_data=False, save_path="", return_df=False, diff_col=False, **kwargs
    ):
        """Measure.

        Args:
            show_plots: open a window for each plot.
            print_data: print a table for each.
            save_path: directory for the tables as CSV and the plots as PNG.
            return_df: give the tables as pandas data frames; else lists of rows are given.
            diff_col: with two lines, another column with their difference.
            kwargs: further arguments of the function.

        Gives one table, or a list of them where there is a list of benchmarks.
        """
        several = isinstance(self.benchmarks, (list, tuple))
        tables = []
        for benchmark in self.benchmarks if several else [self.benchmarks]:
            rows, names = self._measure(benchmark, kwargs), [*benchmark.x_names, *benchmark.line_names]
            header = [f"{name} ({benchmark.ylabel})" for name in benchmark.line_names]
            header = [*benchmark.x_names, *(header if benchmark.ylabel else benchmark.line_names)]
            table = [
                [row[name] if name in benchmark.x_names else row[name][0] for name in names] for row in rows
            ]
            if diff_col and len(benchmark.line_names) == 2:
                header.append("Diff")
                table = [[*row, row[-1] - row[-2]] for row in table]
            if print_data:
                print(f"{benchmark.plot_name}:\n{_text(header, table)}")
            if save_path:
                _save(Path(save_path), benchmark, header, table)
            if show_plots or save_path:
                _plot(benchmark, rows, Path(save_path) if save_path else None, show_plots)
            tables.append(_frame(header, table) if return_df else table)
        return tables if several else tables[0]

    def _measure(self, benchmark, kwargs):
        rows = []
        for point in benchmark.points():
            row = dict(point)
            for value, name in zip(benchmark.line_vals, benchmark.line_names):
                arguments = {**point, benchmark.line_arg: value, **benchmark.args, **kwargs}
                row[name] = _three(self.fn(**arguments))
            rows.append(row)
        return rows


def _text(header, table):
    cells = [[f"{cell:.6f}" if isinstance(cell, float) else str(cell) for cell in row] for row in table]
    widths = [max(map(len, column)) for column in zip(header, *cells)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [header, *cells]
    )


def _frame(header, table):
    import pandas

    return pandas.DataFrame(table, columns=header)


def _save(directory, benchmark, header, table):
    import csv

    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / f"{benchmark.plot_name}.csv", "w", newline="") as file:
        csv.writer(file).writerows([header, *table])


def _plot(benchmark, rows, directory, show):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        if show:
            raise
        return  # the table is there
    figure, axes = plt.subplots()
    first = benchmark.x_names[0]
    for index, name in enumerate(benchmark.line_names):
        color, style = (
            (benchmark.styles or [])[index] if index < len(benchmark.styles or []) else (None, None)
        )
        x = [row[first] for row in rows]
        axes.plot(x, [row[name][0] for row in rows], label=name, color=color, ls=style)
        if all(row[name][1] is not None for row in rows):
            low, high = ([row[name][i] for row in rows] for i in (1, 2))
            axes.fill_between(x, low, high, alpha=0.15, color=color)
    axes.set_xlabel(benchmark.xlabel or first)
    axes.set_ylabel(benchmark.ylabel)
    axes.set_xscale("log" if benchmark.x_log else "linear")
    axes.set_yscale("log" if benchmark.y_log else "linear")
    axes.legend()
    if directory:
        figure.savefig(directory / f"{benchmark.plot_name}.png")
    if show:
        plt.show()
    plt.close(figure)


def perf_report(benchmarks):
    """Decorate a function for measurement by `function.run(print_data=True)` as a `Benchmark`, or a list of them,
    describes.

    The function returns a time (or a rate), or three of them: value, low, high.

    Example:

        >>> from tilewright.testing import Benchmark, perf_report
        >>> @perf_report(Benchmark(["n"], [1, 2], "provider", ["ours"], ["Ours"], "squares", args={}))
        ... def squares(n, provider):
        ...     return n * n
        ...
        >>> squares.run(print_data=True)
        squares:
        n  Ours
        1     1
        2     4
        [[1, 1], [2, 4]]
    """

    def decorate(fn):
        return Mark(fn, benchmarks)

    return decorate
