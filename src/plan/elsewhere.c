/* Records of something else than a claim is about: other lanes, another device. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plan/support.h"

/* "16 x h2d", as a record gives it. Lanes in a person's own words can't be held against a record. */
static bool is_from_record(const char *lane)
{
    size_t digits = lane ? strspn(lane, "0123456789") : 0;
    return digits && !strncmp(lane + digits, " x ", 3);
}

static bool lane_differs(const char *lane, const cf_record_lane *measured)
{
    char *text = cf_text_format("%lld x %s", (long long)measured->count, cf_record_lane_what(measured));
    bool differs = text && strcmp(lane, text) != 0;
    free(text);
    return differs;
}

static bool lanes_differ(const cf_plan_claim *claim, const cf_plan_record *record)
{
    const cf_record_lane *measured = record->record.job.lane;
    if (!is_from_record(claim->lanes[0]) || !is_from_record(claim->lanes[1]))
        return false;
    return lane_differs(claim->lanes[0], &measured[0]) || lane_differs(claim->lanes[1], &measured[1]);
}

bool cf_plan_find_elsewhere(const cf_plan_claim *claim, const cf_plan_record *record, int line,
                            cf_plan_findings *findings)
{
    const cf_record_lane *measured = record->record.job.lane;
    const char *device = record->record.device_name;
    bool other_lanes = lanes_differ(claim, record);
    bool other_device = claim->scope.device && (!device || strcmp(claim->scope.device, device) != 0);
    if (other_lanes)
        cf_plan_find(findings, CF_PLAN_RULE_LANES_DIFFER, claim->path, line, claim->id,
                     "%s is of %lld x %.40s beside %lld x %.40s, the claim is about %.60s beside %.60s", record->path,
                     (long long)measured[0].count, cf_record_lane_what(&measured[0]), (long long)measured[1].count,
                     cf_record_lane_what(&measured[1]), claim->lanes[0], claim->lanes[1]);
    if (other_device)
        cf_plan_find(findings, CF_PLAN_RULE_DEVICE_DIFFERS, claim->path, line, claim->id,
                     "%s was taken on '%.100s', the claim's scope is '%.100s'", record->path,
                     device ? device : "no device", claim->scope.device);
    return other_lanes || other_device;
}
