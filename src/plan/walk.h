/* Opening beneath a folder without ever following a link. */
#ifndef CF_PLAN_WALK_H
#define CF_PLAN_WALK_H

#include "plan/place.h"

/* Opens the folder that holds path and names the last component, which points into path. -1 on failure: ret_why is NULL
   where something on the way is absent, else why the way is refused (static text or strerror's). */
int cf_plan_walk_parent(const cf_plan_place *place, const char *path, const char **ret_name, const char **ret_why);
/* Opens path itself with flags (O_RDONLY, O_DIRECTORY, …). */
int cf_plan_walk_open(const cf_plan_place *place, const char *path, int flags, const char **ret_why);

#endif
