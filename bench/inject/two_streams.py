"""A PyTorch program as one writes it: kernels of a few blocks on two streams, timed with torch's own events.
usage: two_streams.py [STEPS [bare]]    bare: no events, and what a step takes by this script's own clock"""

import statistics
import sys
import time

import torch

KERNELS = 8
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 400
bare = sys.argv[2:] == ["bare"]
torch.manual_seed(1)
streams = [torch.cuda.Stream() for _ in range(2)]
inputs = [torch.rand(4, 1 << 19, device="cuda") for _ in streams]  # softmax: a kernel, with a block for each row
outputs = [torch.empty_like(values) for values in inputs]
timed, walls = 0, []
torch.cuda.synchronize()
for step in range(steps):
    pairs, started = [], time.perf_counter()
    for _ in range(KERNELS):
        for stream, values, result in zip(streams, inputs, outputs):
            with torch.cuda.stream(stream):
                if not bare:
                    pairs.append([torch.cuda.Event(enable_timing=True) for _ in range(2)])
                    pairs[-1][0].record()
                torch.softmax(values, 1, out=result)
                if not bare:
                    pairs[-1][1].record()
    torch.cuda.synchronize()
    walls.append(time.perf_counter() - started)
    timed += bool(pairs) and all(begin.elapsed_time(end) > 0 for begin, end in pairs)
if bare:
    print(f"{statistics.median(walls) * 1e3:.3f}")
else:
    total = sum(result.double().sum().item() for result in outputs)
    print(f"{steps} steps, {timed} with all their times, total {total:.6f}")
