/* How many waits make a step: the shortest pattern in which the waits of a thread recur. Pure. */
#ifndef CF_TOGGLE_PERIOD_H
#define CF_TOGGLE_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#define CF_PERIOD_MAX      64u
#define CF_PERIOD_WAITS    512u /* that are looked at before giving up */
#define CF_PERIOD_ENOUGH   12u  /* waits that are looked at in any case */
#define CF_PERIOD_REPEATED 3u   /* times that a pattern has to be seen */

/* tokens[i] says what the i-th wait was. The shortest p whose pattern the last max(3 p, 12) waits repeat; 0 = none yet.
 */
uint32_t cf_period_find(const uint64_t *tokens, size_t count);
/* For waits that recur only mostly: the shortest p with which at least 9 of 10 waits agree; 0 = none. */
uint32_t cf_period_mostly(const uint64_t *tokens, size_t count);

#endif
