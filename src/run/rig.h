/* A rig: what a run measures, as the loop that measures it sees it. Two kinds: a job on a device (run/bench.h) and a
   caller's own steps (run/steps.h). The order of the experiment, the cell and the calibration know rigs alone.

   Threads: all calls on one rig are made from the thread that runs.
   In the clock: now_ns, submit, wait and waited_ns are called between the readings of the clock. Everything else is
   called outside, with nothing running. */
#ifndef CF_RUN_RIG_H
#define CF_RUN_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/record.h"

typedef struct cf_rig cf_rig;

#define CF_RIG_ALL (-1) /* wait: for both lanes */

/* Accounts of the host and the device, read outside the clock on either side of a window. */
typedef struct cf_accounts {
    uint64_t blocked_ns; /* so far, inside calls that submit; 0 where it is not known */
    uint64_t waited_ns;  /* as waited_ns says */
    uint64_t late_ns;    /* so far, of a device's own engines */
    bool has_late;
    int64_t delay_ns; /* run-queue delay of this thread so far; -1 = not known */
} cf_accounts;

/* What a cell proved of its variant. */
typedef struct cf_cell_proof {
    uint64_t owed, shown;
    bool stray; /* of a control: an instrument was alive. A caller's steps: it said that one was armed */
    bool bare;  /* a caller's steps: it said that none was */
    bool mute;  /* a caller's steps: it said that it can't tell */
} cf_cell_proof;

/* Numbers that ranks settle together; every one is 0 or more. */
typedef enum cf_agree_what {
    CF_AGREE_DECIDED, /* 1 = nothing is left to measure for; common is the least */
    CF_AGREE_END,     /* 1 = the run must end; common is the greatest */
    CF_AGREE_WALL_NS  /* calibration; common is the greatest */
} cf_agree_what;
/* Makes *value the common one. */
typedef cf_status cf_agree(void *user, cf_agree_what what, int64_t *value, cf_error *err);

typedef struct cf_rig_ops {
    /* The steps of one cell of variant follow. Undone by close; not called where open failed. */
    cf_status (*open)(cf_rig *rig, int variant, cf_error *err);
    cf_status (*close)(cf_rig *rig, cf_error *err);
    /* Returns when nothing runs. */
    cf_status (*idle)(cf_rig *rig, cf_error *err);
    /* Optional, outside every window: one step in which nothing is done. Without it that is idle. */
    cf_status (*empty)(cf_rig *rig, cf_error *err);
    /* A window of cell follows: `in_flight` steps. */
    cf_status (*prepare)(cf_rig *rig, cf_cell cell, cf_error *err);
    uint64_t (*now_ns)(cf_rig *rig);
    cf_status (*submit)(cf_rig *rig, cf_cell cell, cf_error *err);
    cf_status (*wait)(cf_rig *rig, int lane, cf_error *err); /* 0, 1 or CF_RIG_ALL */
    uint64_t (*waited_ns)(cf_rig *rig);                      /* so far, inside waits; what submit itself waited too */
    void (*accounts)(cf_rig *rig, cf_accounts *ret_accounts);
    /* After a window: what the instrument saw and proved, added to what is there; checks the data. */
    cf_status (*collect)(cf_rig *rig, cf_cell cell, bool timed, cf_seen *seen, cf_cell_proof *proof, cf_error *err);
    /* A lane whose length is not given. */
    cf_status (*set_length)(cf_rig *rig, int lane, uint64_t length, cf_error *err);
    /* Optional: CF_MARK_… bits that hold now. */
    cf_status (*conditions)(cf_rig *rig, unsigned *ret_marks, cf_error *err);
    /* Writes what every variant has proven so far, and the data check. */
    cf_status (*prove)(cf_rig *rig, cf_record *record, cf_error *err);
} cf_rig_ops;

/* Head of every rig. */
struct cf_rig {
    const cf_rig_ops *ops;
    double position;  /* how far the run is, 0 to 1 */
    uint64_t windows; /* begun so far in this process */
    bool lane_waits;  /* wait can wait for one lane of two */
    struct {
        bool given; /* never changed */
        uint64_t length;
    } lane[2]; /* of the first job, which is the one that is calibrated */
    uint32_t in_flight;
    uint64_t step_target_ns; /* calibrate lane a to about this wall if it is more than the rule's minimum */
    bool data_wrong;         /* since the run began */
    char data_text[256];
    struct {
        bool stray, bare, mute; /* in any cell of a round */
    } proof[CF_MAX_VARIANTS];
    cf_agree *agree; /* NULL = this process is alone */
    void *agree_user;
};

#endif
