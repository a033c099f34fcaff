"""`triton.knobs`: groups of settings that live in environment variables, those of Tilewright where it has them."""

import contextlib
import os
from dataclasses import dataclass

from .. import knobs


@dataclass(frozen=True)
class Setting:
    """An environment variable and the kind of value that it holds."""

    variable: str
    kind: type
    default: object = None

    def read(self):
        """The value in force."""
        text = os.environ.get(self.variable)
        if not text:
            return self.default
        return text.lower() in ("1", "true", "on", "yes") if self.kind is bool else self.kind(text)

    def write(self, value):
        """Let it have the value from now on; None: the default."""
        if value is None:
            os.environ.pop(self.variable, None)
        else:
            os.environ[self.variable] = str(int(value)) if self.kind is bool else str(value)
        if self.variable == knobs.CACHE_DIR.name:
            from ..runtime.compiler import disk_cache

            disk_cache.cache_clear()


class Group:
    """Settings as attributes. Raises `AttributeError` for a name that there is not."""

    settings = {}

    def __getattr__(self, name):
        return self._setting(name).read()

    def __setattr__(self, name, value):
        self._setting(name).write(value)

    def _setting(self, name):
        try:
            return self.settings[name]
        except KeyError:
            raise AttributeError(f"triton.knobs.{type(self).__name__} has no {name!r}") from None

    @contextlib.contextmanager
    def scope(self):
        """What is set inside a `with` is as before behind it."""
        before = {name: os.environ.get(entry.variable) for name, entry in self.settings.items()}
        try:
            yield
        finally:
            for name, text in before.items():
                entry = self.settings[name]
                Setting(entry.variable, str).write(text)

    def reset(self):
        """Everything as if nobody had set it; gives the group."""
        for entry in self.settings.values():
            entry.write(None)
        return self


class cache(Group):
    """Where compiled kernels are kept on disk."""

    settings = {"dir": Setting(knobs.CACHE_DIR.name, str)}


class compilation(Group):
    """`always_compile`: the disk cache is not read."""

    settings = {"always_compile": Setting(knobs.ALWAYS_COMPILE.name, bool, False)}


#: The groups by name, but for `runtime`.
GROUPS = {"cache": cache(), "compilation": compilation()}

#: The settings of `triton.knobs.runtime`, beside its hooks.
RUNTIME = {
    "interpret": Setting(knobs.TRITON_INTERPRET.name, bool, False),
    "debug": Setting(knobs.DEBUG.name, bool, False),
}
