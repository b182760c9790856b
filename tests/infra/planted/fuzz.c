/* Planted: reads past its input where that begins with "cf". The fuzzer must find it. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    volatile uint8_t past = 0;

    if (size_bytes >= 2 && data[0] == 'c' && data[1] == 'f')
        past = data[size_bytes];
    (void)past;
    return 0;
}
