"""Calling a backend so that nothing it does stops the run: errors, crashes, endless loops.

A backend given by name lives in a process of its own, which is ended when a call takes too long.
One given as an object is called here, with a timer where the system has one (in the main thread);
a loop inside compiled code can only be stopped in the other way.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Protocol

import numpy as np

from ..errors import BackendMissing, LayoutError
from .backends import load_backend
from .operations import OPERATIONS, Signature, implements, perform

START_SECONDS = 120.0
_BUGS = (NameError, AttributeError, IndexError, KeyError, RecursionError, MemoryError, SystemError)


@dataclass(frozen=True)
class Reply:
    """What came back: kind is value, declined, refused, crashed or hung."""

    kind: str
    value: Any = None
    message: str = ""


class Caller(Protocol):
    """Where the backend lives."""

    name: str
    version: str
    operations: frozenset[str]
    dtypes: tuple[str, ...]
    batched: bool

    def call(self, operation: str, signature: Signature, arguments: Sequence[Any]) -> Reply:
        """One call."""
        ...

    def close(self) -> None:
        """End it."""
        ...


def describe(backend: Any) -> dict[str, Any]:
    """What a backend says of itself."""
    default = getattr(backend, "__name__", type(backend).__name__)
    dtypes = getattr(backend, "dtypes", ("float64", "float32"))
    if not isinstance(dtypes, (tuple, list)):
        raise LayoutError(f"expected `dtypes` of a backend to be names of dtypes, got {dtypes!r}")
    return {
        "name": str(getattr(backend, "name", default)),
        "version": str(getattr(backend, "version", "")),
        "operations": frozenset(n for n, op in OPERATIONS.items() if implements(backend, op)),
        "dtypes": tuple(dtypes),
        "batched": bool(getattr(backend, "batched", True)),
    }


def answer(backend: Any, operation: str, signature: Signature, arguments: Sequence[Any]) -> Reply:
    """Call and classify; only the watchdog of `Here` passes through."""
    try:
        with np.errstate(all="ignore"):
            found = perform(backend, OPERATIONS[operation], signature, list(arguments))
            return Reply("value", _as_array(found))
    except NotImplementedError as error:
        return Reply("declined", message=_message(error))
    except (*_BUGS, SystemExit) as error:
        return Reply("crashed", message=_message(error))
    except Exception as error:
        return Reply("refused", message=_message(error))


def _as_array(found: Any) -> np.ndarray[Any, Any]:
    """Plain floats; what cannot become an array is the fault of the backend."""
    if hasattr(found, "detach"):  # torch
        found = found.detach().cpu()
    values = np.asarray(found)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"expected an array of real numbers, got dtype {values.dtype}")
    return values


def _message(error: BaseException) -> str:
    try:
        first = str(error).strip().splitlines()
    except Exception:  # the error of a stranger may fail to say what it is
        first = []
    return f"{type(error).__name__}: {first[0] if first else ''}"[:200]


class _TimeUp(BaseException):
    """Not an Exception: a backend that catches Exception must not swallow it."""


class Here:
    """An object in this process."""

    def __init__(self, backend: Any, seconds: float) -> None:
        self.backend, self.seconds = backend, seconds
        about = describe(backend)
        self.name, self.version = about["name"], about["version"]
        self.operations, self.dtypes = about["operations"], about["dtypes"]
        self.batched = about["batched"]
        if not self.operations:
            raise LayoutError(
                f"expected a backend with functions such as {', '.join(list(OPERATIONS)[:3])}, "
                f"got {self.name} with none of them"
            )

    def call(self, operation: str, signature: Signature, arguments: Sequence[Any]) -> Reply:
        """One call, ended by a timer."""
        try:
            with _watchdog(self.seconds):
                return answer(self.backend, operation, signature, arguments)
        except _TimeUp:
            return Reply("hung", message=f"no answer within {self.seconds:g} s")

    def close(self) -> None:
        """Nothing to end."""


@contextmanager
def _watchdog(seconds: float) -> Iterator[None]:
    """Raise _TimeUp after so many seconds, where a timer can be set."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return

    def expired(signum: int, frame: Any) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, expired)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Elsewhere:
    """A backend by name, in a process of its own; a new one is started after each hang."""

    def __init__(self, spec: str, seconds: float) -> None:
        self.spec, self.seconds = spec, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.Queue[Any] = queue.Queue()
        about = self._start()
        self.name, self.version = about["name"], about["version"]
        self.operations, self.dtypes = about["operations"], about["dtypes"]
        self.batched = about["batched"]

    def _start(self) -> dict[str, Any]:
        command = [sys.executable, "-c", "from geomlin.conformance.calls import serve; serve()"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        replies: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=_read, args=(process.stdout, replies), daemon=True).start()
        self._process, self._replies = process, replies
        path = ["", *(entry for entry in sys.path if entry)]
        self._send({"path": path, "spec": self.spec})
        about = self._receive(START_SECONDS)
        if isinstance(about, dict):
            return about
        self.close()
        if about is None:
            raise LayoutError(f"backend {self.spec!r} did not start within {START_SECONDS:g} s")
        kind, message = about
        if kind == "missing":
            raise BackendMissing(message, extra="peers")
        raise LayoutError(f"expected a backend at {self.spec!r}, got {message}")

    def call(self, operation: str, signature: Signature, arguments: Sequence[Any]) -> Reply:
        """One call; the process is ended if it does not answer in time."""
        if self._process is None:
            self._start()
        try:
            self._send((operation, signature, list(arguments)))
            reply = self._receive(self.seconds)
        except OSError:
            reply = EOFError()
        if isinstance(reply, Reply):
            return reply
        self.close()
        if reply is None:
            return Reply("hung", message=f"no answer within {self.seconds:g} s")
        return Reply("crashed", message="the process died")

    def _send(self, message: Any) -> None:
        stdin = self._process.stdin if self._process else None
        if stdin is None:
            raise BrokenPipeError("the process has no input")
        pickle.dump(message, stdin)
        stdin.flush()

    def _receive(self, seconds: float) -> Any:
        try:
            return self._replies.get(timeout=seconds)
        except queue.Empty:
            return None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    _close(stream)
            self._process = None


def _close(stream: IO[bytes]) -> None:
    """Close a pipe whose other end may be gone already."""
    try:
        stream.close()
    except OSError:
        return


def _read(stream: IO[bytes], replies: queue.Queue[Any]) -> None:
    """Frames from the process, then EOFError when it ends."""
    try:
        while True:
            replies.put(pickle.load(stream))
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        replies.put(EOFError())


def serve() -> None:
    """The loop of the other process; what the backend prints goes nowhere."""
    requests, frames = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)

    def reply(message: Any) -> None:
        pickle.dump(message, frames)
        frames.flush()

    setup = pickle.load(requests)
    sys.path[:] = setup["path"]
    try:
        backend = load_backend(setup["spec"])
        about = describe(backend)
        if not about["operations"]:
            raise LayoutError(f"{about['name']} with none of the functions of the kit")
    except BackendMissing as error:
        reply(("missing", str(error)))
        return
    except Exception as error:
        lines = traceback.format_exception_only(error)
        reply(("broken", "".join(lines).strip()))
        return
    reply(about)
    while True:
        try:
            operation, signature, arguments = pickle.load(requests)
        except EOFError:
            return
        reply(answer(backend, operation, signature, arguments))


def open_backend(backend: Any, seconds: float) -> Caller:
    """Where a backend is called: by name in another process, as an object here."""
    return Elsewhere(backend, seconds) if isinstance(backend, str) else Here(backend, seconds)
