"""Lower bounds on the time of a loop iteration."""

from dataclasses import dataclass


@dataclass(frozen=True)
class _Machine:
    """Rates of one multiprocessor per cycle: tensor-core operations by operand width in bits, where a multiply-add counts
    as two, and its share of the memory bandwidth in bytes."""

    tensor: dict
    memory: float


#: From NVIDIA's data sheets: H100 SXM (1.755 GHz, 132 multiprocessors, 3.35 TB/s) and A100 SXM 80 GB (1.41 GHz,
#: 108 multiprocessors, 2.04 TB/s).
_MACHINES = {
    "sm_90a": _Machine({8: 8192, 16: 4096, 32: 2048}, 3.35e12 / 132 / 1.755e9),
    "sm_80": _Machine({8: 4096, 16: 2048, 32: 1024}, 2.04e12 / 108 / 1.41e9),
}


def floors_of(explanation):
    """Dicts of `file`, `line`, `what`, `amount` and `cycles` for the loops of a kernel with tensor-core ops
    or loads; none for a target with unknown rates."""
    machine = _MACHINES.get(explanation.compiled.target)
    if machine is None:
        return []
    rows = []
    for remark in explanation.remarks:
        if remark["name"] != "Loop":
            continue
        values = remark["values"]
        if operations := values.get("Operations"):
            rate = machine.tensor[values["OperandBits"]]
            rows.append(_row(remark, "tensor cores", f"{operations:,} operations", operations / rate))
        if loaded := values.get("LoadedBytes"):
            rows.append(_row(remark, "memory", f"{loaded:,} bytes", loaded / machine.memory))
    return rows


def _row(loop, what, amount, cycles):
    return {
        "file": loop["file"],
        "line": loop["line"],
        "what": what,
        "amount": amount,
        "cycles": round(cycles),
    }
