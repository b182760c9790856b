/* What the launcher hands to the preloaded object, in this process and in those that it starts: a private folder, named
   by an environment variable. It holds these bytes, and the tree of files that stands in for the device's. */
#ifndef CF_EMULATOR_SESSION_H
#define CF_EMULATOR_SESSION_H

#include <stdbool.h>

#include "emulator/model.h"

/* Not CONFOUND_…: what begins so is dropped for processes that confound starts. */
#define CF_EMU_SESSION_VARIABLE "EMULATED_GPU_SESSION"
#define CF_EMU_SESSION_FILE     "session"
#define CF_EMU_SESSION_TREE     "tree"
#define CF_EMU_SESSION_FAILURES "failures" /* a line for each submission that ended at something unknown */
#define CF_EMU_SESSION_KERNELS  "kernels"  /* a cf_emu_kernels, which the session's processes share */
#define CF_EMU_PATH             512

/* Kernels that were not executed, without those that are made for this GPU and say a trip count (base/emulated.h).
   Counted where every process maps them, so that neither a signal nor _exit loses them. */
typedef struct cf_emu_kernels {
    _Atomic uint64_t count;
} cf_emu_kernels;

typedef struct cf_emu_session {
    cf_emu_model model;
    char loader[CF_EMU_PATH];        /* ld.so of the drivers' own C library; "" = the system's runs everything */
    char libraries[2 * CF_EMU_PATH]; /* for that loader's --library-path */
    char object[CF_EMU_PATH];        /* the preloaded object */
    char timeline[CF_EMU_PATH];      /* file, or "-" = standard error; "" = none */
    char spans[CF_EMU_PATH];         /* JSON lines; "" = none */
    char log[CF_EMU_PATH];           /* file, or "-"; "" = none */
    char trace[CF_EMU_PATH];         /* file, or "-"; "" = none */
} cf_emu_session;

/* directory/session. False with errno. */
bool cf_emu_session_write(const char *directory, const cf_emu_session *session);
bool cf_emu_session_read(const char *directory, cf_emu_session *ret_session);
/* directory/kernels, made where it is not there; mapped until the process ends. NULL with errno. */
cf_emu_kernels *cf_emu_session_kernels(const char *directory);
/* Makes directory/tree. False with errno, and the path that could not be made in ret_path. */
bool cf_emu_tree_make(const char *directory, const cf_emu_model *model, char ret_path[CF_EMU_PATH]);
/* Removes directory and all in it; follows no links. */
void cf_emu_tree_remove(const char *directory);

/* What the name of a session's folder begins with; six letters or digits follow. */
#define CF_EMU_SESSION_PREFIX "confound-emulate-"
/* Says, for as long as this process lives, that the folder is in use. Before the session is written. */
void cf_emu_tree_hold(const char *directory);
/* Removes the sessions in base whose launcher was killed: this user's folders that hold a session and that nobody
   holds. */
void cf_emu_tree_reclaim(const char *base);

#endif
