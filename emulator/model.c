#include "emulator/model.h"

#include <stdio.h>
#include <string.h>

#define DEVICE(key, unit, min, max, standard, about)                                                                   \
    {                                                                                                                  \
        "device", #key, offsetof(cf_emu_model, key), CF_EMU_##unit, min, max, standard, about, NULL                    \
    }
#define TIME(key, unit, min, max, standard, about, assumption)                                                         \
    {                                                                                                                  \
        "time", #key, offsetof(cf_emu_model, key), CF_EMU_##unit, min, max, standard, about, assumption                \
    }
#define WAIT(key, about, assumption)                                                                                   \
    {                                                                                                                  \
        "waits", #key, offsetof(cf_emu_model, wait_##key), CF_EMU_FLAG, 0, 1, 1, about, assumption                     \
    }

#define SECOND_NS 1000000000ull

/* Facts of a B580: the published tables of compute-runtime (device ids) and of Mesa (intel_device_info.c). */
const cf_emu_key cf_emu_keys[] = {
    DEVICE(device_id, COUNT, 1, 0xffff, 0xe20b, "PCI device id; the driver chooses its settings by it"),
    DEVICE(revision, COUNT, 0, 0xff, 0, "PCI revision"),
    DEVICE(ip_major, COUNT, 1, 255, 20, "graphics IP version, major"),
    DEVICE(ip_minor, COUNT, 0, 255, 1, "graphics IP version, minor"),
    DEVICE(ip_release, COUNT, 0, 255, 4, "graphics IP version, release"),
    DEVICE(slices, COUNT, 1, 16, 5, "slices"),
    DEVICE(subslices_per_slice, COUNT, 1, 16, 4, "Xe cores in a slice"),
    DEVICE(eus_per_subslice, COUNT, 1, 16, 8, "vector engines in an Xe core"),
    DEVICE(threads_per_eu, COUNT, 1, 16, 8, "threads of a vector engine"),
    DEVICE(compute_engines, COUNT, 1, 4, 1, "compute command streamers"),
    DEVICE(copy_engines, COUNT, 1, 9, 1, "copy engines"),
    DEVICE(memory_bytes, BYTES, 1ull << 28, 1ull << 38, 12ull << 30, "local memory"),
    DEVICE(timestamp_hz, COUNT, 1000000, 1000000000, 19200000, "rate of the engines' timestamps"),
    TIME(copy_rate, BYTES, 1000000, 1ull << 42, 2000000000ull, "bytes/s of a copy",
         "a copy moves 2 GB/s and begins at once: a number chosen so that an ordinary machine has time for the bytes"),
    TIME(copy_base_ns, NS, 0, SECOND_NS, 2000, "what every copy takes besides", NULL),
    TIME(fill_rate, BYTES, 1000000, 1ull << 42, 4000000000ull, "bytes/s of a fill", NULL),
    TIME(fill_base_ns, NS, 0, SECOND_NS, 2000, "what every fill takes besides", NULL),
    TIME(kernel_base_ns, NS, 0, SECOND_NS, 5000, "what every kernel takes",
         "a kernel's time follows its number of groups, or the trip count in its payload: no kernel is executed"),
    TIME(group_ns, NS, 0, SECOND_NS, 1000, "what a group adds, for kernels without a trip count", NULL),
    TIME(groups_at_once, COUNT, 1, 1 << 20, 160, "groups that run at once, for kernels with a trip count", NULL),
    TIME(trip_ps, COUNT, 1, 1000000000, 10000, "picoseconds of one trip", NULL),
    TIME(catch_up_ns, NS, 0, SECOND_NS, 5000000,
         "an engine that the machine held up makes up for at most this much when the host gives it the next work",
         NULL),
    WAIT(stall, "PIPE_CONTROL with a stall waits for earlier kernels of its exec queue",
         "PIPE_CONTROL with a command streamer stall, or with a post-sync write, waits for all earlier kernels of the "
         "same exec queue, whichever list they came from"),
    WAIT(barrier, "RESOURCE_BARRIER with a wait stage waits for earlier kernels of its exec queue",
         "RESOURCE_BARRIER with a wait stage waits for all earlier kernels of the same exec queue, whichever list they "
         "came from"),
    WAIT(flush, "MI_FLUSH_DW waits for earlier copies of its exec queue",
         "MI_FLUSH_DW waits for all earlier copies of "
         "the same exec queue"),
    WAIT(batch, "a batch of an exec queue begins when the one before it has ended",
         "batches of one exec queue run one after another, each drained first"),
    WAIT(walker, "one kernel at a time on a compute engine", "one kernel at a time on a compute engine"),
    {"faults", "copies_on_compute", offsetof(cf_emu_model, fault_copies_on_compute), CF_EMU_FLAG, 0, 1, 0,
     "planted: copies run on the first compute engine, so that a test can see that spans tell what was executed", NULL},
    {NULL, NULL, 0, CF_EMU_COUNT, 0, 0, 0, NULL, NULL}};

const char *const cf_emu_assumptions[] = {
    "MI_SEMAPHORE_WAIT keeps all that is behind it in its exec queue, and nothing else is switched in meanwhile",
    "command streamers take no time of their own; several exec queues on one engine: first come, first served, no time "
    "slices, no priorities",
    NULL};

void cf_emu_model_standard(cf_emu_model *ret_model)
{
    memset(ret_model, 0, sizeof *ret_model);
    ret_model->magic = CF_EMU_MODEL_MAGIC + sizeof *ret_model;
    snprintf(ret_model->name, sizeof ret_model->name, "bmg");
    for (const cf_emu_key *key = cf_emu_keys; key->name; key++)
        memcpy((char *)ret_model + key->offset, &key->standard, sizeof key->standard);
}

bool cf_emu_model_valid(const cf_emu_model *model, size_t size_bytes)
{
    return size_bytes == sizeof *model && model->magic == CF_EMU_MODEL_MAGIC + sizeof *model &&
           memchr(model->name, 0, sizeof model->name) != NULL;
}
