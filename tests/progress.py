"""What `make test` prints while it runs: how far it is, what failed, and which tests it waits for.

pytest prints a dot for each test, and a percentage at the end of each line of dots: while a long test runs, one cannot
tell it from one that hangs. This plugin prints lines instead, the same into a file as on a terminal. It is loaded with
`-p tests.progress`; with `-v`, or without workers (`-n 0`), pytest prints as ever.
"""

import threading
import time
from dataclasses import dataclass, field

import pytest

EVERY = 20.0
"""Seconds between two lines."""
LONG = 5.0
"""Seconds after which a test that runs is named."""


@dataclass
class Progress:
    """How far the tests are, at the times that it is told."""

    began: float
    found: int = 0
    over: int = 0
    failed: int = 0
    running: dict[str, float] = field(default_factory=dict)
    """The tests that run, and since when."""

    def lines(self, now: float) -> list[str]:
        """How far it is, and below that each test that is waited for, the longest first."""
        if not self.found:
            return [f"looking for tests, {spelled(now - self.began)}"]
        failed = f", {self.failed} failed" if self.failed else ""
        share = 100 * self.over // self.found
        told = [f"{share:3} %  {self.over} of {self.found} tests{failed}, {spelled(now - self.began)}"]
        waiting = sorted((since, name) for name, since in self.running.items() if now - since >= LONG)
        return told + [f"       waiting for {name} ({spelled(now - since)})" for since, name in waiting]


def spelled(seconds: float) -> str:
    """A span of time as people read it."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


class Telling:
    """Follows the tests of all workers, and prints a few lines at times."""

    def __init__(self, config: pytest.Config) -> None:
        """For one run."""
        self._config = config
        self._progress = Progress(began=time.monotonic())
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._tell_at_times, name="progress", daemon=True)

    def pytest_sessionstart(self) -> None:
        """Begin to tell."""
        self._thread.start()

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """A worker found the tests; each finds all of them."""
        self._progress.found = len(ids)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins, here or in a worker."""
        with self._lock:
            self._progress.running[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """A test is over."""
        with self._lock:
            self._progress.running.pop(nodeid, None)
            self._progress.over += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        """Count it as pytest does, and print no dot."""
        outcome: str = report.outcome if report.when == "call" or not report.failed else "error"
        counts = report.when == "call" or not report.passed
        return (outcome, "", outcome.upper()) if counts else ("", "", "")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Name what failed at once; the reasons stand at the end."""
        if report.failed:
            with self._lock:
                self._progress.failed += 1
                self._progress.running.pop(report.nodeid, None)  # its worker may be gone
            self._print([f"FAILED {report.nodeid}"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Tell nothing more."""
        self._over.set()
        self._thread.join()

    def _tell_at_times(self) -> None:
        while not self._over.wait(EVERY):
            with self._lock:
                told = self._progress.lines(time.monotonic())
            self._print(told)

    def _print(self, lines: list[str]) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if isinstance(reporter, pytest.TerminalReporter):
            reporter.ensure_newline()
            for line in lines:
                reporter.write_line(line)
            reporter.flush()  # into a file nothing is written before, for minutes


def pytest_configure(config: pytest.Config) -> None:
    """Follow the tests of workers. Without them pytest takes what is printed for the output of the test that runs."""
    has_workers = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if has_workers and config.option.verbose <= 0:
        config.pluginmanager.register(Telling(config), "telling")
