/* Statuses and the caller-owned error: whoever notices writes it once, libraries never print or exit. */
#ifndef CF_BASE_ERROR_H
#define CF_BASE_ERROR_H

#include <stdint.h>

#define CF_MUST_CHECK        __attribute__((warn_unused_result))
#define CF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* name, exit status of the command line, what it means */
#define CF_STATUS_TABLE(X)                                                                                             \
    X(OK, 0, "done")                                                                                                   \
    X(GATE, 1, "an expectation or a gate failed")                                                                      \
    X(INPUT, 2, "bad usage or bad input")                                                                              \
    X(IO, 2, "a file could not be read or written")                                                                    \
    X(INCONCLUSIVE, 3, "inconclusive where an answer was demanded")                                                    \
    X(UNSUPPORTED, 4, "not supported here")                                                                            \
    X(NO_DEVICE, 4, "no such device")                                                                                  \
    X(DEVICE, 5, "the device or its driver failed")                                                                    \
    X(MEMORY, 5, "out of memory")                                                                                      \
    X(CANCELLED, 130, "stopped by the user")

typedef enum cf_status {
#define X(name, exit_status, meaning) CF_##name,
    CF_STATUS_TABLE(X)
#undef X
        CF_STATUS_COUNT
} cf_status;

/* One line of text, never with a newline or a control character; call and native are set for vendor calls only. */
typedef struct cf_error {
    cf_status status;
    char text[768];
    char call[64];  /* the vendor call that failed, "" if none */
    int64_t native; /* its native code, 0 if none */
} cf_error;

/* Writes err (may be NULL) and returns status, so that `return cf_error_set(...)` is the idiom. Control
   characters in the formatted text are replaced by '?'. */
cf_status cf_error_set(cf_error *err, cf_status status, const char *fmt, ...) CF_PRINTF(3, 4);
/* The same for a failed vendor call. */
cf_status cf_error_set_call(cf_error *err, cf_status status, const char *call, int64_t native, const char *fmt, ...)
    CF_PRINTF(5, 6);
/* Puts "prefix: " before the text that is there; returns err's status. */
cf_status cf_error_prefix(cf_error *err, const char *fmt, ...) CF_PRINTF(2, 3);

/* For the static analyzer alone, which cannot see that what they return is the status that they were given. */
#ifdef __clang_analyzer__
#define cf_error_set(err, status, ...)      ((void)(cf_error_set)((err), (status), __VA_ARGS__), (status))
#define cf_error_set_call(err, status, ...) ((void)(cf_error_set_call)((err), (status), __VA_ARGS__), (status))
#endif

const char *cf_status_name(cf_status status);    /* "INPUT" */
const char *cf_status_meaning(cf_status status); /* static text */
int cf_status_exit(cf_status status);            /* exit status of the command line */

#endif
