"""What a caller gives, looked at before anything is measured: one line says what was wrong and what is accepted."""

from __future__ import annotations

import inspect
import math
import numbers
import operator
import os
import tempfile
from typing import Any, Optional, Tuple

from ._library import FileError, InputError


def shown(value: object) -> str:
    """On one line, and not a long one."""
    try:
        text = " ".join(ascii(value).split())
    except Exception:  # noqa: BLE001 - a caller's own
        text = f"of type {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def refused(name: str, value: object, accepted: str) -> InputError:
    return InputError(f"{name} {shown(value)} is not accepted; it is {accepted}")


def integer(name: str, value: Any, below: Optional[int] = 2**63) -> int:
    """Also one of numpy's. below None: the library says what is too large."""
    try:
        found = operator.index(value)
    except TypeError:
        raise refused(name, value, "an integer") from None
    if isinstance(value, bool):
        raise refused(name, value, "an integer")
    if below is not None and not -below <= found < below:
        raise refused(name, value, f"an integer below 2^{below.bit_length() - 1}")
    return found


def number(name: str, value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise refused(name, value, "a number")
    try:
        return float(value)
    except OverflowError:
        raise refused(name, value, "a number") from None


def nanoseconds(name: str, value: Any) -> int:
    """A clock's reading: floats lose what is below a ns."""
    if type(value) is int and 0 <= value < 2**63:
        return value
    said = f"{name} gave {shown(value)}; a number of ns is accepted, from 0 and below 2^63"
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(said)
    ns = float(value)
    if not math.isfinite(ns) or not 0 <= ns < 2**63:
        raise ValueError(said)
    return int(ns)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise refused(name, value, "a text")
    return value


def optional_text(name: str, value: Any) -> Optional[str]:
    return None if value is None else text(name, value)


def pair(name: str, value: Any, of: str) -> Tuple[Any, Any]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise refused(name, value, f"a pair of {of}, one for each lane")
    return value[0], value[1]


def function(name: str, value: Any) -> Any:
    """One that can be called and has then done its work: what `async def` makes has not."""
    if not callable(value):
        raise refused(name, value, "a function")
    if inspect.iscoroutinefunction(value) or inspect.iscoroutinefunction(getattr(value, "__call__", None)):
        raise refused(name, value, "a plain function: calling one of `async def` does nothing until it is awaited")
    return value


def optional_function(name: str, value: Any) -> Any:
    return None if value is None else function(name, value)


def writable(name: str, path: Any) -> None:
    """Refuses a file that could not be written afterwards. What is there stays as it is."""
    try:
        real = os.path.realpath(os.fsencode(path))
        exists, folder = os.path.exists(real), os.path.isdir(real)
    except (TypeError, ValueError):
        raise refused(name, path, "the name of a file") from None
    at = os.fsdecode(path)
    if folder or not at:
        raise FileError(f"{at}: is a folder; a file is accepted" if at else f"{name} is empty; it is the name of a file")
    try:
        if exists and not os.path.isfile(real):
            _open_device(real)
        else:
            _look_beside(real)
    except OSError as error:
        raise FileError(f"{at}: cannot be written: {error.strerror}") from None


def _open_device(real: bytes) -> None:
    """A terminal, /dev/null. A pipe would be ended by closing it again: its rights alone are looked at."""
    if not os.access(real, os.W_OK):
        raise PermissionError(13, "Permission denied")


def _look_beside(real: bytes) -> None:
    """The record takes its place by being renamed, so a new file must find room beside it."""
    try:
        os.lstat(real + b".00000000.tmp")
    except FileNotFoundError:
        pass
    with tempfile.TemporaryFile(dir=os.path.dirname(real)):
        pass
