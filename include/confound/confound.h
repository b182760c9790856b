/* confound: does an instrument itself serialise two lanes of device work that it reports as serialised?

   The library runs the experiment (confound/run.h), keeps what was measured as a record (confound/record.h) and judges
   a record on any machine (confound/judge.h). C99 and C++11.

   Ownership   What a function hands out through a ret_ parameter is the caller's, and is freed by the function named
               there; what a getter returns belongs to the object and lives as long as it. Every free takes NULL.
   Errors      Functions that can fail return a confound_status; ret_ parameters are written on CONFOUND_OK only. The
               last parameter, which may be NULL, receives one line of text. The library never prints and never exits.
   Threads     Any thread may call; one object is used by one thread at a time. confound_run_job measures time: two at
               once on one machine disturb each other. */
#ifndef CONFOUND_CONFOUND_H
#define CONFOUND_CONFOUND_H

#include <stdint.h>

#define CONFOUND_VERSION_MAJOR 0
#define CONFOUND_VERSION_MINOR 1
#define CONFOUND_VERSION_PATCH 0

#if defined(__GNUC__)
#define CONFOUND_API        __attribute__((visibility("default")))
#define CONFOUND_MUST_CHECK __attribute__((warn_unused_result))
#else
#define CONFOUND_API
#define CONFOUND_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum confound_status {
    CONFOUND_OK = 0,
    CONFOUND_INPUT = 1,       /* bad input: the text names file, line, what was wrong and what is accepted */
    CONFOUND_IO = 2,          /* a file could not be read or written */
    CONFOUND_UNSUPPORTED = 3, /* not supported here */
    CONFOUND_NO_DEVICE = 4,   /* no such device */
    CONFOUND_DEVICE = 5,      /* the device or its driver failed */
    CONFOUND_MEMORY = 6       /* out of memory */
} confound_status;

/* Caller-owned; one line of text, with no newline and no control character. */
typedef struct confound_error {
    confound_status status;
    char text[768];
    char call[64];  /* the vendor's call that failed, "" if none */
    int64_t native; /* its native code, 0 if none */
} confound_error;

/* "0.1.0", of the library that is loaded. */
CONFOUND_API const char *confound_version(void);
/* What a status means, one phrase. Never NULL. */
CONFOUND_API const char *confound_status_meaning(confound_status status);

/* The calling thread, as the kernel numbers it. */
CONFOUND_API int64_t confound_thread_id(void);
/* ns so far that a thread of this process was ready and had to wait for a core; -1 = can't be told. On a busy machine
   that is what makes work late that is not the device's. */
CONFOUND_API int64_t confound_thread_delay_ns(int64_t thread_id);

#ifdef __cplusplus
}
#endif
#endif
