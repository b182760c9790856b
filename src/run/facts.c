#include "run/facts.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "record/environment.h"

extern char **environ;

#ifndef CONFOUND_BUILD
#define CONFOUND_BUILD "unknown"
#endif

const char *cf_facts_injection(void)
{
    for (char **at = environ; at != NULL && *at != NULL; at++) {
        size_t name = strcspn(*at, "=");
        const cf_variable *v = cf_variable_find(*at);
        if (v != NULL && v->injects && (*at)[name] == '=' && (*at)[name + 1] != '\0')
            return v->name;
    }
    return NULL;
}

static bool is_named(const char *assignment, const char *name)
{
    size_t length = strcspn(assignment, "=");
    return name != NULL && strlen(name) == length && strncmp(assignment, name, length) == 0;
}

static cf_status fill_environment(cf_record *record, const char *also, cf_error *err)
{
    for (char **at = environ; at != NULL && *at != NULL; at++) {
        size_t length = strcspn(*at, "=");
        if ((cf_variable_find(*at) == NULL && !is_named(*at, also)) || (*at)[length] != '=')
            continue;
        char *name = cf_text_format("%.*s", (int)length, *at);
        if (name == NULL)
            return cf_error_set(err, CF_MEMORY, "out of memory");
        cf_status status = CF_OK;
        if (cf_pairs_get(&record->environment, name) == NULL)
            status = cf_pairs_add(&record->environment, name, *at + length + 1, err);
        free(name);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

/* The value of the first line that begins with key, after its separator and quotes; "" if there is none. */
static void line_value(const char *path, const char *key, char separator, char *buf, size_t buf_bytes)
{
    char *data = NULL;
    size_t size_bytes = 0;
    buf[0] = '\0';
    if (cf_file_read(path, (size_t)1 << 22, &data, &size_bytes, NULL) != CF_OK)
        return;
    char *rest = NULL;
    for (char *line = strtok_r(data, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        char *value = strchr(line, separator);
        if (value != NULL) {
            value += 1 + strspn(value + 1, " \t\"");
            size_t length = strcspn(value, "\"");
            snprintf(buf, buf_bytes, "%.*s", (int)length, value);
        }
        break;
    }
    free(data);
}

static cf_status fill_host(cf_record *record, cf_error *err)
{
    struct utsname uts = {0};
    uname(&uts);
    char kernel[256], os[128], cpu[128], cores[16];
    snprintf(kernel, sizeof kernel, "%s %s %s", uts.sysname, uts.release, uts.machine);
    line_value("/etc/os-release", "PRETTY_NAME", '=', os, sizeof os);
    line_value("/proc/cpuinfo", "model name", ':', cpu, sizeof cpu);
    cpu_set_t set;
    record->host_threads = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    snprintf(cores, sizeof cores, "%lld", (long long)record->host_threads);
    const struct {
        const char *name, *value;
    } facts[] = {{"os", os}, {"kernel", kernel}, {"cpu", cpu}, {"cores", cores}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const char *value = facts[i].value[0] != '\0' ? facts[i].value : NULL;
        cf_status status = cf_pairs_add(&record->host, facts[i].name, value, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

static cf_status set_text(char **at, const char *value, cf_error *err)
{
    char *copy = value != NULL ? cf_text_dup(value) : NULL;
    if (value != NULL && copy == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    free(*at);
    *at = copy;
    return CF_OK;
}

cf_status cf_facts_fill(cf_record *record, const cf_facts_place *place, const char *record_variable, cf_error *err)
{
    char utc[32];
    record->simulated = place->simulated;
    record->clock_resolution_ns = place->clock_resolution_ns;
    const struct {
        char **at;
        const char *value;
    } texts[] = {
        {&record->tool_version, CONFOUND_VERSION},
        {&record->tool_build, CONFOUND_BUILD},
        {&record->created_utc, cf_clock_utc(utc, sizeof utc)},
        {&record->device_backend, place->backend},
        {&record->device_name, place->name},
        {&record->driver, place->driver},
        {&record->clock_name, place->clock_name},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (set_text(texts[i].at, texts[i].value, err) != CF_OK)
            return CF_MEMORY;
    cf_status status = fill_host(record, err);
    return status == CF_OK ? fill_environment(record, record_variable, err) : status;
}
