"""`triton.runtime.cache`: files of other packages, by key. Tilewright's own cache of compiled kernels is separate."""

import abc
import base64
import json
import os
import tempfile

from . import settings


class CacheManager(abc.ABC):
    """Keeps files for the key `key`. `knobs.cache.manager_class` names another class with this interface."""

    def __init__(self, key, override=False, dump=False):
        self.key = key

    @abc.abstractmethod
    def get_file(self, filename):
        """The path of a file, None if there is none."""

    @abc.abstractmethod
    def put(self, data, filename, binary=True):
        """Keep `data` (bytes, or text where not `binary`) under this name; gives the path."""

    @abc.abstractmethod
    def get_group(self, filename):
        """The paths of a group of files by name, None if there is no such group."""

    @abc.abstractmethod
    def put_group(self, filename, group):
        """Keep the names and paths of files as a group; gives the path of the list."""


class FileCacheManager(CacheManager):
    """A directory for the key, under `knobs.cache.dir`; with `dump` under `dump_dir`, with `override` under
    `override_dir`. Raises `RuntimeError` where that is not set."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key)
        base = settings.GROUPS["cache"]
        setting = "dump_dir" if dump else "override_dir" if override else "dir"
        root = getattr(base, setting)
        if not root:
            raise RuntimeError(f"there is no directory for files: knobs.cache.{setting} is not set")
        self.cache_dir = os.path.join(root, key)
        self.lock_path = None if override else os.path.join(self.cache_dir, "lock")
        if not override:
            os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        """Whether there is such a file."""
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        binary = isinstance(data, (bytes, bytearray))
        # Renamed when it is whole: others may read at any time.
        handle, unfinished = tempfile.mkstemp(dir=self.cache_dir)
        with os.fdopen(handle, "wb" if binary else "w") as file:
            file.write(data if binary else str(data))
        os.replace(unfinished, self._make_path(filename))
        return self._make_path(filename)

    def get_group(self, filename):
        listed = self.get_file(f"__grp__{filename}")
        if listed is None:
            return None
        with open(listed) as file:
            names = json.load(file)["child_paths"]
        return {name: self._make_path(name) for name in names if self.has_file(name)}

    def put_group(self, filename, group):
        names = {name: os.path.basename(path) for name, path in group.items()}
        return self.put(json.dumps({"child_paths": names}), f"__grp__{filename}", binary=False)


def _manager(key, **kind):
    return (settings.GROUPS["cache"].manager_class or FileCacheManager)(_base32(key), **kind)


def get_cache_manager(key):
    """The manager of files for a key of hexadecimal digits."""
    return _manager(key)


def get_override_manager(key):
    """The manager of files that override those of a key."""
    return _manager(key, override=True)


def get_dump_manager(key):
    """The manager of files to look at."""
    return _manager(key, dump=True)


def _base32(key):
    """A key of hexadecimal digits in fewer characters, all valid in file names."""
    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")


_base64 = _base32

__all__ = [
    "CacheManager",
    "FileCacheManager",
    "_base32",
    "_base64",
    "get_cache_manager",
    "get_dump_manager",
    "get_override_manager",
]
