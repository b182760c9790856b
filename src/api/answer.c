#include "api/answer.h"

/* The text may be missing, have no end or hold anything. */
cf_status cf_answer(int returned, const char *what, confound_error *said, cf_error *err)
{
    static const cf_status statuses[] = {
        [CONFOUND_OK] = CF_OK,
        [CONFOUND_INPUT] = CF_INPUT,
        [CONFOUND_IO] = CF_IO,
        [CONFOUND_UNSUPPORTED] = CF_UNSUPPORTED,
        [CONFOUND_NO_DEVICE] = CF_NO_DEVICE,
        [CONFOUND_DEVICE] = CF_DEVICE,
        [CONFOUND_MEMORY] = CF_MEMORY,
    };
    if (returned == 0)
        return CF_OK;
    bool known = returned > 0 && (size_t)returned < sizeof statuses / sizeof statuses[0];
    cf_status status = known ? statuses[returned] : CF_DEVICE;
    said->text[sizeof said->text - 1] = '\0';
    said->call[sizeof said->call - 1] = '\0';
    if (said->call[0] != '\0' && said->text[0] != '\0')
        return cf_error_set_call(err, status, said->call, said->native, "%s", said->text);
    if (said->call[0] != '\0')
        return cf_error_set_call(err, status, said->call, said->native, "%s failed in %s (%lld)", what, said->call,
                                 (long long)said->native);
    if (said->text[0] != '\0')
        return cf_error_set(err, status, "%s", said->text);
    return cf_error_set(err, status, "%s returned %d", what, returned);
}
