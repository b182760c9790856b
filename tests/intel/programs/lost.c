/* Bytes to the device and back in a list in order, on an ordinal that an argument names: on the compute ordinal the
   driver copies with kernels, which nobody executes. With "killed" it ends before anything at its end can run. */
#include <signal.h>

#include "rig.h"

int main(int argc, char **argv)
{
    enum { BYTES = 1 << 20 };
    const uint32_t ordinal = (uint32_t)strtoul(argv[1], NULL, 10);
    setup(NULL);
    ze_command_list_handle_t list = immediate_list(ordinal, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    uint8_t *out = host_memory(BYTES), *in = host_memory(BYTES), *there = device_memory(BYTES);
    pattern(out, BYTES, 3);
    CHECK(zeCommandListAppendMemoryCopy(list, there, out, BYTES, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, in, there, BYTES, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, LONG_NS));
    puts(memcmp(in, out, BYTES) == 0 ? "moved" : "lost");
    fflush(stdout);
    if (argc > 2 && strcmp(argv[2], "killed") == 0)
        raise(SIGKILL);
    return 0;
}
