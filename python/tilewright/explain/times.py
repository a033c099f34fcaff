"""The times of the parts of a compilation."""


def by_stage(times):
    """The entries of `CompiledKernel.report["times"]` summed by stage and name: a dict of stage to a dict of name to
    milliseconds, in the order in which they first came. A pass that runs several times on the way to a stage
    becomes "canonicalize (5 times)"."""
    stages = {}
    for entry in times:
        names = stages.setdefault(entry["stage"], {})
        count, total = names.get(entry["name"], (0, 0.0))
        names[entry["name"]] = (count + 1, total + entry["milliseconds"])
    return {
        stage: {
            name if count == 1 else f"{name} ({count} times)": total for name, (count, total) in names.items()
        }
        for stage, names in stages.items()
    }


def format_times(times):
    """The entries of `CompiledKernel.report["times"]` as a table: a line for each stage, followed by its
    passes, in milliseconds."""
    stages = by_stage(times)
    rows = []
    for stage, names in stages.items():
        rows.append((stage, sum(names.values())))
        rows += [(f"  {name}", milliseconds) for name, milliseconds in names.items()]
    rows.append(("total", sum(entry["milliseconds"] for entry in times)))
    width = max(len(name) for name, _ in rows)
    lines = [f"{'stage':<{width}}  {'ms':>9}"]
    return "\n".join(lines + [f"{name:<{width}}  {milliseconds:9.3f}" for name, milliseconds in rows])
