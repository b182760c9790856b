/* What the driver said of the events that the program asked for times, and what never changes again while an event
   lives: of which queue and which command it is, and that the command is over. Of many events some are forgotten; then
   the driver is asked again. Any thread. */
#ifndef CF_INJECT_ASKED_H
#define CF_INJECT_ASKED_H

#include <stdbool.h>

#include "inject/opencl_api.h"

typedef struct cf_asked {
    cf_cl queue;   /* the driver's answer: own or twin */
    uint32_t type; /* below 2^31 */
    bool over;     /* the command ran, and without an error; false: not known */
} cf_asked;

/* False: not known. */
bool cf_asked_find(cf_cl event, cf_asked *ret);
/* Only for an event that the caller holds a reference to. */
void cf_asked_keep(cf_cl event, const cf_asked *about);
/* Before each of the program's references to an event is released: after the last the driver may use the handle anew.
 */
void cf_asked_forget(cf_cl event);

#endif
