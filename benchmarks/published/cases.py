"""A published kernel and its arguments."""

from dataclasses import dataclass, field, replace

from needs import torch


@dataclass
class Block:
    """An argument: a descriptor of `array` with the block shape that `block` returns for a configuration."""

    array: torch.Tensor
    block: object


@dataclass
class Case:
    """A kernel, its arguments, and the positions of the arguments that it writes.

    `grid` may be a function of the constants, a constant a function of the compiler's language. Arguments at `zeroed`
    positions, such as sums and locks, are set to zero before each call.
    """

    name: str
    kernel: str
    grid: object
    args: list
    written: tuple
    constants: dict = field(default_factory=dict)
    configs: tuple = ({},)
    zeroed: tuple = ()

    def find(self, compiler):
        """Returns the kernel without its own autotuner: the benchmark tunes it."""
        file, name = self.kernel.split(".")
        kernel = getattr(compiler.kernels[file], name)
        return kernel.fn if hasattr(kernel, "configs") else kernel

    def get_grid(self, options):
        return self.grid(options) if callable(self.grid) else self.grid

    def warm(self, compiler, config):
        """Compiles the kernel. It depends only on the dtypes of arrays and the shapes of blocks."""

        def stand_in(x):
            if isinstance(x, Block):
                array = torch.empty(x.array.shape, dtype=x.array.dtype, device="cuda")
                return compiler.descriptor.from_tensor(array, list(x.block(config)))
            return torch.empty(64, dtype=x.dtype, device="cuda") if isinstance(x, torch.Tensor) else x

        options = self.constants | config
        args = [stand_in(x) for x in self.args]
        self.find(compiler).warmup(*args, grid=self.get_grid(options), **options)

    def call(self, compiler, config, args=None):
        """Returns a function that launches the kernel."""
        kernel, options = self.find(compiler), self.constants | config
        args = [
            compiler.descriptor.from_tensor(x.array, list(x.block(config))) if isinstance(x, Block) else x
            for x in (args or self.args)
        ]
        grid = self.get_grid(options)
        zeroed = [args[position] for position in self.zeroed]

        def launch():
            for array in zeroed:
                array.zero_()
            kernel[grid](*args, **options)

        return launch

    def copies(self):
        """Returns the arguments with copied arrays."""

        def copy(x):
            if isinstance(x, Block):
                return Block(x.array.clone(), x.block)
            return x.clone() if isinstance(x, torch.Tensor) else x

        return [copy(x) for x in self.args]

    def results(self, compiler, config, given):
        """Returns the written arrays of a call with copies of `given`, since some kernels work in place."""
        args = replace(self, args=given).copies()
        self.call(compiler, config, args)()
        return [args[i].array if isinstance(args[i], Block) else args[i] for i in self.written]


def random(*shape, dtype=torch.float16, scale=1.0):
    """Normal numbers."""
    return (torch.randn(*shape, device="cuda") * scale).to(dtype)


def empty(*shape, dtype=torch.float16):
    """An array that a kernel fills."""
    return torch.zeros(*shape, device="cuda", dtype=dtype)


def integers(high, *shape, low=0, dtype=torch.int32):
    """Integers from low to high - 1."""
    return torch.randint(low, high, shape, device="cuda").to(dtype)


def warps(*counts, **more):
    """Configurations that differ in warps alone."""
    return tuple({"num_warps": count} | more for count in counts)


F32 = torch.float32
