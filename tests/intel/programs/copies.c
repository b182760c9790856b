/* Copies in every way: sizes, offsets, pageable memory, rectangles, fills; each is read back and compared. */
#include "rig.h"

static void there_and_back(ze_command_list_handle_t list, size_t bytes, size_t from, size_t at)
{
    uint8_t *out = malloc(bytes + 64), *in = malloc(bytes + 64);
    uint8_t *there = device_memory(bytes + 8192);
    pattern(out, bytes + 64, (unsigned)bytes);
    memset(in, 0, bytes + 64);
    CHECK(zeCommandListAppendMemoryCopy(list, there + at, out + from, bytes, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, in + 5, there + at, bytes, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, LONG_NS));
    EXPECT(memcmp(out + from, in + 5, bytes) == 0);
    EXPECT(in[4] == 0 && in[5 + bytes] == 0);
    CHECK(zeMemFree(context, there));
    free(out);
    free(in);
}

static void fills(ze_command_list_handle_t list)
{
    enum { BYTES = 100003 };
    uint8_t *there = device_memory(BYTES + 16), *in = host_memory(BYTES + 16);
    const uint8_t first = 0x3c, second = 0xa5;
    CHECK(zeCommandListAppendMemoryFill(list, there, &first, 1, BYTES + 16, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryFill(list, there + 3, &second, 1, BYTES - 7, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, in, there, BYTES + 16, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, LONG_NS));
    for (size_t i = 0; i < BYTES + 16; i++)
        EXPECT(in[i] == (i >= 3 && i < 3 + BYTES - 7 ? second : first));
    CHECK(zeMemFree(context, there));
    CHECK(zeMemFree(context, in));
}

static void rectangles(ze_command_list_handle_t list)
{
    enum { PITCH = 512, ROWS = 100 };
    uint8_t *there = device_memory(PITCH * ROWS), *in = host_memory(PITCH * ROWS), *out = host_memory(PITCH * ROWS);
    const uint8_t zero = 0;
    const ze_copy_region_t from = {1, 2, 0, 300, 50, 1}, to = {7, 20, 0, 300, 50, 1};
    pattern(out, PITCH * ROWS, 3);
    CHECK(zeCommandListAppendMemoryFill(list, there, &zero, 1, PITCH * ROWS, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopyRegion(list, there, &to, PITCH, 0, out, &from, PITCH, 0, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, in, there, PITCH * ROWS, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, LONG_NS));
    for (size_t y = 0; y < ROWS; y++)
        for (size_t x = 0; x < PITCH; x++) {
            const int inside = x >= 7 && x < 307 && y >= 20 && y < 70;
            EXPECT(in[y * PITCH + x] == (inside ? out[(y - 18) * PITCH + x - 6] : 0));
        }
}

int main(void)
{
    static const size_t sizes[] = {1, 3, 64, 4095, 4096, 65537, (1 << 20) + 1, (20 << 20) + 13};
    setup(NULL);
    ze_command_list_handle_t list = immediate_list(1, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        there_and_back(list, sizes[i], 0, 0);
        there_and_back(list, sizes[i], 7, 129);
    }
    for (int i = 0; i < 200; i++) /* memory is given back: device memory alone would be full after 30 */
        there_and_back(list, 4 << 20 >> (i % 5), (size_t)i % 13, (size_t)i);
    fills(list);
    rectangles(list);
    CHECK(zeCommandListDestroy(list));
    puts("copies are right");
    return 0;
}
