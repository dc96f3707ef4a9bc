"""Finds and calls the shared library, and raises its failures as exceptions."""
from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import operator
import os
import signal
import sys
import threading
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, NoReturn, Union

import numpy as np
import numpy.typing as npt

from . import _abi
from ._errors import Error, InputError, OutOfMemoryError, UnsupportedError, failure

__version__ = "0.3.0-dev"
Array = npt.NDArray[Any]  # of numbers, of any shape

# --- finding it -----------------------------------------------------------------------------------


def _places() -> Iterator[str]:
    """Where the library may be, first choice first."""
    here = Path(__file__).resolve().parent
    if "RECON_LIBRARY" in os.environ:
        yield os.environ["RECON_LIBRARY"]  # and nothing in its place
        return
    for path in (here / "librecon.so", here.parent.parent / "build" / "librecon.so"):
        if path.exists():
            yield str(path)
    yield ctypes.util.find_library("recon") or "librecon.so.1"


def _load() -> ctypes.CDLL:
    place = next(_places())
    try:
        library = ctypes.CDLL(place)
        for name, (result, arguments) in _abi.PROTOTYPES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"recon's library cannot be used: {error}. Run `make` in the checkout, or put the"
            " path of librecon.so into RECON_LIBRARY."
        ) from error
    version = library.recon_version().decode()
    if version != __version__:  # structures may differ
        raise ImportError(f"{place} is version {version}, the package is {__version__}")
    return library


lib = _load()


def needed(package: str, what: str) -> Any:
    """A module of a package that recon can do without, for what cannot."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        raise UnsupportedError(f"{what} needs {name}, which is not installed: pip install {name}"
                               ) from error


# --- contexts -------------------------------------------------------------------------------------

_threads = 0


def set_threads(n: int) -> None:
    """Sets how many threads a call may use from now on, in this process.

    Results do not depend on it. Programs that call recon from many threads of their own do best
    with 1.

    Args:
        n: 0, the default, is as many as the machine offers; at most 256.

    Example:
        >>> recon.set_threads(1)
        >>> recon.set_threads(0)
    """
    global _threads
    number = whole("threads", n)
    if number > 256:
        raise InputError(f"{number} threads: 0 to 256")
    _threads = number


def _listener(said: list[str]) -> Any:
    """A callback that keeps warnings. It knows the list alone: a cycle would outlive the thread."""

    def hear(user: int, level: int, line: bytes) -> None:
        if level == _abi.RECON_LOG_WARN:
            said.append(line.decode(errors="replace"))

    return _abi.callback("recon_ctx_options", "on_log")(hear)


class Progress(NamedTuple):
    """Progress of a long call; passed to a `progress` function at most ten times a second.

    Fields:
        label: What is being done, such as "train" or "embed".
        done: Of total.
        total: Never 0.
        seconds: Since it began.
        finished: Whether this is the last report on it.
        measure: What value is, such as "loss"; None where nothing is measured.
        value: The last reading of it.
    """

    label: str
    done: int
    total: int
    seconds: float
    finished: bool
    measure: str | None
    value: float


Watch = Union[Callable[[Progress], Any], bool]


class _Bars:
    """Progress as bars of tqdm, one for each thing that is done."""

    def __init__(self) -> None:
        self._tqdm = needed("tqdm.auto", "progress=True").tqdm
        self._bar: Any = None

    def __call__(self, at: Progress) -> None:
        if self._bar is None:
            self._bar = self._tqdm(total=at.total, desc=at.label)
        if at.measure:
            self._bar.set_postfix({at.measure: f"{at.value:.4g}"}, refresh=False)
        self._bar.update(at.done - self._bar.n)
        if at.finished:
            self._bar.close()
            self._bar = None


class _Watcher:
    """A Python function as the library's on_progress. What it raises interrupts the call, and comes
    out of it."""

    def __init__(self, progress: Callable[[Progress], Any]):
        self.raised: BaseException | None = None
        self.pointer: int | None = None  # the context, once it is made
        self._progress = progress
        self.function = _abi.callback("recon_ctx_options", "on_progress")(self._call)

    def _call(self, user: int, report: Any) -> None:
        if self.raised:
            return
        r = report.contents
        measure = r.measure.decode() if r.measure else None
        try:
            self._progress(Progress(r.label.decode(), r.done, r.total, r.seconds,
                                    bool(r.finished), measure, r.value))
        except BaseException as error:  # C cannot pass it on
            self.raised = error
            lib.recon_ctx_interrupt(self.pointer)


class _Context:
    """A recon_ctx. It is freed with its thread."""

    def __init__(self, device: str, threads: int, watcher: _Watcher | None = None):
        self.said: list[str] = []  # warnings of the library
        self._on_log = _listener(self.said)
        options = _abi.recon_ctx_options(threads=threads, on_log=self._on_log,
                                         spelling=_abi.RECON_SPELLING_PYTHON)
        if watcher:
            options.on_progress = watcher.function
        self.pointer = lib.recon_ctx_new(ctypes.byref(options))
        if not self.pointer:
            raise OutOfMemoryError("a context cannot be made: out of memory or threads")
        check(self.pointer, lib.recon_ops_attach(self.pointer, device.encode()))

    def __del__(self) -> None:
        if self.pointer:
            lib.recon_ctx_free(self.pointer)


class _Idle(threading.local):
    def __init__(self) -> None:
        self.contexts: dict[tuple[int, str, int], list[_Context]] = {}


_idle = _Idle()


@contextmanager
def context(device: str = "cpu") -> Iterator[int]:
    """A context of this thread's own that nothing is using: not a call further up the stack, from
    whose judge this one may come, either. What the library warned of meanwhile becomes a warning
    of Python's."""
    idle = _idle.contexts.setdefault((os.getpid(), device, _threads), [])
    own = idle.pop() if idle else _Context(device, _threads)
    try:
        yield own.pointer
    finally:
        said = own.said[:]
        own.said.clear()
        idle.append(own)
    for line in said:
        warn(line)


@contextmanager
def watched(device: str, progress: Watch | None) -> Iterator[int]:
    """Like context, for a call that reports progress; exceptions of `progress` are raised here."""
    if progress is None or progress is False:
        with context(device) as ctx:
            yield ctx
        return
    if progress is True:
        progress = _Bars()
    if not callable(progress):
        raise InputError(f"progress: a function or True is needed, not {type(progress).__name__}")
    watcher = _Watcher(progress)
    own = _Context(device, _threads, watcher)
    watcher.pointer = own.pointer
    try:
        yield own.pointer
    except BaseException:
        if watcher.raised:
            raise watcher.raised from None
        raise
    else:
        if watcher.raised:  # by the last report, when there was nothing left to interrupt
            raise watcher.raised
    finally:
        for line in own.said:
            warn(line)


def check(ctx: int, status: int) -> None:
    """Raises what the last call with ctx had to say, if it failed."""
    if status != _abi.RECON_OK:
        message = lib.recon_ctx_message(ctx).decode(errors="replace")
        raise failure(message, lib.recon_status_name(status).decode())


@contextmanager
def made(ctx: int, close: Any, function: Any, *arguments: Any) -> Iterator[ctypes.c_void_p]:
    """The object that function returns in its first argument; closed at the end."""
    out = ctypes.c_void_p()
    patiently(ctx, function, ctypes.byref(out), *arguments)
    try:
        yield out
    finally:
        close(*(ctx, out)[-len(close.argtypes) :])


class Asked:
    """A Python function as one of the library's callbacks. What it raises fails the call that asks,
    and comes out of it."""

    def __init__(self, kind: Any, function: Callable[..., None]):
        self._raised: BaseException | None = None

        def call(*arguments: Any) -> int:
            try:
                function(*arguments)
            except BaseException as error:  # C cannot pass it on
                self._raised = error
                return int(_abi.RECON_ERR_INPUT)
            return int(_abi.RECON_OK)

        self.function = kind(call)

    def by(self, device: str, function: Any, *arguments: Any) -> None:
        """check of function(ctx, arguments), in this thread, on whose state (as torch.no_grad) the
        callback may rely."""
        try:
            with context(device) as ctx:
                check(ctx, function(ctx, *arguments))
        except Error as error:
            raise self._raised or error from None


def answering(function: Callable[[Array], Any], what: str, shape: tuple[int, ...],
            row: tuple[int, ...] = ()) -> Callable[..., None]:
    """A callback that asks function about n images of that shape, for a row of answers each."""

    def ask(ctx: int, user: int, out: Any, images: Any, n: int) -> None:
        given = array(function(np.ctypeslib.as_array(images, (n, *shape)).copy()), np.float64, what)
        if given.shape != (n, *row):
            raise InputError(f"{what}: {given.shape}, but {(n, *row)} are needed")
        np.ctypeslib.as_array(out, (n, *row))[:] = given

    return ask


_SIGNALS = sorted(signal.valid_signals())
_LOOK_EVERY = 0.1  # seconds: a signal may have reached another thread, which does not wake this one


class _Signals:
    """Python's handlers of signals, put off until `handle`, so that they raise there and nowhere
    else. For the main thread."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None  # by the last of them
        self._own: dict[int, Callable[[int, Any], Any]] = {}
        self._came: list[tuple[int, Any]] = []
        self._put_off = False

    def __enter__(self) -> _Signals:
        self._own = {n: h for n in _SIGNALS if callable(h := signal.getsignal(n))}
        for number in self._own:
            signal.signal(number, self._note)
        self._put_off = True
        return self

    def _note(self, number: int, frame: Any) -> None:
        if self._put_off:
            self._came.append((number, frame))
        else:  # before all are put off, or after one has raised while they were put back
            self._own[number](number, frame)

    def handle(self) -> None:
        while self._came:
            number, frame = self._came.pop(0)
            try:
                self._own[number](number, frame)
            except BaseException as error:
                self.raised = error

    def __exit__(self, *_: Any) -> None:
        self._put_off = False
        for number, own in self._own.items():
            if signal.getsignal(number) == self._note:  # not one that a handler has set
                signal.signal(number, own)
        self.handle()


def patiently(ctx: int, function: Any, *arguments: Any) -> None:
    """check of function(ctx, arguments), during which the handlers of signals run. What one raises
    ends the call, and comes out of it. Handlers run in the main thread only while it runs Python, so
    there the call is another thread's, and this one waits."""
    if threading.current_thread() is not threading.main_thread():
        check(ctx, function(ctx, *arguments))
        return
    outcome: list[Any] = []
    ended = threading.Lock()
    ended.acquire()

    def call() -> None:
        try:
            outcome.append(function(ctx, *arguments))
        except BaseException as error:
            outcome.append(error)
        ended.release()

    with _Signals() as signals:
        threading.Thread(target=call, daemon=True).start()
        while not outcome:  # to the end, whatever comes: the call works in memory of ours
            try:
                ended.acquire(timeout=_LOOK_EVERY)
                signals.handle()
            except BaseException as error:  # of no handler: another thread may put one here
                signals.raised = error
            if signals.raised:
                lib.recon_ctx_interrupt(ctx)
        lib.recon_ctx_resume(ctx)  # while signals are put off: the next call is not to be interrupted
    if signals.raised:
        raise signals.raised
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    check(ctx, outcome[0])


# --- arrays and names -----------------------------------------------------------------------------


def is_tensor(x: Any) -> bool:
    """Whether x is of PyTorch, which is not imported for that."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return kind is not None and isinstance(x, kind)


def _numbers(x: Any, what: str) -> Array:
    """A tensor's, on the CPU."""
    torch: Any = sys.modules["torch"]
    if torch.jit.is_tracing():  # by torch.jit.trace or torch.onnx.export
        refuse_to_be_compiled()
    remedy = {
        "a tensor on the device meta, which has no numbers": x.device.type == "meta",
        "a tensor of torch.bfloat16: x.float() makes it float32": x.dtype == torch.bfloat16,
        "a sparse tensor: x.to_dense() makes it dense": x.layout != torch.strided,
        "a tensor that requires grad, and no gradient flows through recon: x.detach(), or"
        " torch.no_grad()": x.requires_grad and torch.is_grad_enabled(),
    }
    for fault, there in remedy.items():
        if there:
            raise InputError(f"{what}: {fault}")
    numbers: Array = x.detach().cpu().resolve_neg().numpy()
    return numbers


def refuse_to_be_compiled() -> NoReturn:
    raise UnsupportedError("recon cannot be traced, scripted or exported by PyTorch: the library makes"
                           " the images, and a trace would keep those of one input; model.export(path)"
                           " or `recon export` writes the model as ONNX")


def array(x: Any, dtype: Any, what: str) -> Array:
    """x as a C-order array of dtype, its own for None; a failure names what it was to be."""
    if is_tensor(x):
        x = _numbers(x, what)
    try:
        if np.iscomplexobj(x):  # NumPy would drop half of it
            raise TypeError("complex numbers, but real ones are needed")
        return np.ascontiguousarray(x, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: {error}") from error


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line that called the package."""
    inside = (__package__, "contextlib")
    frame, depth = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in inside:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, category, stacklevel=depth)


def warn_above(usual: str, x: Array, text: str) -> None:
    """A warning where |x| exceeds the library's constant."""
    largest = np.abs(x).max(initial=0)
    if largest > _abi.CONSTANTS[usual]:
        warn(text.format(largest))


def whole(what: str, x: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """x as a whole number of such a range."""
    try:
        number: int | None = operator.index(x)
    except TypeError:
        number = int(x) if isinstance(x, float) and x.is_integer() else None
    if number is None or isinstance(x, bool) or not least <= number <= most:
        raise InputError(f"{what} {x!r} is not a whole number of at least {least}")
    return number


def path_text(path: Any, what: str) -> str:
    """A path or a name, given as text, bytes or a Path."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise InputError(f"{what}: text or a path is needed, not {type(path).__name__}") from None
    if "\0" in text:  # C would stop there, and open another file
        raise InputError(f"{what}: {text!r} holds a zero byte")
    return text


def share(false_alarms: float) -> float:
    """A share of false alarms, as the command takes it."""
    if not 0 < false_alarms < 1:
        raise InputError(f"false_alarms {false_alarms}: a share between 0 and 1, as 0.01")
    return false_alarms


def room(n: int, structure: type[ctypes.Structure]) -> Array:
    """n of a C structure, zero, as a record array for the library to fill."""
    return np.zeros(n, dtype=np.dtype(structure))


def address(x: Array | None) -> int | None:
    return None if x is None else x.ctypes.data


def choice(what: str, name: str, enum: str, *only: str) -> int:
    """The constant of a C enum by its last words, "photo-small"; of `only` these. A name that is not
    there is refused by listing."""
    constants = _abi.ENUMS[enum]
    shared = os.path.commonprefix(constants).rpartition("_")[0]
    known = {one[len(shared) + 1 :].lower().replace("_", "-"): one for one in constants}
    return pick(what, name, {one: known[one] for one in only or known})


def pick(what: str, name: str, constants: dict[str, str]) -> int:
    """The constant of that name."""
    if name not in constants:
        raise InputError(f"{what} {name!r} is none of {'|'.join(constants)}")
    return int(_abi.CONSTANTS[constants[name]])


def dtype_of(x: Array) -> int:
    """The constant for an array's numbers."""
    name = "BOOL" if x.dtype == bool else f"{x.dtype.kind.upper()}{8 * x.dtype.itemsize}"
    return int(_abi.CONSTANTS["RECON_" + name])


def as_array(x: Any, what: str, *dtypes: str) -> tuple[Any, Array]:
    """x as the library's array, and what keeps it alive. Another dtype becomes the last one."""
    given = array(x, None, what)
    if given.dtype.name not in dtypes:
        if what == "images" and given.dtype.kind != "f":
            raise InputError(f"images of {given.dtype}: floats are needed, or bytes")
        given = array(given, dtypes[-1], what)
    given = array(given, given.dtype.newbyteorder("="), what)
    if given.ndim > _abi.RECON_MAX_DIMS:
        raise InputError(f"{what}: {given.ndim} dimensions")
    shape = (ctypes.c_size_t * _abi.RECON_MAX_DIMS)(*given.shape)
    return _abi.recon_array(dtype=dtype_of(given), ndim=given.ndim, shape=shape,
                            data=address(given)), given


def matrices(quaternions: Array) -> Array:
    """Rotations [...] (recon_so3 records or [..., 4]) as matrices [..., 3, 3]."""
    q = np.ascontiguousarray(quaternions)
    shape = q.shape if q.dtype.names else q.shape[:-1]
    out = np.empty((*shape, 3, 3))
    lib.recon_so3_to_matrix_n(address(out), address(q), out.size // 9)
    return out
