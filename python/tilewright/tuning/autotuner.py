"""`tilewright.autotune`: the fastest of several configurations, found by measuring."""

import math
import time
from collections.abc import Iterable

from .. import knobs
from ..locks import Lock
from ..options import OPTION_NAMES
from ..runtime.background import gathered
from ..runtime.lookups import similar
from . import results
from .config import AutotunerError, Config
from .launching import LaunchWrapper, check_kernel
from .measuring import REFUSALS, Progress, compile_all, device_of, first_line, stand_ins, time_all
from .space import Space


class Autotuner(LaunchWrapper):
    """A kernel that finds its configuration at the first launch with each key; made by `autotune`.

    `best_config` is the one of the last launch. `configs_timings` are the times of the last measurement in
    milliseconds, by configuration. `dropped` are the errors of those that do not work. `cache` maps keys to the chosen
    configurations.
    """

    def __init__(
        self,
        fn,
        configs,
        key,
        reset_to_zero=None,
        restore_value=None,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        warmup=None,
        rep=None,
        do_bench=None,
        cache_results=True,
    ):
        super().__init__(fn)
        self.space = configs if isinstance(configs, Space) else None
        #: Those of a list; a space has no list of them.
        self.configs = [] if self.space is not None else _listed(configs)
        self._chosen = {name for config in self.configs for name in config.kwargs}
        self._edited = next((config.ir_override for config in self.configs if config.ir_override), None)
        if self.space is not None:
            self._chosen = self.space.parameters
        self.keys = list(key)
        for what, names in (
            ("key", self.keys),
            ("reset_to_zero", reset_to_zero or ()),
            ("restore_value", restore_value or ()),
        ):
            unknown = [name for name in names if name not in self.arg_names]
            if unknown:
                raise ValueError(f"{what} names {unknown[0]!r}, which is no parameter of {fn.__name__}()")
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        self.pre_hook, self.post_hook = pre_hook, post_hook
        pruning = prune_configs_by or {}
        self.perf_model, self.top_k = pruning.get("perf_model"), pruning.get("top_k", 1.0)
        self.early_config_prune = pruning.get("early_config_prune")
        self._bench_times = {
            name: value for name, value in (("warmup", warmup), ("rep", rep)) if value is not None
        }
        self.do_bench, self.cache_results = do_bench, cache_results
        self.cache, self.configs_timings, self.best_config, self.bench_time = {}, {}, None, 0.0
        self.dropped = {}
        self._lock = Lock()

    def check_chosen(self):
        """Raise `ValueError` if configurations have values for unknown parameters."""
        for name in sorted(self._chosen - {*self.arg_names, *OPTION_NAMES}):
            raise ValueError(
                f"the configurations name {name!r}, which is no parameter of {self.__name__}() and no option"
                f"{similar(name, self.arg_names)}"
            )

    # Launching.

    def _launch(self, grid, /, *args, **kwargs):
        config = self.best_config = self._choose(grid, args, kwargs)
        if config.pre_hook is not None:
            config.pre_hook({**self.named(args, kwargs), **config.all_kwargs()})
        return self.fn[grid](*args, **{**kwargs, **config.all_kwargs()})

    def warmup(self, *args, **kwargs):
        """Compile with every configuration, several at once, without running any. Gives the list of
        `CompiledKernel`."""
        return self.compile_async(*args, **kwargs).result()

    def compile_async(self, *args, **kwargs):
        """The same in other threads: gives a `concurrent.futures.Future` of the list."""
        kwargs.pop("grid", None)
        return gathered(
            self.fn.compile_async(*args, **{**kwargs, **config.all_kwargs()})
            for config in self._pruned(
                args, kwargs, self.space.configs() if self.space is not None else self.configs
            )
        )

    def _choose(self, grid, args, kwargs):
        self._refuse_conflicts(kwargs)
        if len(self.configs) == 1:
            return self.configs[0]
        key = self._key(args, kwargs)
        found = self.cache.get(key)
        if found is None:
            # One thread measures; the others wait, since two at once would disturb each other.
            with self._lock:
                found = self.cache.get(key)
                if found is None:
                    found = self._tune(key, grid, args, kwargs)
                    # Results must not depend on whether this process measures or an earlier one did.
                    self._reset({**self.named(args, kwargs), **found.all_kwargs()})
                    self.cache[key] = found
        return found

    def _key(self, args, kwargs):
        """Values of the arguments that `key` names, dtypes of the arrays, and the device."""
        named = self.named(args, kwargs)
        values = [_hashable(named[name]) for name in self.keys if name in named]
        dtypes = [str(value.dtype) for value in named.values() if hasattr(value, "dtype")]
        return (*values, *dtypes, *device_of(named.values()))

    # Choosing.

    def _tune(self, key, grid, args, kwargs):
        configs = [] if self.space is not None else self._pruned(args, kwargs, self.configs)
        if (
            len(configs) == 1
            or self.kernel.is_interpreted
            or knobs.AUTOTUNE.choice("measure", "first") == "first"
        ):
            return configs[0] if configs else self.space.first()
        device = results.describe_device(*key[-2:])
        described = [self.space.identity()] if self.space is not None else self.configs
        entry = results.digest(self.kernel, described, key, device) if self._is_kept else None
        found = self._kept(results.load(entry), configs) if entry else None
        if found is None:
            found = self._measure_all(configs, grid, args, kwargs)
            if entry:
                self._keep(entry, found, key, device)
        return found

    def _kept(self, known, configs):
        """The configuration of an earlier result; None if it is not among the candidates."""
        if known is None:
            return None
        if self.space is not None:
            found = self.space.at(known.get("indices"))
            configs = [] if found is None else [found]
        chosen = next((config for config in configs if str(config) == known["config"]), None)
        if chosen is not None:
            times = known["times"]
            self.configs_timings = {config: times[str(config)] for config in configs if str(config) in times}
        return chosen

    def _keep(self, entry, best, key, device):
        times = {str(config): time for config, time in self.configs_timings.items() if math.isfinite(time)}
        result = {"kernel": self.kernel.__name__, "device": device, "key": repr(key), "config": str(best)}
        indices = {"indices": self.space.indices_of(best)} if self.space is not None else {}
        results.save(entry, result | {"times": times} | indices)

    @property
    def _is_kept(self):
        """Hooks and pruning functions may depend on anything, but the remaining configurations are checked again."""
        return self.cache_results and not knobs.ALWAYS_COMPILE.flag()

    def _refuse_conflicts(self, kwargs):
        if self._edited:
            raise ValueError(
                f"{self.__name__}() is compiled from its source, not from an edited stage: leave out "
                f"ir_override={self._edited!r}"
            )
        conflicts = sorted(self._chosen & kwargs.keys())
        if conflicts:
            raise ValueError(
                f"{', '.join(conflicts)} of {self.__name__}() is chosen by autotune and was given as well"
            )

    def _pruned(self, args, kwargs, configs):
        named = dict(zip(self.arg_names, args))
        if self.early_config_prune:
            configs = list(self.early_config_prune(configs, named, **kwargs))
            if not configs and self.space is None:  # of a space others follow
                raise self._nothing_left()
        if self.perf_model:
            count = self.top_k
            count = int(len(configs) * count) if isinstance(count, float) and count <= 1.0 else int(count)
            if len(configs) > max(count, 1):
                model = {
                    config: self.perf_model(**{**named, **kwargs, **config.all_kwargs()})
                    for config in configs
                }
                configs = sorted(configs, key=model.get)[: max(count, 1)]
        return configs

    # Measuring.

    def _measure_all(self, configs, grid, args, kwargs):
        start = time.perf_counter()
        errors = {}

        def measure(batch):
            tried = self._pruned(args, kwargs, batch) if self.space is not None else batch
            refused = compile_all(self.fn, tried, args, kwargs)
            self._tell_of(refused, args, kwargs)
            errors.update(refused)
            works = [config for config in tried if config not in errors]
            named = self.named(args, kwargs)
            same = stand_ins(self.fn, works, grid, args, kwargs, named) if len(works) > 1 else {}
            works = [config for config in works if same.get(config, config) is config]
            with Progress(self.__name__, len(works)) as progress:
                times = time_all(
                    works,
                    lambda config, rep: self._time(config, rep, errors, grid, args, kwargs),
                    progress.step,
                    glance=self.do_bench is None,
                )
            return [times.get(same.get(config, config), math.inf) for config in batch]

        if self.space is not None:
            times = self.space.search(measure, time.perf_counter)
        else:
            times = dict(zip(configs, measure(configs)))
        self.configs_timings, self.bench_time = times, time.perf_counter() - start
        self.dropped = errors
        if not times:
            raise AutotunerError(
                f"the space of {self.__name__}() has no configuration that its `where` allows"
            )
        best = min(times, key=times.get)
        if not math.isfinite(times[best]):
            raise self._nothing_works(errors)
        return best

    def _tell_of(self, errors, args, kwargs):
        """Call the hook for configurations that are not launched."""
        if self.post_hook:
            for config, error in errors.items():
                self.post_hook({**self.named(args, kwargs), **config.all_kwargs()}, exception=error)

    def _nothing_left(self):
        return AutotunerError(f"early_config_prune left no configuration of {self.__name__}()")

    def _nothing_works(self, errors):
        if not errors:
            return self._nothing_left()
        first = next(iter(errors.values()))
        if len({str(error) for error in errors.values()}) == 1:
            return first  # the kernel itself is wrong, or the call
        listed = "\n".join(f"  {config}: {first_line(error)}" for config, error in errors.items())
        return AutotunerError(f"no configuration of {self.__name__}() works:\n{listed}")

    def _time(self, config, rep, errors, grid, args, kwargs):
        """Milliseconds of a launch, infinite where it is refused."""
        named = self.named(args, kwargs)
        full = {**named, **config.all_kwargs()}
        saved = self._saved(named)

        def call():
            if config.pre_hook is not None:
                config.pre_hook(full)
            self._before(full, named, saved)
            try:
                self.fn[grid](*args, **{**kwargs, **config.all_kwargs()})
            except Exception as error:
                if self.post_hook:
                    self.post_hook(full, exception=error)
                if isinstance(error, REFUSALS):
                    raise _Refused(error) from error
                raise
            if self.post_hook:
                self.post_hook(full, exception=None)

        try:
            return self._milliseconds(call, rep, device_of(named.values()))
        except _Refused as refused:
            errors[config] = refused.error
            return math.inf
        finally:
            for name, value in saved.items():
                named[name][...] = value

    def _saved(self, named):
        """Copies of the arrays that are restored before each measured run."""
        return {name: copied(named[name]) for name in self.restore_value if named.get(name) is not None}

    def _reset(self, full):
        """Reset arrays before the launch that follows the choice, as before each measured one."""
        for name in self.reset_to_zero:
            if full.get(name) is not None:
                full[name][...] = 0

    def _before(self, full, named, saved):
        if self.pre_hook:
            self.pre_hook(full)
        for name in self.reset_to_zero:
            if named.get(name) is not None:
                named[name][...] = 0
        for name, value in saved.items():
            named[name][...] = value

    def _milliseconds(self, call, rep, device):
        if self.do_bench is not None:
            measured = self.do_bench(call, quantiles=(0.5, 0.2, 0.8))
            return measured[0] if isinstance(measured, (list, tuple)) else measured
        from ..testing import do_bench

        times = {"warmup": 5, "rep": 40, **self._bench_times}
        if rep is not None:
            times = {"warmup": 0, "rep": rep}
        return do_bench(call, **times, device=device[1] if device[0] == "cuda" else "cpu")


class _Refused(Exception):
    """A launch, not a hook of the user's, failed with `error`."""

    def __init__(self, error):
        super().__init__(str(error))
        self.error = error


def _listed(configs):
    """The configurations of a list. Raises `TypeError` for anything else."""
    if isinstance(configs, Iterable):
        configs = list(configs)
        if all(isinstance(config, Config) for config in configs):
            return configs or [Config({})]
    raise TypeError(f"configs is a list of Config, or a Space, got {configs!r}")


def _hashable(value):
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def copied(array):
    """A copy of an array of torch or NumPy."""
    return array.clone() if hasattr(array, "clone") else array.copy()


def autotune(
    configs,
    key,
    prune_configs_by=None,
    reset_to_zero=None,
    restore_value=None,
    pre_hook=None,
    post_hook=None,
    warmup=None,
    rep=None,
    use_cuda_graph=False,
    do_bench=None,
    cache_results=True,
):
    """Decorate a kernel so that the fastest of several configurations is used.

    The first launch with a new key compiles the configurations in parallel and measures each with the arguments given.
    The fastest is kept for this process and, in the disk cache, for others on the same kind of device. Configurations
    that cannot be compiled, or do not fit on the device, are skipped. With
    `TILEWRIGHT_AUTOTUNE=first` nothing is measured and the first configuration is used.

    Args:
        configs: list of `Config`, or a `Space`.
        key: names of parameters; a launch with new values for them is measured anew. The dtypes of arrays
            and the device are always part of the key.
        prune_configs_by: dict with up to three entries. `early_config_prune`, a function of the configurations and
            the arguments by name, returns the configurations to keep. `perf_model`, a function of the arguments and
            the values of a configuration, returns its expected time. `top_k` is the number or the fraction of the
            configurations to measure.
        reset_to_zero: names of arrays that are set to zero before each measured run.
        restore_value: names of arrays that are set back before each measured run.
        pre_hook, post_hook: called around each measured run with the arguments by name; `post_hook` has
            the keyword `exception`, and is called for configurations that cannot be compiled, too.
        warmup, rep: milliseconds to run a configuration without and with measuring.
        use_cuda_graph: measure launches from a CUDA graph.
        do_bench: a function of a callable and `quantiles` that measures instead of `testing.do_bench`.
        cache_results: keep the choice in the disk cache.

    Raises `ValueError` for names that are no parameters, and at the launch `AutotunerError` where no
    configuration works.

    Example:

        >>> import numpy as np
        >>> import tilewright as tw
        >>> @tw.autotune([tw.Config({"BLOCK": 4}), tw.Config({"BLOCK": 8})], key=["n"], warmup=1, rep=1)
        ... @tw.jit
        ... def scaled(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        ...     i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        ...     tl.store(out_ptr + i, 3 * tl.load(x_ptr + i, mask=i < n), mask=i < n)
        ...
        >>> x, out = np.arange(5), np.zeros(5, int)
        >>> _ = scaled[lambda args: (tw.cdiv(args["n"], args["BLOCK"]),)](x, out, 5)
        >>> out
        array([ 0,  3,  6,  9, 12])
    """
    if use_cuda_graph and do_bench is None:
        from ..testing import do_bench_cudagraph as do_bench

    if key is None or isinstance(key, str):
        raise TypeError(f"key is a list of names of parameters, got {key!r}")
    unknown = sorted(set(prune_configs_by or ()) - {"early_config_prune", "perf_model", "top_k"})
    if unknown:
        raise ValueError(f"prune_configs_by has early_config_prune, perf_model and top_k, got {unknown[0]!r}")

    def decorate(fn):
        check_kernel(fn, "autotune")
        tuner = Autotuner(
            fn,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook,
            post_hook,
            prune_configs_by,
            warmup,
            rep,
            do_bench,
            cache_results,
        )
        if tuner.space is None:
            tuner.check_chosen()
        return tuner

    return decorate
