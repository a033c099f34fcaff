"""`triton.autotune` and `triton.heuristics`: the classes that code derives its own tuners from."""

import math
from functools import partial

from .. import knobs, tuning
from ..tuning.autotuner import AutotunerError
from ..tuning.heuristics import check_heuristics
from ..tuning.launching import check_kernel
from ..tuning.measuring import REFUSALS, device_of
from .functions import KernelInterface
from .settings import GROUPS


def _function(fn):
    """The Python function inside all wrappers."""
    while hasattr(fn, "fn"):
        fn = fn.fn
    return fn


class Launched(KernelInterface):
    """An object that has only `run`, launched as kernels are."""

    def __init__(self, fn, arg_names):
        self.fn, self.arg_names = fn, list(arg_names)
        self.__name__ = getattr(_function(fn), "__name__", type(fn).__name__)

    def run(self, *args, **kwargs):
        """As the other has it."""
        return self.fn.run(*args, **kwargs)


class Autotuner(KernelInterface, tuning.Autotuner):
    """`tilewright.tuning.Autotuner` with Triton's constructor and the methods that derived classes call and
    replace: `run`, `prune_configs`, `_bench`, `pre_hook` and `post_hook`."""

    base_fn = None  # in Triton an attribute, which derived classes set

    def __init__(
        self,
        fn,
        arg_names,
        configs,
        key,
        reset_to_zero,
        restore_value,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        warmup=None,
        rep=None,
        use_cuda_graph=False,
        do_bench=None,
        cache_results=True,
    ):
        if use_cuda_graph and do_bench is None:
            from ..testing import do_bench_cudagraph as do_bench
        if not hasattr(fn, "arg_names"):
            fn = Launched(fn, arg_names)
        super().__init__(
            fn,
            configs or [],
            [],
            reset_to_zero,
            restore_value,
            prune_configs_by=prune_configs_by,
            warmup=warmup,
            rep=rep,
            do_bench=do_bench,
            cache_results=cache_results,
        )
        self.arg_names, self.keys, self.base_fn = list(arg_names), list(key), _function(fn)
        self.nargs, self.restore_copies = None, {}
        self.use_cuda_graph = use_cuda_graph
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook, self.post_hook = pre_hook or self._prepare, post_hook or self._restore

    # Work before and after a measured launch.

    def _prepare(self, named, reset_only=False):
        for name in self.reset_to_zero:
            if named.get(name) is not None:
                named[name][...] = 0
        if not reset_only:
            self.restore_copies = tuning.Autotuner._saved(self, named)

    def _restore(self, named, exception):
        for name, copy in self.restore_copies.items():
            named[name][...] = copy
        self.restore_copies = {}

    def _before(self, full, named, saved):
        self.pre_hook(full)

    def _saved(self, named):
        return {}  # the hooks do it

    def _reset(self, full):
        self.pre_hook(full, reset_only=True)

    def _nothing_left(self):
        return AutotunerError(
            "Autotuner error: No valid autotuner configs after pruning. `early_config_prune` should return at least one "
            "config."
        )

    # Launching.

    def run(self, *args, grid=None, warmup=False, **kwargs):
        """Launch over `grid` with the best configuration, or with `warmup` only compile with all."""
        if warmup:
            return tuning.Autotuner.warmup(self, *args, **kwargs)
        self.nargs = dict(zip(self.arg_names, args))
        try:
            return self._launch(grid, *args, **kwargs)
        finally:
            self.nargs = None

    def _key(self, args, kwargs):
        """Values of the arguments that `key` names, and dtypes: the key of results in Triton's tuners."""
        named = {name: value for name, value in self.named(args, kwargs).items() if name in self.arg_names}
        values = [named[name] for name in self.keys if name in named]
        return (*values, *[str(value.dtype) for value in named.values() if hasattr(value, "dtype")])

    def _tune(self, key, grid, args, kwargs):
        if isinstance(self.fn, Launched):
            return self._fastest(grid, args, kwargs)
        measured, self.configs_timings = self.bench_time, {}
        found = super()._tune((*key, *device_of(self.named(args, kwargs).values())), grid, args, kwargs)
        is_new = self.bench_time != measured
        listener = GROUPS["autotuning"].listener
        if listener is not None and self.configs_timings:  # none of a single configuration
            listener(
                fn=self.kernel,
                key=key,
                best_config=found,
                configs_timings=self.configs_timings,
                duration=self.bench_time if is_new else None,
                cache_hit=not is_new,
            )
        if knobs.TRITON_PRINT_AUTOTUNING.flag() and is_new:
            print(
                f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\n"
                f"finished after {self.bench_time:.2f}s,\nbest config selected: {found};"
            )
        return found

    def _fastest(self, grid, args, kwargs):
        """The best configuration of an object that is no kernel: each is run, one after the other."""
        configs = self.prune_configs(kwargs)
        if len(configs) > 1:
            self.configs_timings = {
                config: self._bench(*args, config=config, grid=grid, **kwargs) for config in configs
            }
            configs = [min(configs, key=lambda config: self.configs_timings[config])]
        return configs[0]

    def prune_configs(self, kwargs):
        """The configurations worth measuring for the arguments of the launch under way."""
        return self._pruned(tuple(self.nargs.values()), kwargs, self.configs)

    def _bench(self, *args, config, **meta):
        """The median, 20 % and 80 % quantiles of a launch in milliseconds, infinite where `config` does not work."""
        grid = meta.pop("grid")
        meta.pop("warmup", None)
        full = {**self.named(args, meta), **config.all_kwargs()}

        def call():
            if config.pre_hook is not None:
                config.pre_hook(full)
            self.pre_hook(full)
            try:
                self.fn[grid](*args, **{**meta, **config.all_kwargs()})
            except Exception as error:
                self.post_hook(full, exception=error)
                raise
            self.post_hook(full, exception=None)

        try:
            return self._quantiles(call)
        except REFUSALS:
            return [math.inf] * 3

    def _quantiles(self, call):
        from .testing import do_bench

        measure = self.do_bench or partial(do_bench, **{"warmup": 5, "rep": 40, **self._bench_times})
        return measure(call, quantiles=(0.5, 0.2, 0.8))


class Heuristics(KernelInterface, tuning.Heuristics):
    """`tilewright.tuning.Heuristics` with Triton's constructor."""

    def __init__(self, fn, arg_names, values):
        tuning.Heuristics.__init__(self, fn, values)
        self.arg_names = list(arg_names)

    def run(self, *args, grid=None, warmup=False, **kwargs):
        """Launch over `grid`, or with `warmup` only compile."""
        if warmup:
            return tuning.Heuristics.warmup(self, *args, **kwargs)
        return self._launch(grid, *args, **kwargs)


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
    """`tilewright.autotune`; names in `key` that are no parameters are passed over, and hooks get `reset_only`."""

    def decorate(fn):
        check_kernel(fn, "autotune")
        return Autotuner(
            fn,
            fn.arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook,
            post_hook,
            prune_configs_by,
            warmup,
            rep,
            use_cuda_graph,
            do_bench,
            cache_results,
        )

    return decorate


def heuristics(values):
    """`tilewright.heuristics`."""

    def decorate(fn):
        check_kernel(fn, "heuristics")
        return Heuristics(fn, fn.arg_names, check_heuristics(values))

    return decorate
