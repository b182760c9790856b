"""A PyTorch program as one writes it: work on two streams, timed with torch's own events."""

import sys

import torch

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 400
device = torch.device("cuda")
torch.manual_seed(1)
streams = [torch.cuda.Stream() for _ in range(2)]
left = [torch.randint(0, 3, (64, 64), device=device).float() for _ in streams]
right = torch.randint(0, 3, (64, 64), device=device).float()
total, timed = 0, 0
torch.cuda.synchronize()
for step in range(steps):
    pairs, results = [], []
    for _ in range(4):
        for stream, matrix in zip(streams, left):
            with torch.cuda.stream(stream):
                begin = torch.cuda.Event(enable_timing=True)
                end = torch.cuda.Event(enable_timing=True)
                begin.record()
                torch.cuda._sleep(400_000)  # a kernel of torch's that keeps one multiprocessor busy
                results.append(matrix @ right)
                end.record()
                pairs.append((begin, end))
    torch.cuda.synchronize()
    timed += all(begin.elapsed_time(end) > 0 for begin, end in pairs)
    total += int(sum(result.sum() for result in results).item())
print(f"{steps} steps, {timed} with all their times, total {total}")
