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

static bool is_of_program(const char *lane)
{
    return lane && strncmp(lane, CF_PLAN_PROGRAM, strlen(CF_PLAN_PROGRAM)) == 0;
}

static bool lanes_differ(const cf_plan_claim *claim, const cf_plan_record *record)
{
    const cf_record_lane *measured = record->record.job.lane;
    if (!is_from_record(claim->lanes[0]) || !is_from_record(claim->lanes[1]))
        return false;
    return lane_differs(claim->lanes[0], &measured[0]) || lane_differs(claim->lanes[1], &measured[1]);
}

/* Lanes against a whole program, or one program against another. */
static bool find_other_kind(const cf_plan_claim *claim, const cf_plan_record *record, int line,
                            cf_plan_findings *findings)
{
    const bool program = record->judgement.metric;
    const bool of_lanes = is_from_record(claim->lanes[0]) || claim->verdict < CF_READING_COUNT;
    if (program && of_lanes && claim->verdict != CF_READING_INCONCLUSIVE) {
        cf_plan_find(findings, CF_PLAN_RULE_LANES_DIFFER, claim->path, line, claim->id,
                     "%s is of a whole program, the claim is about two lanes", record->path);
        return true;
    }
    if (!program && (is_of_program(claim->lanes[0]) || cf_plan_is_about_arm(claim->verdict))) {
        cf_plan_find(findings, CF_PLAN_RULE_LANES_DIFFER, claim->path, line, claim->id,
                     "%s is of two lanes, the claim is about a whole program", record->path);
        return true;
    }
    char *measured = program ? cf_plan_program(&record->record) : NULL;
    const bool other = measured && is_of_program(claim->lanes[0]) && strcmp(measured, claim->lanes[0]) != 0;
    if (other)
        cf_plan_find(findings, CF_PLAN_RULE_LANES_DIFFER, claim->path, line, claim->id,
                     "%s is of '%.100s', the claim is about '%.100s'", record->path, measured + strlen(CF_PLAN_PROGRAM),
                     claim->lanes[0] + strlen(CF_PLAN_PROGRAM));
    free(measured);
    return program || other;
}

bool cf_plan_find_elsewhere(const cf_plan_claim *claim, const cf_plan_record *record, int line,
                            cf_plan_findings *findings)
{
    const cf_record_lane *measured = record->record.job.lane;
    const char *device = record->record.device_name;
    size_t before = findings->count;
    bool other_kind = find_other_kind(claim, record, line, findings);
    bool other_lanes = !other_kind && lanes_differ(claim, record);
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
    return findings->count > before;
}
