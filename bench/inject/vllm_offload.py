"""vLLM's offloading of its KV cache to host memory, as it is, beside a model's steps.

usage: vllm_offload.py VLLM_SOURCE STEPS

What moves the blocks and records the events is vLLM's own file (vllm/v1/kv_offload/cpu/gpu_worker.py of the source tree
VLLM_SOURCE), which is not touched: each transfer is between two timing events, always. Around it stands what a step of
serving does: decode (32 layers of matrix products on the default stream of PyTorch), one store of 8 blocks to the host and
one load of 8, the question which transfers have finished, and a wait for the stream, as sampling a token has. The parts
of vLLM that it needs and that are compiled, or pull in the rest of it, are replaced; the batch of copies is the same one
call of the driver's (cuMemcpyBatchAsync).
"""

import contextlib
import ctypes
import importlib
import logging
import pathlib
import sys
import types

import numpy
import torch

LAYERS, BLOCKS, CHUNKS, MOVED = 32, 512, 512, 8
PAGE = 64 << 10  # of a layer and a block: 16 tokens, keys and values of 8 heads of 128 in 16 bits
HIDDEN, BATCH = 4096, 64


class Driver:
    """cuMemcpyBatchAsync of CUDA 12.8, found as vLLM finds it."""

    class Attributes(ctypes.Structure):
        _fields_ = [("order", ctypes.c_int), ("hints", ctypes.c_byte * 16), ("flags", ctypes.c_uint)]

    def __init__(self):
        library = ctypes.CDLL("libcuda.so.1")
        found, status = ctypes.c_void_p(), ctypes.c_int()
        result = library.cuGetProcAddress_v2(
            b"cuMemcpyBatchAsync", ctypes.byref(found), 12080, ctypes.c_uint64(0), ctypes.byref(status)
        )
        if result != 0 or not found:
            sys.exit("vllm_offload: the driver has no cuMemcpyBatchAsync (CUDA 12.8)")
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self.call = ctypes.CFUNCTYPE(
            ctypes.c_int, pointer, pointer, pointer, size, pointer, pointer, size, pointer, pointer
        )(found.value)

    def swap_blocks_batch(self, sources, targets, sizes, is_src_access_order_any=False):
        attributes = self.Attributes(order=3 if is_src_access_order_any else 1)
        index, failed = ctypes.c_size_t(0), ctypes.c_size_t(0)
        result = self.call(
            targets.data_ptr(), sources.data_ptr(), sizes.data_ptr(), sources.numel(), ctypes.byref(attributes),
            ctypes.byref(index), 1, ctypes.byref(failed), torch.cuda.current_stream().cuda_stream,
        )  # fmt: skip
        if result != 0:
            raise RuntimeError(f"cuMemcpyBatchAsync: {result} at {failed.value}")


def replaced(name, **content):
    module = types.ModuleType(name)
    module.__dict__.update(content)
    sys.modules[name] = module


def worker_of(source):
    """vLLM's modules for the offload and nothing of the rest."""
    root = pathlib.Path(source, "vllm")
    if not (root / "v1/kv_offload/cpu/gpu_worker.py").exists():
        sys.exit(f"vllm_offload: {root}: no v1/kv_offload/cpu/gpu_worker.py there; a source tree of vLLM is wanted")
    for package in ("vllm", "vllm.v1", "vllm.utils", "vllm.v1.metrics", "vllm.v1.kv_offload", "vllm.v1.kv_offload.cpu"):
        replaced(package, __path__=[str(root.joinpath(*package.split(".")[1:]))])
    platform = types.SimpleNamespace(
        is_xpu=lambda: False,
        is_rocm=lambda: False,
        Stream=torch.cuda.Stream,
        current_stream=torch.cuda.current_stream,
        stream=torch.cuda.stream,
    )
    import triton
    import triton.language

    replaced("vllm._custom_ops", swap_blocks_batch=Driver().swap_blocks_batch)
    sys.modules["vllm"]._custom_ops = sys.modules["vllm._custom_ops"]
    replaced("vllm.logger", init_logger=logging.getLogger)
    replaced("vllm.platforms", current_platform=platform)
    replaced("vllm.triton_utils", HAS_TRITON=True, triton=triton, tl=triton.language)
    replaced("vllm.utils.torch_utils", PIN_MEMORY=True)
    replaced("vllm.v1.kv_offload.cpu.host_register", host_register=None, host_unregister=None)
    replaced("vllm.v1.kv_offload.cpu.shared_offload_region", SharedOffloadRegion=type(None))
    with contextlib.suppress(ImportError):
        importlib.import_module("vllm.v1.kv_hints")
    if "vllm.v1.kv_hints" not in sys.modules:
        replaced("vllm.v1.kv_hints", KvHintsEnvelope=object)
    return importlib.import_module("vllm.v1.kv_offload.cpu.gpu_worker")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[2])
    gpu_worker = worker_of(sys.argv[1])
    base = sys.modules["vllm.v1.kv_offload.base"]
    host_blocks = importlib.import_module("vllm.v1.kv_offload.cpu.common").CPULoadStoreSpec
    steps = int(sys.argv[2])
    cache = [torch.randint(-128, 127, (BLOCKS, PAGE), dtype=torch.int8, device="cuda") for _ in range(LAYERS)]
    worker = gpu_worker.CPUOffloadingWorker(
        base.CanonicalKVCaches(
            tensors=[base.CanonicalKVCacheTensor(tensor=layer, page_size_bytes=PAGE) for layer in cache],
            group_data_refs=[[base.CanonicalKVCacheRef(tensor_idx=i, page_size_bytes=PAGE) for i in range(LAYERS)]],
        ),
        blocks_per_chunk=1,
        num_cpu_chunks=CHUNKS,
    )
    weights = [torch.randn(HIDDEN, HIDDEN, dtype=torch.bfloat16, device="cuda") / 64 for _ in range(LAYERS)]
    state = torch.randn(BATCH, HIDDEN, dtype=torch.bfloat16, device="cuda")
    first = [layer[:MOVED].clone() for layer in cache]
    moved = seconds = 0
    for step in range(steps):
        at = step * MOVED % (BLOCKS // 2)
        store, load = numpy.arange(at, at + MOVED), numpy.arange(at, at + MOVED) + BLOCKS // 2
        worker.submit_store(2 * step, base.GPULoadStoreSpec(store, [MOVED], [0]), host_blocks(store))
        worker.submit_load(2 * step + 1, host_blocks(store), base.GPULoadStoreSpec(load, [MOVED], [0]))
        for _ in range(2):
            for weight in weights:
                state = torch.tanh(state @ weight)
        for result in worker.get_finished():
            moved, seconds = moved + result.transfer_size, seconds + result.transfer_time
        torch.cuda.current_stream().synchronize()
    worker.wait(set(range(2 * steps)))
    torch.cuda.synchronize()
    for result in worker.get_finished():
        moved, seconds = moved + result.transfer_size, seconds + result.transfer_time
    worker.submit_load(2 * steps, host_blocks(numpy.arange(MOVED)), base.GPULoadStoreSpec(numpy.arange(MOVED), [MOVED], [0]))
    worker.wait({2 * steps})
    whole = all(torch.equal(layer[:MOVED], before) for layer, before in zip(cache, first))
    print(f"{steps} steps, {moved >> 20} MiB moved, what came back is {'the same' if whole else 'WRONG'}")
    print(f"transfers by their own events: {moved / seconds / 1e9:.1f} GB/s", file=sys.stderr)
    sys.exit(not (whole and moved == 2 * steps * MOVED * LAYERS * PAGE))


if __name__ == "__main__":
    main()
