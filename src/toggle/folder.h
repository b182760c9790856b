/* The folder that the preloaded libraries of one run write into. */
#ifndef CF_TOGGLE_FOLDER_H
#define CF_TOGGLE_FOLDER_H

#include "base/error.h"

/* Makes a folder for one run in parent. ret_lock: says for as long as it is open that the run goes on, also to
   containers that share parent; -1 = there are no locks. The caller frees the folder and closes the lock. IO. */
cf_status cf_toggled_make(const char *parent, char **ret_folder, int *ret_lock, cf_error *err) CF_MUST_CHECK;
/* Removes this user's folders in parent whose runs were killed. */
void cf_toggled_reclaim(const char *parent);
/* Makes a folder RECORD.TAILxxxxxx, in which what is measured outlives its run. The path is absolute; the caller frees.
   IO: none can be made, or none that holds a file of steps. */
cf_status cf_toggled_make_beside(const char *record, const char *tail, char **ret_folder, cf_error *err) CF_MUST_CHECK;
/* Removes what a run writes, and the folder where nothing else is in it. */
void cf_toggled_remove(const char *folder);

#endif
