/* Lengths that the job leaves out, found on the control. */
#ifndef CF_RUN_CALIBRATE_H
#define CF_RUN_CALIBRATE_H

#include "run/cell.h"

#define CF_CALIBRATE_TRIES 6

/* Lane a's length so that its step lasts at least max(50 empty steps, 2 ms, the device's target), lane b's so that
   short / long is about 0.8 (accepted: 0.7 to 0.9), in at most 6 tries each. Lengths that were given, and counts, are
   never changed. Sets empty_step_ns, first_step_ns and calibration_tries in record. */
cf_status cf_calibrate(cf_rig *rig, cf_record *record, cf_error *err) CF_MUST_CHECK;

#endif
