"""Steps of two streams: a caller's own callables, pinned copies beside matmuls, the staging loop of a KV cache."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from .._library import InputError
from .._steps import LANE_A, LANE_AB, LANE_B, Instrument, Knob, Proof, Steps
from ._device import Accelerator, Op, environment
from ._instruments import Events, Profiler

OnStream = Callable[[Any], object]


class StreamSteps(Steps):
    """`count` operations on each of two streams, submitted in turns: a, b, a, b, …"""

    lane_waits = True
    wait_name = "synchronize"

    def __init__(self, accelerator: Accelerator, count: int) -> None:
        if not 1 <= count <= 4096:
            raise InputError(f"count {count} is not accepted; it is 1 to 4096")
        self.accelerator, self.count = accelerator, count
        self.operations = (count, count)
        self.device = accelerator.describe()
        self.environment = environment()
        self.streams = (accelerator.stream(), accelerator.stream())
        self.ops: Tuple[List[Op], List[Op]] = ([], [])
        self._set_stream, self._launch = accelerator.switcher(), accelerator.launch
        self._arrived: Optional[List[Any]] = None  # of lane a, where lane b waits for it
        self.instruments: Sequence[Instrument] = ()

    def begin(self) -> None:
        self.accelerator.begin()

    def end(self) -> None:
        self.accelerator.end()

    def threads(self) -> Sequence[int]:
        return self.accelerator.threads()

    def _warm(self, lane: int) -> None:
        """The first call of a shape chooses its kernel and takes its workspace: that is not what is measured."""
        before = self.accelerator.switch(self.streams[lane])
        self.accelerator.launch(self.streams[lane], self.ops[lane][0])
        self.accelerator.synchronize()
        if before is not None:
            self.accelerator.switch(before)

    # In the clock.

    def _put(self, lane: int, i: int, events: Optional[Events]) -> None:
        stream = self.streams[lane]
        if events is None:
            self._launch(stream, self.ops[lane][i])
            return
        before, after = events.take(lane)
        before.record(stream)
        self._launch(stream, self.ops[lane][i])
        after.record(stream)

    def submit(self, lanes: int, instrument: Optional[Instrument]) -> None:
        events = instrument if isinstance(instrument, Events) else None
        arrived = self._arrived if lanes == LANE_AB else None
        set_stream, (a, b) = self._set_stream, self.streams
        before = self.accelerator.switch(a if lanes & LANE_A else b)
        for i in range(self.count):
            if lanes & LANE_A:
                if lanes & LANE_B:
                    set_stream(a)
                self._put(0, i, events)
            if arrived is not None:
                arrived[i].record(a)
                self.accelerator.wait_event(b, arrived[i])
            if lanes & LANE_B:
                if lanes & LANE_A:
                    set_stream(b)
                self._put(1, i, events)
        set_stream(before)

    def wait(self, lanes: int, instrument: Optional[Instrument]) -> None:
        if lanes & LANE_A:
            self.accelerator.wait(self.streams[0])
        if lanes & LANE_B:
            self.accelerator.wait(self.streams[1])

    # Outside.

    def prove_control(self, lanes: int) -> Proof:
        for one in self.instruments:
            if isinstance(one, (Events, Profiler)) and one.alive:
                return Proof(armed=True, how=f"{one.name} is still alive")
        enabled = getattr(self.accelerator.torch.autograd, "_profiler_enabled", None)
        if enabled is not None and enabled():
            return Proof(armed=True, how="a profiler of PyTorch's is on")
        return Proof(armed=False, how="no event of an instrument alive, PyTorch's profiler off")


class CallableSteps(StreamSteps):
    """A caller's copy and compute, each called `count` times a step with its stream current."""

    def __init__(self, accelerator: Accelerator, copy: OnStream, compute: OnStream, count: int) -> None:
        super().__init__(accelerator, count)
        a, b = self.streams
        self.ops = ([lambda: copy(a)] * count, [lambda: compute(b)] * count)


def _two_lanes(length: Tuple[Optional[int], Optional[int]], knobs: Tuple[Knob, Knob]) -> Tuple[
        Optional[Knob], Optional[Knob]]:
    """A length that was given is set once and never changed."""
    for given, knob in zip(length, knobs):
        if given is not None:
            if given < 1:
                raise InputError(f"{given} {knob.unit} are not accepted; at least 1")
            knob.set(given)
    return knobs[0] if length[0] is None else None, knobs[1] if length[1] is None else None


class CopyCompute(StreamSteps):
    """Host-to-device copies on one stream beside matmuls on another, independent of each other; one launch an operation."""

    def __init__(self, accelerator: Accelerator, count: int = 16, size_bytes: Optional[int] = None,
                 rows: Optional[int] = None, matmul_size: Optional[int] = None, pinned: bool = True) -> None:
        """size_bytes of a copy; rows of the matrix that an operation of lane b multiplies by one of matmul_size columns
        and rows. None = calibrated."""
        super().__init__(accelerator, count)
        torch, small = accelerator.torch, accelerator.simulated
        size = matmul_size if matmul_size is not None else 256 if small else 2048
        if size < 1:
            raise InputError(f"matmul size {size} is not accepted; at least 1")
        self.name, self.labels = "copy-compute", (
            "copy" if small else "pinned h2d copy" if pinned else "pageable h2d copy", "matmul")
        self._pinned = pinned and not small
        self._nonce = 1
        self._size, self._dtype = size, torch.float32 if small else torch.float16
        self._right = float(torch.tensor(float(size), dtype=self._dtype))
        self._y = torch.ones((size, size), dtype=self._dtype, device=accelerator.device)
        self._host: Any = None
        self._target: Any = None
        self._z: Any = None
        self.knobs = _two_lanes((size_bytes, rows), (Knob(self._set_bytes, (1 << 18) if small else (1 << 20), "bytes"),
                                                     Knob(self._set_rows, 64 if small else 4096, "rows")))

    def _set_bytes(self, size_bytes: int) -> None:
        torch = self.accelerator.torch
        self.ops[0].clear()
        self._host = self._target = None  # freed before more is asked for
        self._host = torch.empty((self.count, size_bytes), dtype=torch.uint8, pin_memory=self._pinned)
        self._target = torch.empty((self.count, size_bytes), dtype=torch.uint8, device=self.accelerator.device)
        self._host.fill_(self._nonce)
        for i in range(self.count):
            self.ops[0].append(_copy_of(self._host[i], self._target[i]))
        self.accelerator.synchronize()
        self._warm(0)

    def _set_rows(self, rows: int) -> None:
        torch, device = self.accelerator.torch, self.accelerator.device
        self.ops[1].clear()
        self._z = None
        x = torch.ones((rows, self._size), dtype=self._dtype, device=device)
        z = self._z = torch.zeros((rows, self._size), dtype=self._dtype, device=device)
        mm, y = torch.mm, self._y
        self.ops[1].extend([lambda: mm(x, y, out=z)] * self.count)
        self.accelerator.synchronize()
        self._warm(1)

    def check(self, lanes: int, instrument: Optional[Instrument]) -> Optional[str]:
        """Each window has a number of its own in the first and last byte of every copy."""
        wrong = None
        if lanes & LANE_A:
            for end in (0, -1):
                if self._target[:, end].tolist() != [self._nonce] * self.count:
                    wrong = f"a copy did not bring {self._nonce}"
            self._nonce = self._nonce % 250 + 1
            for end in (0, -1):
                self._host[:, end] = self._nonce
        if lanes & LANE_B:
            found = float(self._z[0, 0])
            if found != self._right:
                wrong = f"a matmul gave {found}, not {self._right}"
            self._z[0, 0] = 0
        self.accelerator.synchronize()
        return wrong


class KvStaging(StreamSteps):
    """Blocks of a KV cache are staged from pinned memory on one stream; attention over each on another, when it is there.
    The event between them has no timing and is the same in every variant."""

    depends = True

    def __init__(self, accelerator: Accelerator, count: int = 16, tokens: Optional[int] = None,
                 queries: Optional[int] = None, heads: int = 8, head_size: int = 128) -> None:
        """tokens of a block: None = 4096, 16 MiB with these heads; queries that attend to it: None = calibrated. On cpu
        both are calibrated."""
        super().__init__(accelerator, count)
        torch, device, small = accelerator.torch, accelerator.device, accelerator.simulated
        self.name, self.labels = "kv-staging", ("stage a KV block", "attend to it")
        self._dtype = torch.float32 if small else torch.float16
        self._shape = (heads, head_size)
        self._pinned = not small
        self._nonce = 1
        self._query: Any = None
        self._seen = torch.zeros((count,), dtype=self._dtype, device=device)
        self._arrived = [accelerator.event(False) for _ in range(count)]
        self._host: Any = None
        self._target: Any = None
        first = (32, 8) if small else (4096, 512)
        tokens = tokens if tokens is not None or small else first[0]
        for given, unit in ((tokens, "tokens"), (queries, "queries")):
            if given is not None and given < 1:
                raise InputError(f"{given} {unit} are not accepted; at least 1")
        self._set_tokens(tokens or first[0])
        self._set_queries(queries or first[1])
        self.knobs = (None if tokens else Knob(self._set_tokens, first[0], "tokens"),
                      None if queries else Knob(self._set_queries, first[1], "queries"))

    def _set_tokens(self, tokens: int) -> None:
        torch, (heads, size) = self.accelerator.torch, self._shape
        self.ops[0].clear()
        self.ops[1].clear()
        self._host = self._target = None
        self._host = torch.empty((self.count, 2, heads, tokens, size), dtype=self._dtype, pin_memory=self._pinned)
        self._target = torch.empty((self.count, 2, heads, tokens, size), dtype=self._dtype,
                                   device=self.accelerator.device)
        self._host.fill_(self._nonce)
        self.ops[0].extend(_copy_of(self._host[i], self._target[i]) for i in range(self.count))
        self.accelerator.synchronize()
        self._warm(0)
        if self._query is not None:
            self._attend()

    def _set_queries(self, queries: int) -> None:
        heads, size = self._shape
        self._query = self.accelerator.torch.ones((heads, queries, size), dtype=self._dtype,
                                                  device=self.accelerator.device)
        self._attend()

    def _attend(self) -> None:
        self.ops[1][:] = [self._attention(self._target[i], self._seen[i]) for i in range(self.count)]
        self.accelerator.synchronize()
        self._warm(1)

    def _attention(self, block: Any, seen: Any) -> Op:
        """It notes a value of the block that it read."""
        torch, query, keys, values = self.accelerator.torch, self._query, block[0].transpose(1, 2), block[1]
        last = values[-1, -1, -1]

        def attend() -> None:
            torch.matmul(torch.softmax(torch.matmul(query, keys), dim=-1), values)
            seen.copy_(last)

        return attend

    def check(self, lanes: int, instrument: Optional[Instrument]) -> Optional[str]:
        """With both lanes attention has found what this window's copy brought."""
        wrong = None
        if lanes == LANE_AB and self._seen.tolist() != [float(self._nonce)] * self.count:
            wrong = f"a block was attended to before it had arrived: {self._seen.tolist()}, not {float(self._nonce)}"
        if lanes & LANE_A:
            self._nonce = self._nonce % 250 + 1
            self._host[:, 1, -1, -1, -1] = self._nonce
        self.accelerator.synchronize()
        return wrong


def _copy_of(source: Any, target: Any) -> Op:
    return lambda: target.copy_(source, non_blocking=True)
