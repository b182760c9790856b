"""Runs the experiment on a caller's steps, or on a modelled device."""

from __future__ import annotations

import ctypes
import gc
import html
import os
import signal
import sys
import threading
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

from . import _accept, _library
from ._library import CError, InputError, call, encoded, library, optional
from ._record import Estimate, Judgement, PathLike, Record
from ._steps import Call, Callables, Device, Instrument, Instruments, Knob, Steps, Wait, instruments_of

Progress = Callable[[str, int, int], object]
Rounds = Union[int, Tuple[int, int]]

_RAISED = 5  # CONFOUND_DEVICE: the exception itself is kept on this side


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or an interrupt from elsewhere, ended a run. record: the rounds before it, or None."""

    def __init__(self, record: Optional[Record], lost: Optional[Exception] = None) -> None:
        rounds = record.rounds if record is not None else 0
        super().__init__(f"interrupted after {rounds} rounds" + (f"; {lost}" if lost is not None else ""))
        self.record = record


class Result:
    """What a run gave. str() is the report; a notebook shows it too."""

    def __init__(self, record: Record, path: Optional[PathLike] = None, margin: Optional[float] = None) -> None:
        self.record = record
        self.judgement: Judgement = record.judge(margin)
        self._path = path

    @property
    def verdict(self) -> str:
        return self.judgement.verdict

    @property
    def reading(self) -> str:
        """How the control reads."""
        return self.judgement.reading

    @property
    def overlap(self) -> Optional[Estimate]:
        """The control's."""
        return self.judgement.overlap

    def report(self, format: str = "text", **style: Any) -> str:
        """As Record.report."""
        style.setdefault("path", self._path)
        return self.record.report(format, judgement=self.judgement, **style)

    def to_pandas(self) -> Any:
        """As Judgement.to_pandas."""
        return self.judgement.to_pandas()

    def __str__(self) -> str:
        return self.report("text")

    def __repr__(self) -> str:
        return f"<confound.Result: {self.verdict}, none {self.reading} {self.overlap}, {self.record.rounds} rounds>"

    def _repr_html_(self) -> str:
        return f'<pre style="line-height:1.25">{html.escape(self.report("text", utf8=True, columns=100))}</pre>'


# ---- what happens between rounds -------------------------------------------------------------------------------------


class _Bar:
    """Progress through tqdm, which writes between rounds alone."""

    def __init__(self, make: Any) -> None:
        self._make, self._bar, self._phase = make, None, ""

    def __call__(self, phase: str, done: int, most: int) -> None:
        if phase != self._phase:
            self.close()
            self._phase, self._bar = phase, self._make(total=most, desc=phase, leave=False)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _progress_of(progress: Union[None, bool, Progress]) -> Optional[Progress]:
    """None: tqdm where it is installed and someone looks; True: also where no one seems to; False: none."""
    if progress is not None and not isinstance(progress, bool):
        made: Progress = _accept.function("progress", progress)
        return made
    if progress is False or (progress is None and not (sys.stderr.isatty() or "ipykernel" in sys.modules)):
        return None
    try:
        from tqdm.auto import tqdm  # noqa: PLC0415
    except ImportError:
        return None
    return _Bar(tqdm)


class _Watch:
    """Progress, the end, and the collector, between rounds. An exception here is kept as one of a step is."""

    def __init__(self, progress: Optional[Progress], agree: Optional[Callable[[str, int], int]], collect: bool) -> None:
        self.raised: Optional[BaseException] = None
        self.interrupts = 0
        self._progress, self._agree, self._collect = progress, agree, collect
        self.callbacks: List[Any] = []  # ctypes keeps none of them alive

    def fail(self, error: BaseException) -> None:
        if self.raised is None:
            self.raised = error

    def at_once(self) -> bool:
        """Whoever interrupts twice waits for nothing more."""
        return self.interrupts > 1 or isinstance(self.raised, KeyboardInterrupt)

    def on_progress(self, _user: Any, phase: bytes, done: int, most: int) -> int:
        try:
            if self._collect:
                gc.collect(1)
            return 1 if self._progress is not None and self._progress(phase.decode(), done, most) else 0
        except BaseException as error:  # noqa: BLE001
            self.fail(error)
            return 1

    def on_cancel(self, _user: Any) -> int:
        return 1 if self.interrupts or self.raised is not None else 0

    def on_agree(self, _user: Any, what: int, own: int) -> int:
        try:
            assert self._agree is not None
            return int(self._agree(("decided", "end", "wall_ns")[what], own))
        except BaseException as error:  # noqa: BLE001
            self.fail(error)
            return -1

    def set_on(self, options: ctypes.c_void_p) -> None:
        progress = _library.PROGRESS_FN(self.on_progress)
        cancel = _library.CANCEL_FN(self.on_cancel)
        library()["options_set_progress"](options, progress, None)
        library()["options_set_cancel"](options, cancel, None)
        self.callbacks += [progress, cancel]
        if self._agree is not None:
            agree = _library.AGREE_FN(self.on_agree)
            library()["options_set_agree"](options, agree, None)
            self.callbacks.append(agree)

    @contextmanager
    def interrupts_noted(self) -> Iterator[None]:
        """Ctrl-C ends the run after its round; a second one is raised where the main thread stands. Only where Python's
        own handler is in place, and in the main thread, which is the one that signals reach."""
        main = threading.current_thread() is threading.main_thread()
        if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return

        def note(number: int, frame: Optional[FrameType]) -> None:
            self.interrupts += 1
            if self.interrupts > 1:
                signal.default_int_handler(number, frame)

        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _no_collector(keep: bool) -> Iterator[None]:
    """As timeit does: the garbage collector does not run inside a step."""
    was = gc.isenabled()
    if not keep:
        gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _least_and_most(rounds: Rounds) -> Tuple[int, int]:
    if isinstance(rounds, (tuple, list)):
        if len(rounds) != 2:
            raise _accept.refused("rounds", rounds, "how many at most, or (at least, at most)")
        return _accept.integer("rounds", rounds[0]), _accept.integer("rounds", rounds[1])
    most = _accept.integer("rounds", rounds)
    return min(12, most), most


@contextmanager
def _options(rounds: Optional[Rounds], margin: Optional[float], alpha: Optional[float], seed: Optional[int],
             at_least: Optional[float], path: Optional[PathLike],
             part_path: Optional[PathLike]) -> Iterator[ctypes.c_void_p]:
    for name, file in (("path", path), ("part_path", part_path)):
        if file is not None:
            _accept.writable(name, file)
    options = ctypes.c_void_p()
    call("options_new", ctypes.byref(options))
    try:
        if rounds is not None:
            call("options_set_rounds", options, *_least_and_most(rounds))
        if margin is not None:
            call("options_set_margin", options, _accept.number("margin", margin))
        if alpha is not None:
            call("options_set_alpha", options, _accept.number("alpha", alpha))
        if seed is not None:
            seed = _accept.integer("seed", seed, None)
            if seed < 0:
                raise InputError(f"seed {seed} is not accepted; it is from 0 and below 2^53")
            call("options_set_seed", options, min(seed, 2**64 - 1))
        if at_least is not None:
            call("options_set_at_least", options, _accept.number("at_least", at_least))
        if part_path is not None:
            call("options_set_part_path", options, os.fsencode(part_path))
        yield options
    finally:
        library()["options_free"](options)


# ---- steps -----------------------------------------------------------------------------------------------------------


def _overrides(one: object, base: type, name: str) -> bool:
    return getattr(type(one), name) is not getattr(base, name)


class _Session:
    """A caller's steps as the library calls them."""

    def __init__(self, steps: Steps, instruments: Sequence[Instrument], watch: _Watch) -> None:
        self._steps, self._watch = steps, watch
        self._of: List[Optional[Instrument]] = [None, *instruments]
        self._armed: Optional[Instrument] = None
        self._late: Optional[BaseException] = None  # of a callback that has no way to say so
        self._keep: List[Any] = []
        self.handle = ctypes.c_void_p()
        call("steps_new", ctypes.byref(self.handle))
        try:
            self._describe()
            self._add_instruments(instruments)
            self._set_calls()
        except BaseException:
            self.free()
            raise

    def free(self) -> None:
        library()["steps_free"](self.handle)
        self.handle = ctypes.c_void_p()

    def _describe(self) -> None:
        steps, handle = self._steps, self.handle
        call("steps_set_name", handle, encoded(_accept.text("name", steps.name)))
        labels = _accept.pair("labels", steps.labels, "texts")
        operations = _accept.pair("operations", steps.operations, "numbers")
        for lane in (0, 1):
            call("steps_set_lane", handle, lane + 1, optional(_accept.optional_text("label", labels[lane])),
                 _accept.integer("operations", operations[lane]))
        library()["steps_set_depends"](handle, int(steps.depends))
        call("steps_set_in_flight", handle, _accept.integer("in_flight", steps.in_flight, 2**31))
        library()["steps_set_lane_waits"](handle, int(steps.lane_waits))
        if steps.wait_name is not None:
            call("steps_set_wait_name", handle, encoded(steps.wait_name))
        device = steps.device if steps.device is not None else Device("callables of Python", facts={})
        if not isinstance(device, Device):
            raise _accept.refused("device", device, "a confound.Device")
        call("steps_set_device", handle, encoded(device.backend), encoded(device.name), optional(device.driver),
             int(device.simulated))
        for name, value in {"python": sys.version.split()[0], **device.facts}.items():
            call("steps_add_device_fact", handle, encoded(name), encoded(value))
        for name, value in steps.environment.items():
            call("steps_add_environment", handle, encoded(name), encoded(value))

    def _add_instruments(self, instruments: Sequence[Instrument]) -> None:
        for one in instruments:
            number = ctypes.c_int()
            call("steps_add_instrument", self.handle, encoded(one.name), optional(one.where), optional(one.on),
                 ctypes.byref(number))
            if one.process_only is not None:
                call("steps_set_process_only", self.handle, number, encoded(one.process_only))

    def add_threads(self, native_ids: Sequence[int]) -> None:
        for native_id in native_ids:
            call("steps_add_thread", self.handle, native_id)

    def _set(self, setter: str, kind: Any, *functions: Any) -> None:
        made = [kind(function) for function in functions]
        self._keep += made
        library()[setter](self.handle, *made, None)

    def _set_calls(self) -> None:
        steps = self._steps
        self._set("steps_set_submit", _library.STEP_FN, self._submit)
        self._set("steps_set_wait", _library.STEP_FN, self._wait)
        self._set("steps_set_arm", _library.ARM_FN, self._arm, self._disarm)
        if _overrides(steps, Steps, "prove_control") or any(
                one is not None and _overrides(one, Instrument, "prove") for one in self._of):
            self._set("steps_set_prove", _library.PROVE_FN, self._prove)
        if _overrides(steps, Steps, "check"):
            self._set("steps_set_check", _library.STEP_FN, self._check)
        if _overrides(steps, Steps, "empty"):
            self._set("steps_set_empty", _library.EMPTY_FN, self._empty)
        if _overrides(steps, Steps, "blocked_ns"):
            self._set("steps_set_blocked", _library.BLOCKED_FN, self._blocked)
        for lane, knob in enumerate(_accept.pair("knobs", steps.knobs, "confound.Knob or None")):
            if knob is None:
                continue
            if not isinstance(knob, Knob):
                raise _accept.refused("knob", knob, "a confound.Knob")
            _accept.function("a knob's set", knob.set)
            made = _library.LENGTH_FN(self._set_length)
            self._keep.append(made)
            call("steps_set_knob", self.handle, lane + 1, made, None, _accept.integer("a knob's first", knob.first),
                 optional(_accept.optional_text("a knob's unit", knob.unit)))

    def _failed(self, error: BaseException, err: Any) -> int:
        self._watch.fail(error)
        if err:
            err.contents.say(_said(error))
        return _RAISED

    # In the clock.

    def _submit(self, _user: Any, variant: int, lanes: int, err: Any) -> int:
        if self._late is not None:
            return self._failed(self._late, err)
        try:
            self._steps.submit(lanes, self._of[variant])
            return 0
        except BaseException as error:  # noqa: BLE001 - nothing may pass through C
            return self._failed(error, err)

    def _wait(self, _user: Any, variant: int, lanes: int, err: Any) -> int:
        try:
            self._steps.wait(lanes, self._of[variant])
            return 0
        except BaseException as error:  # noqa: BLE001
            return self._failed(error, err)

    def _blocked(self, _user: Any) -> int:
        try:
            return _accept.nanoseconds("blocked_ns", self._steps.blocked_ns())
        except BaseException as error:  # noqa: BLE001 - the next call that can fail says it
            self._watch.fail(error)
            self._late = error
            return 0

    # Outside.

    def _empty(self, _user: Any, err: Any) -> int:
        try:
            self._steps.empty()
            return 0
        except BaseException as error:  # noqa: BLE001
            return self._failed(error, err)

    def _arm(self, _user: Any, variant: int, err: Any) -> int:
        try:
            one = self._of[variant]
            if one is not None:
                one.arm()
                self._armed = one
            return 0
        except BaseException as error:  # noqa: BLE001
            return self._failed(error, err)

    def _disarm(self, _user: Any, variant: int, err: Any) -> int:
        try:
            one, self._armed = self._of[variant], None
            if one is not None:
                one.disarm()
            return 0 if self._late is None else self._failed(self._late, err)
        except BaseException as error:  # noqa: BLE001
            return self._failed(error, err)

    def _proof(self, variant: int, lanes: int) -> Any:
        one = self._of[variant]
        if one is not None:
            return one.prove(lanes)
        proof = self._steps.prove_control(lanes)
        if proof is None:
            return _UNARMED if self._armed is None else None
        return proof

    def _prove(self, _user: Any, variant: int, lanes: int, target: int, err: Any) -> int:
        try:
            proof = self._proof(variant, lanes)
            if proof is None:
                return 0
            if proof.armed is not None or proof.how is not None:
                armed = 0 if proof.armed is None else 2 if proof.armed else 1
                library()["proof_armed"](target, armed, optional(proof.how))
            if proof.expected:
                library()["proof_count"](target, proof.expected, proof.count)
            if proof.seen is not None:
                library()["proof_seen"](target, *proof.seen)
            return 0
        except BaseException as error:  # noqa: BLE001
            return self._failed(error, err)

    def _check(self, _user: Any, variant: int, lanes: int, err: Any) -> int:
        try:
            wrong = self._steps.check(lanes, self._of[variant])
            if wrong is None:
                return 0
            if not isinstance(wrong, str):
                raise TypeError(f"check returned {_accept.shown(wrong)}; what is wrong is accepted, as a text, or None")
            err.contents.say(wrong)
            return 1
        except BaseException as error:  # noqa: BLE001
            return self._failed(error, err)

    def _set_length(self, _user: Any, lane: int, length: int, err: Any) -> int:
        try:
            knob = self._steps.knobs[lane - 1]
            assert knob is not None
            knob.set(length)
            return 0
        except BaseException as error:  # noqa: BLE001
            return self._failed(error, err)


def _unarmed() -> Any:
    from ._steps import Proof  # noqa: PLC0415

    return Proof(armed=False, how="no instrument armed")


_UNARMED = _unarmed()


def _said(error: BaseException) -> str:
    """Its text is a caller's own code too."""
    try:
        return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    except Exception:  # noqa: BLE001
        return type(error).__name__


def _attach(error: BaseException, record: Optional[Record], lost: Optional[Exception] = None) -> None:
    """The rounds before the failure go with the exception. lost: why there is no file of them."""
    if record is None:
        return
    try:
        error.confound_record = record  # type: ignore[attr-defined]
        error.add_note(f"confound keeps {record.rounds} whole rounds in confound_record")  # type: ignore[attr-defined]
        if lost is not None:
            error.add_note(f"the record's file: {lost}")  # type: ignore[attr-defined]
    except AttributeError:  # no place for it, or a Python without notes
        pass


def _write(record: Optional[Record], path: Optional[PathLike]) -> Optional[_library.Error]:
    """Why it could not be written."""
    if record is not None and path is not None:
        try:
            record.write(path)
        except _library.Error as error:
            return error
    return None


def _finish(status: int, error: CError, record: Optional[Record], watch: _Watch, path: Optional[PathLike]) -> Record:
    """The record of a run, or what ended it; what there is is written either way. A record that cannot be written
    is not lost, and hides nothing: it goes with the exception."""
    lost = _write(record, path)
    if watch.interrupts or isinstance(watch.raised, KeyboardInterrupt):
        raise Interrupted(record, lost) from watch.raised
    if watch.raised is not None:
        _attach(watch.raised, record, lost)
        raise watch.raised
    if status or record is None:
        failure = _library.error_of(status, error)
        _attach(failure, record, lost)
        raise failure
    if lost is not None:
        _attach(lost, record)
        raise lost
    return record


def run(steps: Steps, instruments: Instruments = (), *, rounds: Optional[Rounds] = None, margin: Optional[float] = None,
        alpha: Optional[float] = None, seed: Optional[int] = None, at_least: Optional[float] = None,
        path: Optional[PathLike] = None, part_path: Optional[PathLike] = None,
        progress: Union[None, bool, Progress] = None, collector: bool = False,
        agree: Optional[Callable[[str, int], int]] = None) -> Result:
    """Measures until the verdict is decided or the rounds are used up.

    rounds     at most so many, or (at least, at most); 12 and 120
    margin     of equivalence, 0.10
    alpha      error rate of a family, 0.01
    seed       of the order of the cells, below 2^53; a fresh one
    at_least   what is asked is whether the control's overlap is above this: the run ends when that is decided
    path       where the record goes, also where the run fails or is interrupted. Refused at once where nothing can be
               written there; a record that cannot be written in the end is the FileError's `confound_record`
    part_path  a file that takes each round as it ends
    progress   None: tqdm where it is installed and standard error is a terminal or a notebook's; True, False; or a
               function of (phase, done, most) that is called between rounds, and ends the run by returning true
    collector  True leaves Python's garbage collector on inside steps; else it runs between rounds
    agree      of ranks that act together: docs/measure-your-own.md

    What a step raises is raised here; the rounds before it are its `confound_record`. Ctrl-C raises Interrupted, whose
    `record` they are.
    """
    instruments = instruments_of(instruments)
    shown = _progress_of(progress)
    watch = _Watch(shown, _accept.optional_function("agree", agree), not collector)
    session = _Session(steps, instruments, watch)
    handle, error = ctypes.c_void_p(), CError()
    try:
        with _options(rounds, margin, alpha, seed, at_least, path, part_path) as options:
            watch.set_on(options)
            try:
                with watch.interrupts_noted(), _no_collector(collector):
                    steps.begin()
                    session.add_threads(steps.threads())
                    status = library()["run_steps"](session.handle, options, ctypes.byref(handle), ctypes.byref(error))
            finally:
                if isinstance(shown, _Bar):
                    shown.close()
                if isinstance(steps, Callables) and watch.at_once():
                    steps.give_up()
                steps.end()
    finally:
        session.free()
    record = Record(handle) if handle.value else None
    return Result(_finish(status, error, record, watch, path), path)


def measure(step_a: Call, step_b: Call, *, wait: Optional[Wait] = None, together: Optional[Call] = None,
            variants: Instruments = (), name: str = "steps", labels: Tuple[Optional[str], Optional[str]] = (None, None),
            operations: Tuple[int, int] = (1, 1), depends: bool = False, in_flight: int = 1,
            knob_a: Optional[Knob] = None, knob_b: Optional[Knob] = None,
            check: Optional[Callable[[], Optional[str]]] = None, blocked_ns: Optional[Callable[[], int]] = None,
            device: Optional[Device] = None, **options: Any) -> Result:
    """Does step_a overlap step_b, and do the variants' instruments change that?

    step_a, step_b  one step of each lane. Without `wait` they block, and each lane runs on a thread of its own. With it
                    they submit and return.
    wait            returns when all that was submitted has ended; or (wait_a, wait_b), each for its lane
    together        submits a step of both lanes, where a, then b is not how it is done; instruments that put something
                    around a step then have no part in it
    variants        what is on trial: {name: instrument, or a function that makes a context manager}
    labels          what the lanes do, for the report
    operations      in a step of each lane; with depends, operation i of b needs operation i of a
    in_flight       steps that are submitted before the wait
    knob_a, knob_b  where given, the library makes the lanes long enough and alike; steps are never stretched otherwise
    check           what is wrong with a result, or None; called after each window, outside the clock
    blocked_ns      ns so far that submitting was blocked, which is no work of the host
    options         those of confound.run: rounds, margin, seed, path, progress, …
    """
    instruments = instruments_of(variants)
    kind = _checked(_accept.optional_function("check", check), _accept.optional_function("blocked_ns", blocked_ns))
    steps = kind(step_a, step_b, wait, together, instruments)
    steps.name, steps.labels, steps.operations, steps.depends = name, labels, operations, depends
    steps.in_flight, steps.knobs, steps.device = in_flight, (knob_a, knob_b), device
    return run(steps, instruments, **options)


def _checked(check: Optional[Callable[[], Optional[str]]], blocked_ns: Optional[Callable[[], int]]) -> Any:
    """Callables, with what the library may call only where it was given."""
    members: dict[str, Any] = {}
    if check is not None:
        members["check"] = lambda self, lanes, instrument: check()
    if blocked_ns is not None:
        members["blocked_ns"] = lambda self: blocked_ns()
    return type("Callables", (Callables,), members) if members else Callables


def run_job(job: str = "", *, device: Optional[str] = None, values: Sequence[str] = (), rounds: Optional[Rounds] = None,
            margin: Optional[float] = None, alpha: Optional[float] = None, seed: Optional[int] = None,
            at_least: Optional[float] = None, path: Optional[PathLike] = None, part_path: Optional[PathLike] = None,
            progress: Union[None, bool, Progress] = None) -> Result:
    """Runs a job (docs/jobs.md) on a device of the library's: the text of a job file, "" = 16 copies beside 16 kernels.

    device   its name in `confound devices`; without one the job's, or soft, the embedded device in real time
    values   "SECTION.KEY=VALUE", applied in their order
    """
    shown = _progress_of(progress)
    watch = _Watch(shown, None, True)
    handle, error = ctypes.c_void_p(), CError()
    try:
        with _options(rounds, margin, alpha, seed, at_least, path, part_path) as options:
            if device is not None:
                call("options_set_device", options, encoded(device))
            for value in values:
                call("options_set_value", options, encoded(value))
            watch.set_on(options)
            with watch.interrupts_noted(), _no_collector(False):
                status = library()["run_job"](encoded(job), options, ctypes.byref(handle), ctypes.byref(error))
    finally:
        if isinstance(shown, _Bar):
            shown.close()
    record = Record(handle) if handle.value else None
    return Result(_finish(status, error, record, watch, path), path)
