/* The part of CUPTI that is used here, written from its public documentation and loaded at run time: by name, then from
   the toolkit's usual folders. CONFOUND_CUPTI_LIBRARY names another file in its stead. */
#ifndef CF_INSTRUMENT_CUPTI_API_H
#define CF_INSTRUMENT_CUPTI_API_H

#include <stddef.h>
#include <stdint.h>

#include "base/dl.h"
#include "base/error.h"
#include "device/device.h"

#define CF_CUPTI_MEMCPY            1 /* CUpti_ActivityKind */
#define CF_CUPTI_KERNEL            3
#define CF_CUPTI_CONCURRENT_KERNEL 10
#define CF_CUPTI_FLUSH_FORCED      1u
#define CF_CUPTI_DOMAIN_DRIVER     1 /* CUPTI_CB_DOMAIN_DRIVER_API */

typedef void cf_cupti_callback(void *user, int domain, uint32_t id, const void *data);
typedef void cf_cupti_request(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_most_records);
typedef void cf_cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes);

/* field, names, optional, parameters */
#define CF_CUPTI_API_TABLE(X)                                                                                          \
    X(version_of, "cuptiGetVersion", false, (uint32_t * ret_version))                                                  \
    X(result_string, "cuptiGetResultString", false, (int code, const char **ret_text))                                 \
    X(register_callbacks, "cuptiActivityRegisterCallbacks", false,                                                     \
      (cf_cupti_request * request, cf_cupti_complete * complete))                                                      \
    X(enable, "cuptiActivityEnable", false, (int kind))                                                                \
    X(disable, "cuptiActivityDisable", false, (int kind))                                                              \
    X(flush, "cuptiActivityFlushAll", false, (uint32_t flag))                                                          \
    X(next, "cuptiActivityGetNextRecord", false, (uint8_t * buffer, size_t valid_bytes, uint8_t * *record))            \
    X(stream_id, "cuptiGetStreamId", false, (void *context, void *stream, uint32_t *ret_id))                           \
    X(subscribe, "cuptiSubscribe", false, (void **ret_subscriber, cf_cupti_callback *function, void *user))            \
    X(unsubscribe, "cuptiUnsubscribe", false, (void *subscriber))                                                      \
    X(enable_domain, "cuptiEnableDomain", false, (uint32_t enable, void *subscriber, int domain))

typedef struct cf_cupti {
#define X(field, names, optional, parameters) int(*field) parameters;
    CF_CUPTI_API_TABLE(X)
#undef X
    cf_dl *dl;
    uint32_t version;
} cf_cupti;

/* For the device at the bottom of next, which must be cuda. The library, loaded by whoever asks first and kept until
   the process ends: it hooks into the driver, and there is no sound way to take it out again while a context lives. A
   CUPTI that is newer than the driver is not looked for. UNSUPPORTED: another device, or no CUPTI, with what was looked
   for. */
cf_status cf_cupti_for(cf_device *next, const cf_cupti **ret_cupti, cf_error *err) CF_MUST_CHECK;
/* Of the library that is loaded; NULL and 0 while none is. */
const char *cf_cupti_path(void);
uint32_t cf_cupti_version(void);

/* The error of a call that returned code: UNSUPPORTED where CUPTI says that it will not work here (privileges, another
   profiler, this kind of device), else DEVICE. */
cf_status cf_cupti_failed(const cf_cupti *cupti, const char *call, int code, cf_error *err);
static inline cf_status cf_cupti_check(const cf_cupti *cupti, const char *call, int code, cf_error *err)
{
    return code == 0 ? CF_OK : cf_cupti_failed(cupti, call, code, err);
}

#endif
