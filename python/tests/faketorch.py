"""A stand-in for PyTorch with one GPU, as far as confound.torch uses it: threads are streams, an operation takes the time
that its size says, events are stamped by their stream's thread, and a profiler collects what the streams ran. Tensors are
views of flat lists. It lets the code around PyTorch's objects be tested where there is no GPU, and proves nothing of them.

`timestamps_on`: "own" stamps events on their own stream; "compute" puts them on the second stream's queue, as drivers do
that lower them to commands on the compute engine. `lose_record`: that record call does nothing.
"""

import queue
import sys
import threading
import time
import types

SIZES = {"uint8": 1, "float16": 2, "float32": 4}
RATE = 0.4e9  # bytes a second
MATMUL_S = 60e-6


class Tensor:
    def __init__(self, data, shape, dtype, device, offset=0, strides=None, pinned=False):
        self.data, self.shape, self.dtype, self.device = data, tuple(shape), dtype, device
        self.offset, self.pinned = offset, pinned
        if strides is None:
            strides, step = [], 1
            for size in reversed(self.shape):
                strides.insert(0, step)
                step *= size
        self.strides = tuple(strides)

    def numel(self):
        count = 1
        for size in self.shape:
            count *= size
        return count

    def _view(self, index):
        index = index if isinstance(index, tuple) else (index,)
        offset, shape, strides = self.offset, [], []
        for i, (size, stride) in enumerate(zip(self.shape, self.strides)):
            at = index[i] if i < len(index) else slice(None)
            if isinstance(at, slice):
                shape.append(size)
                strides.append(stride)
            else:
                assert -size <= at < size
                offset += (at % size) * stride
        return Tensor(self.data, shape, self.dtype, self.device, offset, strides, self.pinned)

    def _places(self):
        places = [self.offset]
        for size, stride in zip(self.shape, self.strides):
            places = [place + i * stride for place in places for i in range(size)]
        return places

    __getitem__ = _view

    def __setitem__(self, index, value):
        for place in self._view(index)._places():
            self.data[place] = value

    def __float__(self):
        assert not self.shape
        return float(self.data[self.offset])

    item = __float__

    def tolist(self):
        return [self.data[place] for place in self._places()]

    def fill_(self, value):
        one = bytes([value]) if self.dtype == "uint8" else [value]
        self.data[self.offset:self.offset + self.numel()] = one * self.numel()

    def transpose(self, one, other):
        shape, strides = list(self.shape), list(self.strides)
        for of in (shape, strides):
            of[one], of[other] = of[other], of[one]
        return Tensor(self.data, shape, self.dtype, self.device, self.offset, strides)

    def copy_(self, source, non_blocking=False):
        assert source.shape == self.shape
        n, size = self.numel(), SIZES[self.dtype]

        def move():
            time.sleep(n * size / RATE if source.device != self.device else 5e-6)
            self.data[self.offset:self.offset + n] = source.data[source.offset:source.offset + n]

        name = "Memcpy HtoD" if source.device != self.device else "Memcpy DtoD"
        _submit(move, name)
        if not (non_blocking and source.pinned) and source.device != self.device and self.device.type != "cpu":
            _streams.current.synchronize()
        return self


class OutOfMemoryError(RuntimeError):
    pass


class Stream:
    def __init__(self, device=None):
        self._work = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        for op in iter(self._work.get, None):
            op()

    def put(self, op):
        self._work.put(op)

    def synchronize(self):
        done = threading.Event()
        self.put(done.set)
        done.wait()

    def wait_event(self, event):
        self.put(event._done.wait)


_streams = types.SimpleNamespace(current=None, made=[])
_profiling = types.SimpleNamespace(events=None)
behaviour = types.SimpleNamespace(timestamps_on="own", lose_record=0, records=0, memory=1 << 40)


def _submit(op, name):
    stream = _streams.current
    if stream is None:
        op()
        return

    def timed():
        begin = time.perf_counter_ns()
        op()
        if _profiling.events is not None:
            _profiling.events.append((name, id(stream), begin / 1e3, time.perf_counter_ns() / 1e3))

    stream.put(timed)


class Event:
    def __init__(self, enable_timing=False):
        self._timing, self._done, self._ns, self.cuda_event = enable_timing, threading.Event(), 0, 0

    def record(self, stream):
        behaviour.records += 1
        if behaviour.records == behaviour.lose_record:
            return
        self.cuda_event, self._done = id(self), threading.Event()
        done = self._done
        if self._timing and behaviour.timestamps_on == "compute":
            compute = _streams.made[1]
            reached, passed = threading.Event(), threading.Event()
            if stream is not compute:  # a command of the compute engine between two of the copy's: each waits for it
                stream.put(reached.set)
                compute.put(lambda: (reached.wait(), self._stamp(done), passed.set()))
                stream.put(passed.wait)
                return
        stream.put(lambda: self._stamp(done))

    def _stamp(self, done):
        self._ns = time.perf_counter_ns()
        done.set()

    def query(self):
        return self.cuda_event == 0 or self._done.is_set()

    def elapsed_time(self, end):
        if not (self._timing and end._timing and self._done.is_set() and end._done.is_set()):
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end._ns - self._ns) / 1e6


class _Profile:
    def __init__(self, activities=()):
        self._events = []
        self._kind = "XPU" if 2 in activities else "CUDA"

    def __enter__(self):
        _profiling.events = self._events
        return self

    def __exit__(self, *_):
        _profiling.events = None

    def events(self):
        kind = types.SimpleNamespace(name=self._kind)
        cpu = types.SimpleNamespace(name="aten::mm", device_type=types.SimpleNamespace(name="CPU"))
        return [cpu] + [types.SimpleNamespace(name=name, device_type=kind, device_resource_id=stream,
                                              time_range=types.SimpleNamespace(start=begin, end=end))
                        for name, stream, begin, end in self._events]


class Device:
    def __init__(self, text, index=None):
        self.type, _, number = str(text).partition(":")
        self.index = index if index is not None else int(number) if number else None

    def __eq__(self, other):
        return isinstance(other, Device) and self.type == other.type

    __hash__ = None


def _module(kind):
    module = types.SimpleNamespace()

    def stream(device=None):
        made = Stream(device)
        _streams.made.append(made)
        return made

    def set_stream(one):
        _streams.current = one

    def properties(_device):
        return types.SimpleNamespace(major=9, minor=0, total_memory=1 << 37, multi_processor_count=132)

    module.Stream, module.set_stream, module.Event = stream, set_stream, Event
    module.current_stream = lambda device=None: _streams.current
    module.is_available, module.device_count, module.current_device = lambda: True, lambda: 1, lambda: 0
    module.synchronize = lambda device=None: [one.synchronize() for one in _streams.made]
    module.set_device = lambda device: None
    module.get_device_properties = properties
    module.get_device_name = lambda device: f"a stand-in for a GPU of {kind}"
    return module


def _made(value):
    def make(shape, dtype="float32", device=None, pin_memory=False):
        count = 1
        for size in shape:
            count *= size
        on = device or Device("cpu")
        if count * SIZES[dtype] > behaviour.memory:
            raise OutOfMemoryError(f"CUDA out of memory. Tried to allocate {count * SIZES[dtype]} bytes.\nSee more.")
        data = bytearray([value]) * count if dtype == "uint8" else [float(value)] * count
        return Tensor(data, shape, dtype, on, pinned=pin_memory)
    return make


def _mm(x, y, out):
    def compute():
        time.sleep(MATMUL_S * x.shape[0] / 1024)
        out.data[out.offset] = float(x.shape[1])

    _submit(compute, "gemm")


def _attention(one, other=None, dim=None):
    rows = one.shape[1] if one is not None else 512
    _submit(lambda: time.sleep(MATMUL_S * rows / 512), "attention")
    return one


def install(*kinds):
    """Puts the stand-in where `import torch` finds it, with devices of those kinds."""
    _streams.made.clear()
    behaviour.__dict__.update(timestamps_on="own", lose_record=0, records=0, memory=1 << 40)
    torch = types.ModuleType("torch")
    torch.__version__ = "stand-in"
    _streams.current = None
    torch.uint8, torch.float16, torch.float32 = "uint8", "float16", "float32"
    torch.device, torch.empty, torch.zeros, torch.ones = Device, _made(0), _made(0), _made(1)
    torch.tensor = lambda value, dtype="float32": Tensor([value], (), dtype, Device("cpu"))
    torch.mm, torch.matmul, torch.softmax = _mm, _attention, _attention
    torch.version = types.SimpleNamespace(cuda="13.0", xpu=None)
    torch.autograd = types.SimpleNamespace(_profiler_enabled=lambda: _profiling.events is not None)
    torch.profiler = types.SimpleNamespace(profile=_Profile,
                                           ProfilerActivity=types.SimpleNamespace(CPU=0, CUDA=1, XPU=2))
    torch.get_num_threads, torch.set_num_threads = lambda: 2, lambda count: None
    for kind in kinds:
        setattr(torch, kind, _module(kind))
    sys.modules["torch"] = torch
    return torch
