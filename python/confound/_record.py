"""Record and judgement, read from the library."""

from __future__ import annotations

import ctypes
import enum
import io
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from . import _accept, _library
from ._library import call, encoded, library, text_of

PathLike = Union[str, "os.PathLike[str]"]


class Bound(enum.Enum):
    """Whether the control's overlap is above a bound."""

    INCONCLUSIVE = 0
    ABOVE = 1
    BELOW = 2


@dataclass(frozen=True)
class OverlapAnswer:
    """What Record.overlap_above says; `because` and `more_rounds` only where it is inconclusive."""

    bound: Bound
    because: Optional[str] = None  # a word of the judgement file: "host-bound"
    meaning: Optional[str] = None  # the same as a phrase
    more_rounds: Optional[int] = None  # about so many more rounds would decide; None = not known


_FORMATS = {"text": 0, "verdict": 1, "markdown": 2, "html": 3, "csv": 4}


class Record:
    """Everything that was measured and nothing that was concluded (`confound.record/1`)."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        """Of the package: use Record.read, Record.parse or what a run returns."""
        self._handle = handle
        self._free = library()["record_free"]

    def __del__(self) -> None:
        free = getattr(self, "_free", None)
        if free is not None:
            free(self._handle)

    @classmethod
    def read(cls, path: PathLike) -> "Record":
        """Reads a record file. FileError, InputError (file and line)."""
        handle = ctypes.c_void_p()
        call("record_read", os.fsencode(path), ctypes.byref(handle))
        return cls(handle)

    @classmethod
    def parse(cls, text: Union[str, bytes], name: str = "record") -> "Record":
        """The same from memory; `name` stands for the file's in errors."""
        data = text.encode("utf-8") if isinstance(text, str) else text
        handle = ctypes.c_void_p()
        call("record_parse", encoded(name), data, len(data), ctypes.byref(handle))
        return cls(handle)

    def write(self, path: PathLike) -> None:
        """Writes the file whole, or leaves what is at path intact."""
        call("record_write", self._handle, os.fsencode(path))

    @property
    def sha256(self) -> str:
        """Of the file's bytes, 64 hex digits."""
        return str(library()["record_sha256"](self._handle).decode())

    @property
    def rounds(self) -> int:
        """Rounds that were measured, warm-up and prologue not counted."""
        return int(library()["record_rounds"](self._handle))

    @property
    def simulated(self) -> bool:
        """True where it says nothing about anyone's device."""
        return bool(library()["record_simulated"](self._handle))

    @property
    def json(self) -> str:
        """The file's text."""
        return text_of("record_json", self._handle).decode()

    def to_dict(self) -> Dict[str, Any]:
        """The file as Python objects: docs/record.md."""
        found: Dict[str, Any] = json.loads(self.json)
        return found

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row a cell time of the judged rounds. ImportError without pandas."""
        import pandas  # noqa: PLC0415

        return pandas.read_csv(io.StringIO(self.report("csv")))

    def judge(self, margin: Optional[float] = None) -> "Judgement":
        """Judges it, as `confound judge` does; margin None = the record's."""
        if margin is not None and not _accept.number("margin", margin) > 0:
            raise _library.InputError(f"margin {margin} is not accepted; it is above 0 and below 1")
        return Judgement._of(self, margin)

    def overlap_above(self, at_least: float) -> OverlapAnswer:
        """Is the control's overlap above at_least? Decided by the sequential sign test, never by a point estimate."""
        bound, because, more = ctypes.c_int(), ctypes.c_char_p(), ctypes.c_int64()
        bound_at = _accept.number("at_least", at_least)
        call("judge_overlap", self._handle, bound_at, ctypes.byref(bound), ctypes.byref(because), ctypes.byref(more))
        if because.value is None:
            return OverlapAnswer(Bound(bound.value))
        meaning = library()["because_meaning"](because.value)
        return OverlapAnswer(Bound(bound.value), because.value.decode(), meaning.decode() if meaning else None,
                             more.value or None)

    def report(self, format: str = "text", *, judgement: Optional["Judgement"] = None, color: bool = False,
               utf8: bool = False, verbose: bool = False, columns: int = 0, path: Optional[PathLike] = None) -> str:
        """The report as `confound report` shows it. format: text, verdict, markdown, html, csv. path: where the record
        is, for the report's last line."""
        if format not in _FORMATS:
            raise _library.InputError(f"no format {format!r}; there is {', '.join(_FORMATS)}")
        judged = judgement if judgement is not None else self.judge()
        show = (1 if color else 0) | (2 if utf8 else 0) | (4 if verbose else 0)
        where = None if path is None else os.fsencode(path)
        return text_of("report", self._handle, judged._handle, _FORMATS[format], show, columns, where).decode()

    def __repr__(self) -> str:
        return f"<confound.Record of {self.rounds} rounds, sha256 {self.sha256[:12]}>"


@dataclass(frozen=True)
class Estimate:
    """A median and its 95 % interval; an end is None where nothing can be said on that side."""

    median: float
    low: Optional[float] = None
    high: Optional[float] = None

    @classmethod
    def _of(cls, found: Optional[Dict[str, Any]]) -> Optional["Estimate"]:
        if found is None or found.get("median") is None:
            return None
        low, high = found.get("ci95", (None, None))
        return cls(found["median"], low, high)

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.median:.2f}"
        return f"{self.median:.2f} [{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True)
class Variant:
    """The workload under one instrument, as it was judged. What was not measured is None."""

    name: str
    role: str  # control, replica, instrument, reference
    reading: str  # overlaps, partial, serialises, host-bound, ill-conditioned, inconclusive
    because: Tuple[str, ...]
    armed: Optional[bool]
    a_ms: Optional[float]
    b_ms: Optional[float]
    ab_ms: Optional[float]
    submit_ms: Optional[float]
    exposed_ms: Optional[float]
    overlap: Optional[Estimate]
    seen: Optional[float]  # what the instrument's own timestamps show
    effect: Optional[str]  # confounded, clear, inconclusive; None where there is nothing to compare
    delta: Optional[Estimate]  # overlap less the control's
    raw: Dict[str, Any]  # all else that the judgement says of it: docs/judgement.md

    @classmethod
    def _of(cls, found: Dict[str, Any]) -> "Variant":
        effect = found.get("effect") or {}
        numbers = {name: found.get(name) for name in ("armed", "a_ms", "b_ms", "ab_ms", "submit_ms", "exposed_ms")}
        return cls(
            name=found["name"], role=found["role"], reading=found.get("reading") or "inconclusive",
            because=tuple(found.get("because", ())), overlap=Estimate._of(found.get("overlap")),
            seen=(found.get("seen") or {}).get("median"), effect=effect.get("verdict"),
            delta=Estimate._of(effect.get("delta")), raw=found, **numbers)


class Judgement:
    """What a record says (`confound.judgement/1`); the same record gives the same judgement, byte for byte."""

    def __init__(self, handle: ctypes.c_void_p, text: str) -> None:
        """Of the package: use Record.judge."""
        self._handle = handle
        self._free = library()["judgement_free"]
        self.json = text
        self._found: Dict[str, Any] = json.loads(text)
        self.variants: List[Variant] = [Variant._of(v) for v in self._found["variants"]]

    def __del__(self) -> None:
        free = getattr(self, "_free", None)
        if free is not None:
            free(self._handle)

    @classmethod
    def _of(cls, record: Record, margin: Optional[float]) -> "Judgement":
        handle = ctypes.c_void_p()
        call("judge", record._handle, 0.0 if margin is None else margin, ctypes.byref(handle))
        return cls(handle, library()["judgement_json"](handle, None).decode())

    @property
    def verdict(self) -> str:
        """invalid, confounded, inconclusive or clear."""
        return str(self._found["verdict"])

    @property
    def valid(self) -> bool:
        return bool(self._found["valid"])

    @property
    def invalid_because(self) -> Tuple[str, ...]:
        return tuple(self._found["invalid_because"])

    @property
    def simulated(self) -> bool:
        return bool(self._found["simulated"])

    @property
    def rounds(self) -> int:
        return int(self._found["rounds"])

    @property
    def best(self) -> Optional[float]:
        """The overlap that the step's own dependencies allow."""
        best: Optional[float] = self._found["best"]
        return best

    @property
    def control(self) -> Variant:
        """`none`: the only one that may be quoted as product speed."""
        return self.variants[0]

    @property
    def reading(self) -> str:
        """How the control reads."""
        return self.control.reading

    @property
    def overlap(self) -> Optional[Estimate]:
        """The control's."""
        return self.control.overlap

    def __getitem__(self, name: str) -> Variant:
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(f"no variant {name!r}; there is {', '.join(v.name for v in self.variants)}")

    def __iter__(self) -> Iterator[Variant]:
        return iter(self.variants)

    def to_dict(self) -> Dict[str, Any]:
        """The judgement file as Python objects: docs/judgement.md."""
        found: Dict[str, Any] = json.loads(self.json)
        return found

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row a variant. ImportError without pandas."""
        import pandas  # noqa: PLC0415

        rows = []
        for v in self.variants:
            row: Dict[str, Any] = {name: getattr(v, name) for name in (
                "name", "role", "reading", "effect", "armed", "a_ms", "b_ms", "ab_ms", "submit_ms", "exposed_ms", "seen")}
            for name, estimate in (("overlap", v.overlap), ("delta", v.delta)):
                row[name] = estimate.median if estimate else None
                row[name + "_low"] = estimate.low if estimate else None
                row[name + "_high"] = estimate.high if estimate else None
            rows.append(row)
        return pandas.DataFrame(rows).set_index("name")

    def __repr__(self) -> str:
        return f"<confound.Judgement: {self.verdict}, {self.rounds} rounds>"
