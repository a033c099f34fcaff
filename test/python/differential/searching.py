"""Searches for kernels that the interpreter and a back end disagree about, with Hypothesis, which shrinks them."""

import linecache

from checking import check
from hypothesis import HealthCheck, Phase, given, reject, seed, settings
from hypothesis import strategies as st

from kernels import Kernels


@st.composite
def sources(draw):
    """The text of a kernel's module."""
    return Kernels(lambda low, high: draw(st.integers(low, high))).source()


class _Fatal(BaseException):
    """Ends a search at once: Hypothesis does not try to shrink such an error."""


class Search:
    """Checks kernels on a device and keeps the last one that failed, which is the smallest.

    `on_check()` is called after each kernel, `on_failure(text, error)` as soon as one has failed, and again for
    smaller ones.
    """

    def __init__(
        self, device, directory, on_check=lambda: None, on_failure=lambda text, error: None, **options
    ):
        self.device, self.directory, self.options = device, directory, options
        self.on_check, self.on_failure = on_check, on_failure
        self.count, self.failed, self.fatal, self.agreed = 0, None, (), set()

    def _check(self, text):
        if text in self.agreed:  # a quarter of the draws: many draws select among texts that are not used
            return None if self.failed else reject()
        self.count += 1
        try:
            self._compare(text)
        except (Exception, _Fatal):
            self.on_failure(*self.failed)
            raise
        finally:
            self.on_check()
        self.agreed.add(text)

    def _compare(self, text):
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
        """Checks `examples` kernels, all different, others for each `number`.

        Returns the smallest failing kernel and its error, or None. An error of type `fatal` ends the search, and the
        kernel is not reduced.
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
        self.failed, self.fatal, self.agreed = None, fatal, set()
        try:
            seed(number)(options(given(text=sources())(lambda text: self._check(text))))()
        except (Exception, _Fatal):
            if self.failed is None:
                raise
            return self.failed
        return None
