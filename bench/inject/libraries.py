"""Programs of a few lines around libraries that others wrote, each of which uses events in its own way.

usage: libraries.py cupy|jax|transformers|triton STEPS

    cupy          cupyx.profiler.benchmark of a matrix product: its timing events, one pair and one wait a repeat
    jax           a network trained step by step, each waited for: XLA's own events, which have no time
    transformers  a small GPT-2 with random weights trained step by step: PyTorch's events, which have no time
    triton        triton.testing.do_bench of a product, many times: how often it repeats goes by the times that it is told
"""

import sys


def cupy(steps):
    import cupy
    from cupyx.profiler import benchmark

    a = cupy.random.rand(2048, 2048, dtype=cupy.float32)
    result = benchmark(cupy.matmul, (a, a), n_repeat=steps, n_warmup=5)
    return f"{result.gpu_times.shape[1]} times, {'all' if (result.gpu_times > 0).all() else 'NOT all'} above 0"


def jax(steps):
    import jax
    from jax import numpy

    weights = jax.random.normal(jax.random.key(0), (4, 1024, 1024)) / 32
    x = jax.random.normal(jax.random.key(1), (512, 1024))

    def loss(weights):
        y = x
        for weight in weights:
            y = numpy.tanh(y @ weight)
        return ((y - x) ** 2).mean()

    step = jax.jit(lambda weights: weights - 0.1 * jax.grad(loss)(weights))
    for _ in range(steps):
        weights = step(weights).block_until_ready()
    return f"{steps} steps, loss {float(loss(weights)):.3f}"


def transformers(steps):
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=256, n_head=4, vocab_size=1024)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    tokens = torch.randint(1024, (8, 128), device="cuda")
    value = 0.0
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        value = loss.item()
    return f"{steps} steps, loss {value:.3f}"


def triton(steps):
    import torch
    from triton.testing import do_bench

    a = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
    times = [do_bench(lambda: a @ a, warmup=1, rep=2) for _ in range(steps)]
    return f"{len(times)} times, {'all' if min(times) > 0 else 'NOT all'} above 0"


def main():
    programs = {program.__name__: program for program in (cupy, jax, transformers, triton)}
    if len(sys.argv) != 3 or sys.argv[1] not in programs:
        sys.exit(__doc__.splitlines()[2])
    print(programs[sys.argv[1]](int(sys.argv[2])))


if __name__ == "__main__":
    main()
