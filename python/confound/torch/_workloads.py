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
        self._arrived: Optional[List[Any]] = None  # of lane a, where lane b waits for it
        self.instruments: Sequence[Instrument] = ()

    def begin(self) -> None:
        self.accelerator.begin()

    def end(self) -> None:
        self.accelerator.end()

    # In the clock.

    def _put(self, lane: int, i: int, events: Optional[Events]) -> None:
        accelerator, stream = self.accelerator, self.streams[lane]
        with accelerator.on(stream):
            if events is None:
                accelerator.launch(stream, self.ops[lane][i])
                return
            before, after = events.take(lane)
            before.record(stream)
            accelerator.launch(stream, self.ops[lane][i])
            after.record(stream)

    def submit(self, lanes: int, instrument: Optional[Instrument]) -> None:
        events = instrument if isinstance(instrument, Events) else None
        arrived = self._arrived if lanes == LANE_AB else None
        for i in range(self.count):
            if lanes & LANE_A:
                self._put(0, i, events)
            if arrived is not None:
                arrived[i].record(self.streams[0])
                self.accelerator.wait_event(self.streams[1], arrived[i])
            if lanes & LANE_B:
                self._put(1, i, events)

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
    """Host-to-device copies from pinned memory on one stream beside matmuls on another, independent of each other."""

    def __init__(self, accelerator: Accelerator, count: int = 16, size_bytes: Optional[int] = None,
                 matmuls: Optional[int] = None, matmul_size: int = 2048, pinned: bool = True) -> None:
        """size_bytes of a copy, matmuls of an operation of lane b: None = calibrated. matmul_size: rows and columns."""
        super().__init__(accelerator, count)
        torch, device = accelerator.torch, accelerator.device
        if matmul_size < 1:
            raise InputError(f"matmul size {matmul_size} is not accepted; at least 1")
        self.name, self.labels = "copy-compute", ("pinned h2d copy" if pinned else "pageable h2d copy", "matmul")
        self._pinned = pinned and not accelerator.simulated
        self._nonce = 1
        dtype = torch.float32 if accelerator.simulated else torch.float16
        self._x = torch.ones((matmul_size, matmul_size), dtype=dtype, device=device)
        self._y = torch.ones((matmul_size, matmul_size), dtype=dtype, device=device)
        self._z = torch.zeros((matmul_size, matmul_size), dtype=dtype, device=device)
        self._right = float(matmul_size)
        self._host: Any = None
        self._target: Any = None
        self.knobs = _two_lanes((size_bytes, matmuls), (Knob(self._set_bytes, 1 << 18, "bytes"),
                                                        Knob(self._set_matmuls, 1, "matmuls")))

    def _set_bytes(self, size_bytes: int) -> None:
        torch = self.accelerator.torch
        self.ops[0].clear()
        self._host = self._target = None  # freed before more is asked for
        self._host = torch.empty((self.count, size_bytes), dtype=torch.uint8, pin_memory=self._pinned)
        self._target = torch.empty((self.count, size_bytes), dtype=torch.uint8, device=self.accelerator.device)
        self._host.fill_(self._nonce)
        for i in range(self.count):
            self.ops[0].append(self._copy_of(self._host[i], self._target[i]))
        self.accelerator.synchronize()

    @staticmethod
    def _copy_of(source: Any, target: Any) -> Op:
        return lambda: target.copy_(source, non_blocking=True)

    def _set_matmuls(self, matmuls: int) -> None:
        mm, x, y, z = self.accelerator.torch.mm, self._x, self._y, self._z

        def compute() -> None:
            for _ in range(matmuls):
                mm(x, y, out=z)

        self.ops[1][:] = [compute] * self.count
        self.accelerator.synchronize()

    def check(self, lanes: int, instrument: Optional[Instrument]) -> Optional[str]:
        """Each window has a number of its own in the first and last byte of every copy."""
        wrong = None
        ends = (0, -1)
        if lanes & LANE_A:
            for end in ends:
                if self._target[:, end].tolist() != [self._nonce] * self.count:
                    wrong = f"a copy did not bring {self._nonce}"
        if lanes & LANE_B and float(self._z[0, 0]) != self._right:
            wrong = f"a matmul gave {float(self._z[0, 0])}, not {self._right}"
        self._nonce = self._nonce % 250 + 1
        for end in ends:
            self._host[:, end] = self._nonce
        self._z[0, 0] = 0
        self.accelerator.synchronize()
        return wrong


class KvStaging(StreamSteps):
    """Blocks of a KV cache are staged from pinned memory on one stream; attention over each on another, when it is there.
    The event between them has no timing and is the same in every variant."""

    depends = True

    def __init__(self, accelerator: Accelerator, count: int = 16, tokens: Optional[int] = None,
                 passes: Optional[int] = None, heads: int = 8, head_size: int = 128) -> None:
        """tokens of a block, passes of attention over it: None = calibrated."""
        super().__init__(accelerator, count)
        torch, device = accelerator.torch, accelerator.device
        self.name, self.labels = "kv-staging", ("stage a KV block", "attend to it")
        self._dtype = torch.float32 if accelerator.simulated else torch.float16
        self._shape = (heads, head_size)
        self._pinned = not accelerator.simulated
        self._nonce = 1
        self._passes = 1
        self._query = torch.ones((heads, 1, head_size), dtype=self._dtype, device=device)
        self._seen = torch.zeros((count,), dtype=self._dtype, device=device)
        self._arrived = [accelerator.event(False) for _ in range(count)]
        self._host: Any = None
        self._target: Any = None
        if passes is not None and tokens is None:
            self._set_tokens(64)
        self.knobs = _two_lanes((tokens, passes), (Knob(self._set_tokens, 64, "tokens"),
                                                   Knob(self._set_passes, 1, "passes")))

    def _set_tokens(self, tokens: int) -> None:
        torch, (heads, size) = self.accelerator.torch, self._shape
        self.ops[0].clear()
        self._host = self._target = None
        self._host = torch.empty((self.count, 2, heads, tokens, size), dtype=self._dtype, pin_memory=self._pinned)
        self._target = torch.empty((self.count, 2, heads, tokens, size), dtype=self._dtype,
                                   device=self.accelerator.device)
        self._host.fill_(self._nonce)
        for i in range(self.count):
            self.ops[0].append(CopyCompute._copy_of(self._host[i], self._target[i]))
        self._set_passes(self._passes)

    def _set_passes(self, passes: int) -> None:
        self._passes = passes
        if self._target is not None:
            self.ops[1][:] = [self._attend(self._target[i], self._seen[i], passes) for i in range(self.count)]
        self.accelerator.synchronize()

    def _attend(self, block: Any, seen: Any, passes: int) -> Op:
        torch, query, keys, values = self.accelerator.torch, self._query, block[0], block[1]
        last = values[-1, -1, -1]

        def attend() -> None:
            for _ in range(passes):
                weights = torch.softmax(torch.matmul(query, keys.transpose(1, 2)), dim=-1)
                torch.matmul(weights, values)
            seen.copy_(last)

        return attend

    def check(self, lanes: int, instrument: Optional[Instrument]) -> Optional[str]:
        """Attention notes what it found in its block: with both lanes, what this window's copy brought."""
        wrong = None
        if lanes == LANE_AB and self._seen.tolist() != [float(self._nonce)] * self.count:
            wrong = f"a block was attended to before it had arrived: {self._seen.tolist()}, not {float(self._nonce)}"
        if lanes & LANE_A:
            self._nonce = self._nonce % 250 + 1
            self._host[:, 1, -1, -1, -1] = self._nonce
        self.accelerator.synchronize()
        return wrong
