/* A callback's answer as a status of ours. */
#ifndef CF_API_ANSWER_H
#define CF_API_ANSWER_H

#include "api/object.h"

/* Before the callback: no text yet. Leaves the rest as it is, since that is in the clock. */
static inline void cf_answer_begin(confound_error *said)
{
    said->text[0] = '\0';
    said->call[0] = '\0';
    said->native = 0;
}
/* After it. returned: 0, a confound_status or any other number. what: which callback, for one that says nothing. */
cf_status cf_answer(int returned, const char *what, confound_error *said, cf_error *err);

#endif
