#!/usr/bin/env python3
"""The queueing model of docs/model.md a second time, written from its text alone: slow, exact and plain.

Every test that compares the program with this file compares two implementations that never saw each other.

    oracle.py JOB.ini MODEL.ini      prints A, B, AB in ns and O for none, sync, timing and one-queue
"""

import re
import sys
from fractions import Fraction

COPIES = ("h2d", "d2h", "d2d")
OPERATIONS = COPIES + ("kernel",)
VARIANTS = ("none", "sync", "timing", "one-queue")


class Refused(Exception):
    """The model or the job cannot run."""


class Deadlock(Exception):
    """Commands are left and nothing will ever happen again."""


# ---------------------------------------------------------------------------------------------------------------------
# Files


def read_ini(text):
    """{section: {key: value}}, with ; and # comments (inside a line only after a blank, only ;)."""
    sections, current = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"\s;.*$", "", line).strip()
        if not line or line[0] in ";#":
            continue
        if line[0] == "[":
            if line[-1] != "]":
                raise Refused(f"line {number}: a section header without its end")
            current = sections.setdefault(" ".join(line[1:-1].split()), {})
            continue
        key, equals, value = line.partition("=")
        if not equals or current is None:
            raise Refused(f"line {number}: neither section, comment nor key = value in a section")
        current[key.strip()] = value.strip()
    return sections


def parse_unit(text, units):
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)", text)
    if not match or match.group(2) not in units:
        raise Refused(f"not a size or time: {text}")
    value = Fraction(match.group(1)) * units[match.group(2)]
    if value.denominator != 1:
        raise Refused(f"not whole: {text}")
    return int(value)


def parse_ns(text):
    return parse_unit(text, {"": 1, "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9})


def parse_bytes(text):
    return parse_unit(text, {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30})


def parse_bool(text):
    if text in ("yes", "true", "on", "1"):
        return True
    if text in ("no", "false", "off", "0"):
        return False
    raise Refused(f"not yes or no: {text}")


class Engine:
    def __init__(self, name, keys):
        self.name = name
        self.order = keys.get("order", "ready")
        self.width = int(keys.get("width", "1"))
        self.queues = int(keys.get("queues", "0"))
        self.rate = parse_bytes(keys["rate"]) if "rate" in keys else None
        self.latency_ns = parse_ns(keys.get("latency_ns", "0"))
        self.runs = set()
        for word in keys.get("runs", "").replace(",", " ").split():
            self.runs.update(COPIES if word == "copy" else (word,))


class Event:
    """How one kind of event is lowered."""

    def __init__(self, keys):
        self.lowering = keys.get("lowering", "none")
        self.engine = keys.get("engine", "own")
        self.cost_ns = parse_ns(keys.get("cost_ns", "0"))
        self.host_ns = parse_ns(keys.get("host_ns", "0"))


class Model:
    def __init__(self, text):
        sections = read_ini(text)
        keys = sections.get("model", {})
        self.contention = Fraction(keys.get("contention", "1"))
        self.queue_depth = int(keys.get("queue_depth", "0"))
        self.blocking_copy = parse_bool(keys.get("blocking_copy", "no"))
        host = sections.get("host", {})
        self.copy_ns = parse_ns(host.get("copy_ns", "0"))
        self.kernel_ns = parse_ns(host.get("kernel_ns", "0"))
        self.engines = [Engine(name[len("engine "):], keys) for name, keys in sections.items()
                        if name.startswith("engine ")]
        self.events = {kind: Event(sections.get(f"event {kind}", {})) for kind in ("sync", "timing")}
        for event in self.events.values():
            if event.engine != "own":
                self.engine_named(event.engine)

    def engine_of(self, op):
        for engine in self.engines:
            if op in engine.runs:
                return engine
        raise Refused(f"no engine runs {op}")

    def engine_named(self, name):
        for engine in self.engines:
            if engine.name == name:
                return engine
        raise Refused(f"no engine is called {name}")


class Lane:
    def __init__(self, keys):
        self.op = keys["op"]
        self.count = int(keys.get("count", "16"))
        self.ns = parse_ns(keys["ns"]) if "ns" in keys else None
        self.bytes = parse_bytes(keys["bytes"]) if "bytes" in keys else None
        if self.op not in OPERATIONS or self.count < 1 or (self.ns is None) == (self.bytes is None):
            raise Refused("a lane needs an op, a count and either ns or bytes")

    def duration_ns(self, engine):
        if self.ns is not None:
            return self.ns
        if engine.rate is None:
            raise Refused(f"engine {engine.name} has no rate")
        return engine.latency_ns - (-self.bytes * 10**9 // engine.rate)


class Job:
    def __init__(self, text):
        sections = read_ini(text)
        self.lanes = {lane: Lane(sections[f"lane {lane}"]) for lane in "ab"}
        order = sections.get("order", {})
        self.submit = order.get("submit", "ab")
        self.each = order.get("depends", "no") == "each"
        self.prefetch = int(order.get("prefetch", "0"))
        self.batch = int(order.get("batch", "1"))
        instruments = sections.get("instruments", {})
        self.where = instruments.get("where", "both")
        self.on = instruments.get("on", "both")
        if self.each:
            self.check_dependencies()

    def sequence(self, cell):
        """Operations as (lane, index) in the order in which the host submits them."""
        a = [("a", i) for i in range(self.lanes["a"].count)] if "a" in cell else []
        b = [("b", i) for i in range(self.lanes["b"].count)] if "b" in cell else []
        if self.submit == "a-then-b":
            return a + b
        if self.submit == "b-then-a":
            return b + a
        result, a = a[:self.prefetch], a[self.prefetch:]
        first, second = (a, b) if self.submit == "ab" else (b, a)
        while first or second:
            result += first[:self.batch] + second[:self.batch]
            first, second = first[self.batch:], second[self.batch:]
        return result

    def check_dependencies(self):
        seen = set()
        for lane, index in self.sequence("ab"):
            if lane == "b" and index < self.lanes["a"].count and ("a", index) not in seen:
                raise Refused(f"b[{index}] would be submitted before a[{index}]")
            seen.add((lane, index))


# ---------------------------------------------------------------------------------------------------------------------
# One step


class Command:
    def __init__(self, kind, stream, engine, ns):
        self.kind = kind  # "op", "record" or "hold"
        self.stream = stream
        self.engine = engine
        self.left = Fraction(ns)  # work, in ns at full speed
        self.number = None  # place in submission order
        self.previous = None  # the stream's previous command
        self.waits = []  # operations of other streams
        self.ended = False

    def may_go(self):
        return (self.previous is None or self.previous.ended) and all(wait.ended for wait in self.waits)


class Call:
    """One call of the host; command is None for a record that is lowered to nothing."""

    def __init__(self, cost_ns, command, blocking=False):
        self.cost_ns = cost_ns
        self.command = command
        self.blocking = blocking


def calls_of(model, job, variant, cell):
    """The host's calls of one step, in program order."""
    event = model.events.get(variant)
    calls, operations = [], {}
    for lane, index in job.sequence(cell):
        op = job.lanes[lane].op
        engine = model.engine_of(op)
        stream = 0 if variant == "one-queue" or lane == "a" else 1

        def record(side):
            if event is None or job.on not in (lane, "both") or job.where not in (side, "both"):
                return
            command = None
            if event.lowering == "command":
                place = engine if event.engine == "own" else model.engine_named(event.engine)
                command = Command("record", stream, place, event.cost_ns)
            elif event.lowering == "hold":
                command = Command("hold", stream, engine, 0)
            calls.append(Call(event.host_ns, command))

        command = Command("op", stream, engine, job.lanes[lane].duration_ns(engine))
        if job.each and lane == "b" and ("a", index) in operations:
            command.waits.append(operations["a", index])
        operations[lane, index] = command
        record("before")
        is_copy = op in COPIES
        calls.append(Call(model.copy_ns if is_copy else model.kernel_ns, command, is_copy and model.blocking_copy))
        record("after")

    last = {}
    for number, command in enumerate(call.command for call in calls if call.command):
        command.number = number
        command.previous = last.get(command.stream)
        last[command.stream] = command
    return calls


class Host:
    """Rules 1, 6 and 7."""

    def __init__(self, model, calls):
        self.model = model
        self.calls = calls
        self.next = 0  # call that is being made or comes next
        self.until_ns = None  # end of the cost of the call that is being made
        self.inside = None  # copy that the host waits for inside its call
        self.unfinished = {}  # stream: commands that are visible and have not ended

    def done(self):
        return self.next == len(self.calls) and self.inside is None

    def advance(self, now_ns, make_visible):
        """Goes on as far as this instant lets it. Returns whether anything changed."""
        changed = False
        while True:
            if self.inside is not None:
                if not self.inside.ended:
                    return changed
                self.inside, changed = None, True
            if self.next == len(self.calls):
                return changed
            call = self.calls[self.next]
            if self.until_ns is None:
                if self.is_full(call.command):
                    return changed
                self.until_ns, changed = now_ns + call.cost_ns, True
            if self.until_ns > now_ns:
                return changed
            self.until_ns, changed = None, True
            self.next += 1
            if call.command is not None:
                self.unfinished.setdefault(call.command.stream, []).append(call.command)
                make_visible(call.command)
                if call.blocking:
                    self.inside = call.command

    def is_full(self, command):
        if command is None or self.model.queue_depth == 0:
            return False
        commands = [c for c in self.unfinished.get(command.stream, []) if not c.ended]
        self.unfinished[command.stream] = commands
        return len(commands) >= self.model.queue_depth


class Device:
    """Rules 2 to 5. Everything begins and ends at a whole ns."""

    def __init__(self, model):
        self.contention = model.contention
        self.engines = model.engines
        self.rings = {e: [] for e in self.engines if e.order == "ring"}
        self.queues = {e: {} for e in self.engines if e.order == "ready"}  # queue number: commands
        self.issued = {e: [] for e in self.engines if e.order == "ready"}
        self.running = {e: [] for e in self.engines}

    def make_visible(self, command):
        engine = command.engine
        if engine.order == "ring":
            self.rings[engine].append(command)
            return
        number = command.stream % engine.queues if engine.queues else command.stream
        self.queues[engine].setdefault(number, []).append(command)

    def idle(self):
        return not (any(self.rings.values()) or any(self.issued.values()) or any(self.running.values())
                    or any(any(queues.values()) for queues in self.queues.values()))

    def all_running(self):
        return [command for commands in self.running.values() for command in commands]

    def end(self):
        ended = [command for command in self.all_running() if command.left <= 0]
        for command in ended:
            command.ended = True
            self.running[command.engine].remove(command)
        return bool(ended)

    def issue(self):
        """Lets heads of hardware queues go, always the one that was submitted first."""
        changed = False
        while True:
            heads = [queue for queues in self.queues.values() for queue in queues.values()
                     if queue and queue[0].may_go()]
            if not heads:
                return changed
            command = min(heads, key=lambda queue: queue[0].number).pop(0)
            changed = True
            if command.kind == "hold":
                command.ended = True
            else:
                self.issued[command.engine].append(command)

    def start(self):
        changed = False
        for engine, ring in self.rings.items():
            while ring and ring[0].may_go():
                if ring[0].kind == "hold":
                    ring.pop(0).ended = True
                elif len(self.running[engine]) < engine.width:
                    self.running[engine].append(ring.pop(0))
                else:
                    break
                changed = True
        for engine, issued in self.issued.items():
            while issued and len(self.running[engine]) < engine.width:
                self.running[engine].append(issued.pop(0))
                changed = True
        return changed

    def rate(self):
        return self.contention if len(self.all_running()) >= 2 else Fraction(1)

    def next_end_ns(self, now_ns):
        ends = [now_ns - (-command.left // self.rate()) for command in self.all_running()]
        return min(ends, default=None)

    def pass_time(self, ns):
        rate = self.rate()
        for command in self.all_running():
            command.left -= ns * rate


def step_wall_ns(model, job, variant, cell):
    host, device = Host(model, calls_of(model, job, variant, cell)), Device(model)
    now_ns = 0
    while True:
        changed = True
        while changed:
            changed = device.end()
            changed = host.advance(now_ns, device.make_visible) or changed
            changed = device.issue() or changed
            changed = device.start() or changed
        if host.done() and device.idle():
            return now_ns
        times = [t for t in (host.until_ns, device.next_end_ns(now_ns)) if t is not None]
        if not times:
            raise Deadlock(f"{variant}/{cell} at {now_ns} ns")
        device.pass_time(min(times) - now_ns)
        now_ns = min(times)


class Walls:
    def __init__(self, a_ns, b_ns, ab_ns):
        self.a_ns, self.b_ns, self.ab_ns = a_ns, b_ns, ab_ns

    @property
    def overlap(self):
        return Fraction(self.a_ns + self.b_ns - self.ab_ns, min(self.a_ns, self.b_ns))

    def tuple(self):
        return (self.a_ns, self.b_ns, self.ab_ns)


def walls(model, job, variant):
    return Walls(*(step_wall_ns(model, job, variant, cell) for cell in ("a", "b", "ab")))


def main(arguments):
    if len(arguments) != 2:
        print("usage: oracle.py JOB.ini MODEL.ini", file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        job_text = file.read()
    with open(arguments[1], encoding="utf-8") as file:
        model_text = file.read()
    try:
        model, job = Model(model_text), Job(job_text)
        for variant in VARIANTS:
            result = walls(model, job, variant)
            print(f"{variant:10} A {result.a_ns} B {result.b_ns} AB {result.ab_ns} O {float(result.overlap):.6f}")
    except (Refused, Deadlock) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
