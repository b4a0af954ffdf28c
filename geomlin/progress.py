"""The progress bar of the command line: live on a terminal's error stream, nothing elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

READER_IS_GONE = 141  # 128 + SIGPIPE: neither "nothing refuted" nor "refuted"


class Live(NamedTuple):
    """advance(what, done, total) moves the bar; write(line) prints a line, above it if need be."""

    advance: Callable[[str, int, int], None]
    write: Callable[[str], None]


@contextmanager
def live_progress() -> Iterator[Live]:
    """A bar while the block runs."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description:<36}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=False,  # else what goes to a file would go to the terminal
    ) as bar:
        task = bar.add_task("", total=None)

        def advance(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        def write(line: str) -> None:
            if console.is_terminal and sys.stdout.isatty():
                console.print(line, markup=False, highlight=False, soft_wrap=True)
            else:
                _print(line)

        yield Live(advance, write)


def _print(line: str) -> None:
    """Print a line at once; end quietly, as by SIGPIPE, when nobody reads any more (`| head`)."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the end
        raise SystemExit(READER_IS_GONE) from None
