#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/object.h"
#include "base/clock.h"

static const confound_status statuses[CF_STATUS_COUNT] = {
    [CF_OK] = CONFOUND_OK,
    [CF_GATE] = CONFOUND_INPUT,
    [CF_INPUT] = CONFOUND_INPUT,
    [CF_IO] = CONFOUND_IO,
    [CF_INCONCLUSIVE] = CONFOUND_INPUT,
    [CF_UNSUPPORTED] = CONFOUND_UNSUPPORTED,
    [CF_NO_DEVICE] = CONFOUND_NO_DEVICE,
    [CF_DEVICE] = CONFOUND_DEVICE,
    [CF_MEMORY] = CONFOUND_MEMORY,
    [CF_CANCELLED] = CONFOUND_INPUT,
};

confound_status cf_api_status(cf_status status, const cf_error *error, confound_error *err)
{
    confound_status ret = statuses[status];
    if (status == CF_OK || !err)
        return ret;
    *err = (confound_error){.status = ret, .native = error->native};
    (void)snprintf(err->text, sizeof err->text, "%s", error->text);
    (void)snprintf(err->call, sizeof err->call, "%s", error->call);
    return ret;
}

confound_status cf_api_fail(confound_error *err, cf_status status, const char *fmt, ...)
{
    char text[sizeof(((cf_error *)0)->text)];
    cf_error error = {0};
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return cf_api_status(cf_error_set(&error, status, "%s", text), &error, err);
}

bool cf_api_given(const char *text, const char *what, confound_error *err)
{
    if (!text)
        (void)cf_api_fail(err, CF_INPUT, "%s is NULL, which is not accepted; a text is", what);
    return text != NULL;
}

int64_t confound_thread_id(void)
{
    return (int64_t)gettid();
}

int64_t confound_thread_delay_ns(int64_t thread_id)
{
    return cf_clock_thread_delay_ns(thread_id);
}

const char *confound_version(void)
{
    return CONFOUND_VERSION;
}

/* Read back from the rooms' own table, so that a phrase stands in one place. */
const char *confound_status_meaning(confound_status status)
{
    for (int i = 0; i < CF_STATUS_COUNT; i++)
        if (statuses[i] == status && i != CF_GATE)
            return cf_status_meaning((cf_status)i);
    return "unknown status";
}
