"""`triton.profiler.viewer`: the trees that `triton.profiler` writes, read and printed."""

import json
import re

from .profiler import COUNT, TIME

_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_SCALES = {"": 1.0, "g": 1e9, "t": 1e12}
_TIMES = re.compile(r"(avg_)?time/(s|ms|us|ns)")
_RATES = re.compile(r"(|g|t)(flop(\d*)|byte)/s")
_DERIVED = re.compile(f"{_TIMES.pattern}|{_RATES.pattern}|{COUNT}")


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    """Read a profile: (the root of its tree, the names of the metrics), for :func:`print_tree`.

    Args:
        metrics: names: "time/ms" and "avg_time/us" (or s, ns), "count", "tflop/s", "gflop/s", "tbyte/s", "gbyte/s"
            of the metrics from `launch_metadata`, or a metric of the file; the first one may be a text.
        include, exclude: regular expressions: of the leaves only those whose names match, or do not.
        threshold: least share of the parent's first metric that a node is shown with.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics or ["time/ms"])
    with open(filename, encoding="utf-8") as file:
        root = json.load(file)[0]
    _total(root)
    _keep(root, include, exclude)
    for name in names:
        if not (_DERIVED.fullmatch(name) or name in _names(root)):
            raise ValueError(
                f"a profile has no metric {name!r}: time/ms, avg_time/us, count, tflop/s, gbyte/s or one of its own"
            )
    if threshold is not None:
        _prune(root, names[0], threshold)
    return root, names


def _total(node):
    """Add the metrics of the children to each node."""
    for child in node["children"]:
        _total(child)
        for key, value in child["metrics"].items():
            if isinstance(value, (int, float)) and (key in (TIME, COUNT) or _is_work(key)):
                node["metrics"][key] = node["metrics"].get(key, 0) + value


def _is_work(key):
    return re.fullmatch(r"flops\d*|bytes", key) is not None


def _keep(node, include, exclude):
    """Drop excluded leaves, and nodes that become empty."""
    kept = []
    for child in node["children"]:
        name, was_leaf = child["frame"]["name"], not child["children"]
        _keep(child, include, exclude)
        wanted = (include is None or re.search(include, name)) and not (exclude and re.search(exclude, name))
        if child["children"] or (was_leaf and wanted):
            kept.append(child)
    node["children"] = kept


def _prune(node, name, threshold):
    whole = _value(node, name)
    node["children"] = [child for child in node["children"] if _value(child, name) >= threshold * whole]
    for child in node["children"]:
        _prune(child, name, threshold)


def _value(node, name):
    """A metric of a node, 0 where it has none."""
    found = node["metrics"]
    time, count = found.get(TIME, 0), found.get(COUNT, 0)
    if match := _TIMES.fullmatch(name):
        return time / (max(count, 1) if match[1] else 1) / _UNITS[match[2]]
    if match := _RATES.fullmatch(name):
        keys = (
            ["bytes"] if match[2] == "byte" else [key for key in found if key.startswith(f"flops{match[3]}")]
        )
        work = sum(found.get(key, 0) for key in keys)
        return work / (time * 1e-9) / _SCALES[match[1]] if time else 0.0
    return found.get(name, 0)


def _names(node):
    return set(node["metrics"]).union(*(_names(child) for child in node["children"]))


def print_tree(tree, metrics, depth=100, format=None, print_sorted=False):
    """Print a tree: the metrics of each node and its name, as deep as `depth`; with `print_sorted` the largest first."""

    def shown(value):
        return f"{value:.3f}" if isinstance(value, float) else str(value)

    def lines(node, level):
        yield "  " * level + " ".join(
            [*(shown(_value(node, name)) for name in metrics), node["frame"]["name"]]
        )
        children = node["children"] if level < depth else []
        if print_sorted:
            children = sorted(children, key=lambda child: _value(child, metrics[0]), reverse=True)
        for child in children:
            yield from lines(child, level + 1)

    print(" ".join(metrics))
    print("\n".join(lines(tree, 0)))


__all__ = ["parse", "print_tree"]
