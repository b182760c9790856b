/* Runs a fuzz target once over every file of the folders given: what the fuzzer found once stays found, in any build
   and without libFuzzer. */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"

#define MAX_INPUT_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

/* A copy of exactly its size, so that AddressSanitizer sees a read past the end: the file's has a NUL there. */
static int run_bytes(const char *data, size_t size_bytes)
{
    uint8_t *exact = malloc(size_bytes ? size_bytes : 1);
    if (!exact)
        return 1;
    for (size_t i = 0; i < size_bytes; i++)
        exact[i] = (uint8_t)data[i];
    (void)LLVMFuzzerTestOneInput(exact, size_bytes);
    free(exact);
    return 0;
}

static int run_file(const char *path)
{
    cf_error err = {0};
    char *data = NULL;
    size_t size_bytes = 0;

    if (cf_file_read(path, MAX_INPUT_BYTES, &data, &size_bytes, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    int failed = run_bytes(data, size_bytes);
    free(data);
    return failed;
}

static int run_folder(const char *folder, long *ret_count)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        (void)fprintf(stderr, "%s: no such folder; a fuzz target keeps its inputs there\n", folder);
        return 1;
    }
    int failed = 0;
    for (const struct dirent *entry = readdir(dir); entry && !failed; entry = readdir(dir)) {
        char path[4096];
        struct stat info;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path || stat(path, &info) || !S_ISREG(info.st_mode))
            continue;
        failed = run_file(path);
        ++*ret_count;
    }
    (void)closedir(dir);
    return failed;
}

int main(int argc, char **argv)
{
    long count = 0;

    for (int i = 1; i < argc; i++)
        if (run_folder(argv[i], &count))
            return 1;
    printf("%ld inputs\n", count);
    return count == 0;
}
