"""libconfound, as ctypes sees it: signatures, errors, and texts that it hands out. Nothing here is public but the errors."""

from __future__ import annotations

import ctypes
import enum
import functools
import os
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple, Type

_SONAME = "libconfound.so.0"


class Status(enum.IntEnum):
    """What a function of the library says."""

    OK = 0
    INPUT = 1
    IO = 2
    UNSUPPORTED = 3
    NO_DEVICE = 4
    DEVICE = 5
    MEMORY = 6


class Error(Exception):
    """The library could not do what was asked; str() is one line."""

    status = Status.DEVICE
    exit_status = 5  # of a program that ends because of it: 2 bad input, 4 no device, 5 the device failed


class InputError(Error, ValueError):
    """Bad input: the line says what was wrong and what is accepted."""

    status = Status.INPUT
    exit_status = 2


class FileError(Error):
    """A file could not be read or written."""

    status = Status.IO
    exit_status = 2


class UnsupportedError(Error):
    """Not supported here."""

    status = Status.UNSUPPORTED
    exit_status = 4


class NoDeviceError(Error):
    """There is no such device."""

    status = Status.NO_DEVICE
    exit_status = 4


class DeviceError(Error):
    """The device, its driver or a step failed."""


class OutOfMemoryError(Error, MemoryError):
    """Out of memory."""

    status = Status.MEMORY


_ERRORS: Dict[int, Type[Error]] = {
    Status.INPUT: InputError,
    Status.IO: FileError,
    Status.UNSUPPORTED: UnsupportedError,
    Status.NO_DEVICE: NoDeviceError,
    Status.DEVICE: DeviceError,
    Status.MEMORY: OutOfMemoryError,
}


class CError(ctypes.Structure):
    """struct confound_error"""

    _fields_ = [("status", c_int), ("text", ctypes.c_char * 768), ("call", ctypes.c_char * 64), ("native", c_int64)]

    def say(self, text: str) -> None:
        self.text = text.encode("utf-8", "replace")[:767].decode("utf-8", "ignore").encode()


class CEstimate(ctypes.Structure):
    """struct confound_estimate"""

    _fields_ = [("median", c_double), ("low", c_double), ("high", c_double)]


STEP_FN = CFUNCTYPE(c_int, c_void_p, c_int, c_int, POINTER(CError))  # submit, wait, check
ARM_FN = CFUNCTYPE(c_int, c_void_p, c_int, POINTER(CError))
PROVE_FN = CFUNCTYPE(c_int, c_void_p, c_int, c_int, c_void_p, POINTER(CError))
LENGTH_FN = CFUNCTYPE(c_int, c_void_p, c_int, c_int64, POINTER(CError))
EMPTY_FN = CFUNCTYPE(c_int, c_void_p, POINTER(CError))
BLOCKED_FN = CFUNCTYPE(c_int64, c_void_p)
PROGRESS_FN = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int64, c_int64)
CANCEL_FN = CFUNCTYPE(c_int, c_void_p)
AGREE_FN = CFUNCTYPE(c_int64, c_void_p, c_int, c_int64)

_P, _E = c_void_p, POINTER(CError)
_FUNCTIONS: List[Tuple[str, Any, List[Any]]] = [
    ("version", c_char_p, []),
    ("because_meaning", c_char_p, [c_char_p]),
    ("record_read", c_int, [c_char_p, POINTER(_P), _E]),
    ("record_parse", c_int, [c_char_p, c_char_p, c_size_t, POINTER(_P), _E]),
    ("record_write", c_int, [_P, c_char_p, _E]),
    ("record_json", c_int, [_P, POINTER(_P), POINTER(c_size_t), _E]),
    ("record_free", None, [_P]),
    ("record_sha256", c_char_p, [_P]),
    ("record_rounds", c_int64, [_P]),
    ("record_simulated", c_int, [_P]),
    ("judge", c_int, [_P, c_double, POINTER(_P), _E]),
    ("judge_overlap", c_int, [_P, c_double, POINTER(c_int), POINTER(c_char_p), POINTER(c_int64), _E]),
    ("judgement_free", None, [_P]),
    ("judgement_json", c_char_p, [_P, POINTER(c_size_t)]),
    ("report", c_int, [_P, _P, c_int, c_int, c_int, c_char_p, POINTER(_P), POINTER(c_size_t), _E]),
    ("text_free", None, [_P]),
    ("options_new", c_int, [POINTER(_P), _E]),
    ("options_free", None, [_P]),
    ("options_set_device", c_int, [_P, c_char_p, _E]),
    ("options_set_value", c_int, [_P, c_char_p, _E]),
    ("options_set_seed", c_int, [_P, c_uint64, _E]),
    ("options_set_part_path", c_int, [_P, c_char_p, _E]),
    ("options_set_margin", c_int, [_P, c_double, _E]),
    ("options_set_alpha", c_int, [_P, c_double, _E]),
    ("options_set_rounds", c_int, [_P, c_int64, c_int64, _E]),
    ("options_set_at_least", c_int, [_P, c_double, _E]),
    ("options_set_progress", None, [_P, PROGRESS_FN, _P]),
    ("options_set_cancel", None, [_P, CANCEL_FN, _P]),
    ("options_set_agree", None, [_P, AGREE_FN, _P]),
    ("run_job", c_int, [c_char_p, _P, POINTER(_P), _E]),
    ("steps_new", c_int, [POINTER(_P), _E]),
    ("steps_free", None, [_P]),
    ("steps_set_submit", None, [_P, STEP_FN, _P]),
    ("steps_set_wait", None, [_P, STEP_FN, _P]),
    ("steps_add_instrument", c_int, [_P, c_char_p, c_char_p, c_char_p, POINTER(c_int), _E]),
    ("steps_set_process_only", c_int, [_P, c_int, c_char_p, _E]),
    ("steps_set_arm", None, [_P, ARM_FN, ARM_FN, _P]),
    ("steps_set_prove", None, [_P, PROVE_FN, _P]),
    ("proof_armed", None, [_P, c_int, c_char_p]),
    ("proof_count", None, [_P, c_int64, c_int64]),
    ("proof_seen", None, [_P, c_int64, c_int64]),
    ("steps_set_name", c_int, [_P, c_char_p, _E]),
    ("steps_set_lane", c_int, [_P, c_int, c_char_p, c_int64, _E]),
    ("steps_set_knob", c_int, [_P, c_int, LENGTH_FN, _P, c_int64, c_char_p, _E]),
    ("steps_set_depends", None, [_P, c_int]),
    ("steps_set_in_flight", c_int, [_P, c_int, _E]),
    ("steps_set_lane_waits", None, [_P, c_int]),
    ("steps_set_wait_name", c_int, [_P, c_char_p, _E]),
    ("steps_add_thread", c_int, [_P, c_int64, _E]),
    ("steps_set_empty", None, [_P, EMPTY_FN, _P]),
    ("steps_set_blocked", None, [_P, BLOCKED_FN, _P]),
    ("steps_set_check", None, [_P, STEP_FN, _P]),
    ("steps_set_device", c_int, [_P, c_char_p, c_char_p, c_char_p, c_int, _E]),
    ("steps_add_device_fact", c_int, [_P, c_char_p, c_char_p, _E]),
    ("steps_add_environment", c_int, [_P, c_char_p, c_char_p, _E]),
    ("run_steps", c_int, [_P, _P, POINTER(_P), _E]),
]


def _open() -> ctypes.CDLL:
    """$CONFOUND_LIBRARY, the library beside the package (a wheel has one), or the system's."""
    given = os.environ.get("CONFOUND_LIBRARY")
    beside = Path(__file__).parent / _SONAME
    name = given or (str(beside) if beside.exists() else _SONAME)
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"libconfound cannot be loaded: {error}; install the wheel, install the library, or name the file in "
            "CONFOUND_LIBRARY") from None


@functools.lru_cache(maxsize=None)
def library() -> Dict[str, Callable[..., Any]]:
    """The functions by their names without `confound_`, loaded once. ImportError where the library is not there."""
    handle = _open()
    functions: Dict[str, Callable[..., Any]] = {}
    for name, result, arguments in _FUNCTIONS:
        try:
            function = getattr(handle, "confound_" + name)
        except AttributeError:
            raise ImportError(f"{handle._name} is too old for this package: it has no confound_{name}") from None
        function.restype = result
        function.argtypes = arguments
        functions[name] = function
    return functions


def error_of(status: int, error: CError) -> Error:
    """The exception that stands for a failure."""
    text = error.text.decode("utf-8", "replace") or Status(status).name.lower()
    return _ERRORS.get(status, DeviceError)(text)


def call(name: str, *arguments: Any) -> None:
    """Calls a function whose last parameter is the error; raises where it fails."""
    error = CError()
    status = library()[name](*arguments, ctypes.byref(error))
    if status:
        raise error_of(status, error)


def encoded(text: str) -> bytes:
    """A C string: no NUL may be inside."""
    if not isinstance(text, str):
        raise InputError(f"{text!r} is no text")
    if "\0" in text:
        raise InputError(f"{text!r} has a NUL in it")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{text!r} has half a surrogate pair in it, which is no character") from None


def optional(text: "str | None") -> "bytes | None":
    return None if text is None else encoded(text)


def text_of(name: str, *arguments: Any) -> bytes:
    """Calls a function that hands out a text, and takes it."""
    text, size = c_void_p(), c_size_t()
    call(name, *arguments, ctypes.byref(text), ctypes.byref(size))
    try:
        return ctypes.string_at(text, size.value)
    finally:
        library()["text_free"](text)


def version() -> str:
    """Version of the library that is loaded."""
    return str(library()["version"]().decode())
