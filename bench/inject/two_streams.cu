// A CUDA program as one writes it: a step has kernels of a few blocks on two streams, each between two events that take
// times; then a wait for the device. It says what it computed. It knows nothing of confound.
//   nvcc -O2 two_streams.cu                    the runtime, linked statically, as nvcc does it
//   nvcc -O2 -cudart shared two_streams.cu     the runtime as a library
//   nvcc -O2 -DDRIVER two_streams.cu -lcuda    events of the driver's, linked
//   usage: two_streams [STEPS [bare]]      bare: no events, and what a step takes by this program's own clock
//          two_streams cost
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

enum { STREAMS = 2, KERNELS = 8, BLOCKS = 4, THREADS = 128 };

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int code_ = (int)(call);                                                                                       \
        if (code_ != 0) {                                                                                              \
            printf("%s: error %d\n", #call, code_);                                                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#if defined(DRIVER)
typedef CUevent event;
#define CREATE(e)         TRY(cuEventCreate(e, CU_EVENT_DEFAULT))
#define RECORD(e, stream) TRY(cuEventRecord(e, (CUstream)(stream)))
#define ELAPSED(ms, a, b) cuEventElapsedTime(ms, a, b)
#define QUERY(e)          cuEventQuery(e)
#else
typedef cudaEvent_t event;
#define CREATE(e)         TRY(cudaEventCreate(e))
#define RECORD(e, stream) TRY(cudaEventRecord(e, stream))
#define ELAPSED(ms, a, b) cudaEventElapsedTime(ms, a, b)
#define QUERY(e)          cudaEventQuery(e)
#endif

__global__ void work(unsigned *sum, unsigned seed, int rounds)
{
    unsigned x = seed + blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    atomicAdd(sum, x);
}

static cudaStream_t streams[STREAMS];
static event begins[STREAMS][KERNELS], ends[STREAMS][KERNELS];
static unsigned *sums;

static int times_of_a_step()
{
    int good = 0;
    for (int s = 0; s < STREAMS; s++)
        for (int k = 0; k < KERNELS; k++) {
            float ms = -1;
            good += ELAPSED(&ms, begins[s][k], ends[s][k]) == 0 && ms > 0;
        }
    return good;
}

static double now_ns()
{
    return (double)std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// What a call costs the host, for a machine that has nothing else to do.
static void cost()
{
    enum { CALLS = 20000 };
    double query = 1e30, record = 1e30;
    for (int run = 0; run < 7; run++) {
        double begin = now_ns();
        for (int i = 0; i < CALLS; i++)
            (void)QUERY(begins[0][0]);
        double ns = (now_ns() - begin) / CALLS;
        query = ns < query ? ns : query;
        begin = now_ns();
        for (int i = 0; i < CALLS / 20; i++)
            RECORD(begins[0][0], streams[0]);
        ns = (now_ns() - begin) / (CALLS / 20);
        record = ns < record ? ns : record;
        TRY(cudaDeviceSynchronize());
    }
    printf("query %.1f ns, record %.1f ns\n", query, record);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 400, rounds = 120000, times = 0;
    bool bare = argc > 2 && strcmp(argv[2], "bare") == 0;
    std::vector<double> walls;
    unsigned result[STREAMS] = {0};
    TRY(cudaMalloc(&sums, sizeof result));
    TRY(cudaMemset(sums, 0, sizeof result));
    for (int s = 0; s < STREAMS; s++) {
        TRY(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        for (int k = 0; k < KERNELS; k++) {
            CREATE(&begins[s][k]);
            CREATE(&ends[s][k]);
        }
    }
    if (argc > 1 && strcmp(argv[1], "cost") == 0) {
        cost();
        return 0;
    }
    for (int step = 0; step < steps; step++) {
        double begin = now_ns();
        for (int k = 0; k < KERNELS; k++)
            for (int s = 0; s < STREAMS; s++) {
                if (!bare)
                    RECORD(begins[s][k], streams[s]);
                work<<<BLOCKS, THREADS, 0, streams[s]>>>(sums + s, step + k, rounds);
                if (!bare)
                    RECORD(ends[s][k], streams[s]);
            }
        TRY(cudaDeviceSynchronize());
        walls.push_back(now_ns() - begin);
        times += !bare && times_of_a_step() == STREAMS * KERNELS;
    }
    if (bare) {
        std::sort(walls.begin(), walls.end());
        printf("%.3f\n", walls[walls.size() / 2] / 1e6);
        return 0;
    }
    TRY(cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost));
    printf("%d steps, %d with all their times, sums %08x %08x\n", steps, times, result[0], result[1]);
    return 0;
}
