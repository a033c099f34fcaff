"""Searches for kernels that the interpreter and a back end disagree about, with Hypothesis, which shrinks them."""

import linecache

from checking import check
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from kernels import Kernels


@st.composite
def sources(draw):
    """The text of a kernel's module."""
    return Kernels(lambda low, high: draw(st.integers(low, high))).source()


class _Fatal(BaseException):
    """Ends a search at once: Hypothesis takes no such error for a failure to shrink."""


class Search:
    """Checks kernels on a device and keeps the last one that failed, which is the smallest."""

    def __init__(self, device, directory, **options):
        self.device, self.directory, self.options = device, directory, options
        self.count, self.failed, self.fatal = 0, None, ()

    def _check(self, text):
        self.count += 1
        path = (
            self.directory / f"kernel_{self.count}.py"
        )  # Python remembers the lines of a file that it has read
        path.write_text(text)
        try:
            check(path, self.device, **self.options)
        except self.fatal as error:
            self.failed = text, error
            raise _Fatal from error
        except Exception as error:
            self.failed = text, error
            raise
        finally:
            path.unlink()
            linecache.checkcache(str(path))

    def run(self, number, examples, fatal=()):
        """Checks `examples` kernels, others for each `number`. Gives the smallest that fails and its error, or None.

        After an error of the type `fatal` nothing works any more, and the kernel stays as it is.
        """
        options = settings(
            max_examples=examples,
            phases=[Phase.generate, Phase.shrink],
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
        )
        self.failed, self.fatal = None, fatal
        try:
            seed(number)(options(given(text=sources())(lambda text: self._check(text))))()
        except (Exception, _Fatal):
            if self.failed is None:
                raise
            return self.failed
        return None
