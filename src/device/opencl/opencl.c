#include "device/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/emulated.h"
#include "device/opencl/state.h"

#define MAX_PLATFORMS 32
#define MAX_DEVICES   64

static const char source[] =
    "kernel void cf_work(global const ulong *src, global ulong *dst, ulong at, ulong index, ulong key, ulong trips)\n"
    "{\n"
    "    ulong x = src[at] ^ (key ^ 0xc0f0d5eed0a11ce5UL);\n" /* CF_EMULATED_TRIPS_KEY, base/emulated.h */
    "    for (ulong i = 0; i < trips; i++)\n"
    "        x = x * 6364136223846793005UL + 1442695040888963407UL;\n"
    "    if (get_global_id(0) == 0)\n"
    "        dst[index] = x;\n"
    "    else if (x == 0 && trips == ~0UL)\n" /* never: keeps the other items' work */
    "        dst[index] = x;\n"
    "}\n"
    "kernel void cf_copy(global const ulong *src, global ulong *dst, ulong at, ulong words)\n"
    "{\n"
    "    for (ulong i = get_global_id(0); i < words; i += get_global_size(0))\n"
    "        dst[i] = src[at + i];\n"
    "}\n";

/* ---- which devices there are ---- */

typedef struct found {
    cl_platform platform;
    cl_device device;
} found;

static cf_status find_devices(cf_cl *cl, found *ret_found, size_t *ret_count, cf_error *err)
{
    cl_platform platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    size_t count = 0;
    cl_int code = cl->clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);
    if (code == CL_PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && platform_count == 0))
        return cf_error_set(err, CF_NO_DEVICE, "the OpenCL loader finds no driver (no *.icd in /etc/OpenCL/vendors)");
    cf_status status = cf_cl_check(code, "clGetPlatformIDs", err);
    for (cl_uint p = 0; p < platform_count && p < MAX_PLATFORMS && status == CF_OK; p++) {
        cl_device devices[MAX_DEVICES];
        cl_uint device_count = 0;
        code = cl->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &device_count);
        if (code != CL_DEVICE_NOT_FOUND)
            status = cf_cl_check(code, "clGetDeviceIDs", err);
        for (cl_uint d = 0; status == CF_OK && code == CL_SUCCESS && d < device_count && count < MAX_DEVICES; d++)
            ret_found[count++] = (found){platforms[p], devices[d]};
    }
    if (status == CF_OK && count == 0)
        return cf_error_set(err, CF_NO_DEVICE, "no OpenCL driver has a device");
    *ret_count = count;
    return status;
}

static cf_status device_text(cf_cl *cl, cl_device device, cl_uint which, char *buf, size_t buf_bytes, cf_error *err)
{
    char raw[512] = "";
    cf_status status =
        cf_cl_check(cl->clGetDeviceInfo(device, which, sizeof raw - 1, raw, NULL), "clGetDeviceInfo", err);
    raw[sizeof raw - 1] = '\0';
    snprintf(buf, buf_bytes, "%s", raw);
    return status;
}

/* The emulated GPU is Intel's; another driver beside it is what it is. */
static const cf_emulated *emulated_behind(const char *platform)
{
    return strncmp(platform, "Intel", 5) == 0 ? cf_emulated_find() : NULL;
}

static cf_status describe(cf_cl *cl, const found *f, char *name, char *driver, size_t bytes,
                          const cf_emulated **ret_emulated, cf_error *err)
{
    char platform[128] = "";
    char version[128] = "";
    cf_status status = device_text(cl, f->device, CL_DEVICE_NAME, name, bytes, err);
    if (status == CF_OK)
        status = device_text(cl, f->device, CL_DRIVER_VERSION, version, sizeof version, err);
    if (status == CF_OK)
        status = cf_cl_check(cl->clGetPlatformInfo(f->platform, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL),
                             "clGetPlatformInfo", err);
    *ret_emulated = emulated_behind(platform);
    if (*ret_emulated != NULL)
        snprintf(driver, bytes, "Intel driver %.50s on an emulated GPU", version);
    else
        snprintf(driver, bytes, "%.40s %.50s", platform, version);
    return status;
}

static cf_status device_bits(cf_cl *cl, cl_device device, cl_uint which, cl_bits *ret, cf_error *err)
{
    return cf_cl_check(cl->clGetDeviceInfo(device, which, sizeof *ret, ret, NULL), "clGetDeviceInfo", err);
}

static cf_status tell(cf_cl *cl, const found *f, int index, cf_device_lister *lister, void *user, cf_error *err)
{
    char name[96], driver[96], engines[64];
    cl_bits type = 0;
    cl_uint units = 0;
    const cf_emulated *emulated = NULL;
    cf_status status = describe(cl, f, name, driver, sizeof name, &emulated, err);
    if (status == CF_OK)
        status = device_bits(cl, f->device, CL_DEVICE_TYPE, &type, err);
    if (status == CF_OK)
        status = cf_cl_check(cl->clGetDeviceInfo(f->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
                             "clGetDeviceInfo", err);
    if (status != CF_OK)
        return status;
    snprintf(engines, sizeof engines, "%u compute units; OpenCL does not tell copy engines", units);
    cf_device_listing listing = {
        .index = index,
        .name = name,
        .driver = driver,
        .kind = emulated != NULL            ? "emulated"
                : type & CL_DEVICE_TYPE_GPU ? "gpu"
                : type & CL_DEVICE_TYPE_CPU ? "cpu"
                                            : "accelerator",
        .engines = engines,
        .memory = "pinned pageable",
    };
    lister(user, &listing);
    return CF_OK;
}

static cf_status list(cf_device_lister *lister, void *user, cf_error *err)
{
    cf_cl cl;
    cf_dl *dl = NULL;
    found all[MAX_DEVICES];
    size_t count = 0;
    cf_status status = cf_cl_load(&cl, &dl, err);
    if (status == CF_OK)
        status = find_devices(&cl, all, &count, err);
    for (size_t i = 0; i < count && status == CF_OK; i++)
        status = tell(&cl, &all[i], (int)i, lister, user, err);
    cf_dl_close(dl);
    return status;
}

/* ---- open and close ---- */

static bool setting_is(const cf_device_config *config, const char *name, const char *value)
{
    const char *set = config->settings != NULL ? cf_pairs_get(config->settings, name) : NULL;
    return set != NULL && strcmp(set, value) == 0;
}

static cf_status build(cf_opencl *o, cf_error *err)
{
    const char *text = source;
    cl_int code = CL_SUCCESS;
    o->program = o->cl.clCreateProgramWithSource(o->context, 1, &text, NULL, &code);
    cf_status status = cf_cl_check(code, "clCreateProgramWithSource", err);
    if (status != CF_OK)
        return status;
    code = o->cl.clBuildProgram(o->program, 1, &o->device, "", NULL, NULL);
    if (code == CL_SUCCESS)
        return CF_OK;
    char log[400] = "";
    (void)o->cl.clGetProgramBuildInfo(o->program, o->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    log[sizeof log - 1] = '\0';
    return cf_error_set_call(err, CF_DEVICE, "clBuildProgram", code, "the OpenCL driver answered %s%s%s",
                             cf_cl_code_name(code), log[0] ? ": " : "", log);
}

static cf_status look_at(cf_opencl *o, const found *f, cf_error *err)
{
    cl_bits type = 0;
    o->platform = f->platform;
    o->device = f->device;
    cf_status status = describe(&o->cl, f, o->name, o->driver, sizeof o->name, &o->emulated, err);
    if (status == CF_OK)
        status = device_bits(&o->cl, f->device, CL_DEVICE_TYPE, &type, err);
    o->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    return status == CF_OK ? cf_cl_check(o->cl.clGetDeviceInfo(f->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof o->units,
                                                               &o->units, NULL),
                                         "clGetDeviceInfo", err)
                           : status;
}

static cf_status open_found(cf_opencl *o, const found *f, cf_error *err)
{
    cl_int code = CL_SUCCESS;
    cf_status status = look_at(o, f, err);
    if (status != CF_OK)
        return status;
    o->context = o->cl.clCreateContext(NULL, 1, &o->device, NULL, NULL, &code);
    status = cf_cl_check(code, "clCreateContext", err);
    if (status != CF_OK)
        return status;
    o->side = o->cl.clCreateCommandQueue(o->context, o->device, 0, &code);
    status = cf_cl_check(code, "clCreateCommandQueue", err);
    return status == CF_OK ? build(o, err) : status;
}

static cf_status open_device(const cf_device_config *config, cf_device *device, cf_error *err)
{
    cf_opencl *o = calloc(1, sizeof *o);
    if (o == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    device->state = o;
    o->pageable = setting_is(config, "memory", "pageable");
    o->flush_each = !setting_is(config, "flush", "wait");
    found all[MAX_DEVICES];
    size_t count = 0;
    cf_status status = cf_cl_load(&o->cl, &o->dl, err);
    if (status == CF_OK)
        status = find_devices(&o->cl, all, &count, err);
    if (status != CF_OK)
        return status;
    if (config->index < 0 || (size_t)config->index >= count)
        return cf_error_set(err, CF_NO_DEVICE, "there is no opencl:%d; accepted: opencl:0 to opencl:%zu", config->index,
                            count - 1);
    return open_found(o, &all[config->index], err);
}

static void close_device(cf_device *device)
{
    cf_opencl *o = device->state;
    if (o == NULL)
        return;
    if (o->program != NULL)
        (void)o->cl.clReleaseProgram(o->program);
    if (o->side != NULL)
        (void)o->cl.clReleaseCommandQueue(o->side);
    if (o->context != NULL)
        (void)o->cl.clReleaseContext(o->context);
    cf_dl_close(o->dl);
    free(o);
}

/* An emulated device keeps time within tens of microseconds. */
#define EMULATED_STEP_NS UINT64_C(16000000)

static void info(const cf_device *device, cf_device_info *ret_info)
{
    const cf_opencl *o = device->state;
    *ret_info = (cf_device_info){
        .backend = "opencl",
        .simulated = o->emulated != NULL,
        .computes = o->emulated == NULL,
        .moves = true,
        .copy_unit = CF_UNIT_BYTES,
        .kernel_unit = CF_UNIT_TRIPS,
        .copy_start = UINT64_C(1) << 20,
        .kernel_start = 20000,
        .step_target_ns = o->emulated != NULL ? EMULATED_STEP_NS : 0,
        .clock_name = "CLOCK_MONOTONIC",
        .events_on_operations = true,
    };
    snprintf(ret_info->name, sizeof ret_info->name, "%s", o->name);
    snprintf(ret_info->driver, sizeof ret_info->driver, "%s", o->driver);
}

static cf_status facts(cf_device *device, cf_pairs *pairs, cf_error *err)
{
    cf_opencl *o = device->state;
    char version[128] = "";
    char units[16];
    cl_bool unified = 0;
    cf_status status = device_text(&o->cl, o->device, CL_DEVICE_VERSION, version, sizeof version, err);
    if (status == CF_OK)
        status =
            cf_cl_check(o->cl.clGetDeviceInfo(o->device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL),
                        "clGetDeviceInfo", err);
    snprintf(units, sizeof units, "%u", o->units);
    const struct {
        const char *name, *value;
    } all[] = {
        {"version", version},
        {"loader", cf_dl_path(o->dl)},
        {"compute units", units},
        {"kind", o->is_cpu ? "cpu" : "gpu or accelerator"},
        {"shares the host's memory", unified ? "yes" : "no"},
        {"host memory", o->pageable ? "pageable" : "pinned (CL_MEM_ALLOC_HOST_PTR, mapped)"},
        {"flush", o->flush_each ? "after each operation" : "when waited for"},
        {"batch-copy", "a loop: OpenCL has no call for many blocks"},
        {"time blocked inside calls", NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == CF_OK; i++)
        status = cf_pairs_add(pairs, all[i].name, all[i].value, err);
    return status == CF_OK && o->emulated != NULL ? cf_emulated_facts(o->emulated, pairs, err) : status;
}

static const char *const memory_values[] = {"pinned", "pageable", NULL};
static const char *const flush_values[] = {"each", "wait", NULL};
static const cf_device_setting settings[] = {
    {"memory", "host memory of the copies", memory_values},
    {"flush", "when commands are given to the driver: after each operation, or when they are waited for", flush_values},
    {NULL, NULL, NULL},
};

const cf_device_ops cf_device_opencl = {
    .name = "opencl",
    .about = "any driver behind the installed OpenCL loader",
    .open = open_device,
    .close = close_device,
    .info = info,
    .stream_open = cf_cl_stream_open,
    .stream_close = cf_cl_stream_close,
    .block_new = cf_cl_block_new,
    .block_free = cf_cl_block_free,
    .block_write = cf_cl_block_write,
    .block_read = cf_cl_block_read,
    .submit = cf_cl_submit,
    .wait = cf_cl_wait,
    .event_new = cf_cl_event_new,
    .event_free = cf_cl_event_free,
    .record = cf_cl_record,
    .event_read = cf_cl_event_read,
    .stream_profiles = cf_cl_stream_profiles,
    .settings = settings,
    .list = list,
    .facts = facts,
};
