/* Failures on demand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stub.h"

static struct {
    char text[128]; /* the variable, when it was last looked at */
    char name[96];
    long at, seen;
    int code;
    bool stays, lost;
} plan;

static void read_plan(const char *text)
{
    char last[16] = "";
    memset(&plan, 0, sizeof plan);
    snprintf(plan.text, sizeof plan.text, "%s", text);
    if (sscanf(text, "%95[^:]:%ld:%d:%15s", plan.name, &plan.at, &plan.code, last) < 3)
        plan.name[0] = '\0';
    plan.stays = strcmp(last, "lost") == 0;
}

int stub_failure(const char *name)
{
    const char *text = getenv("CONFOUND_STUB_FAIL");
    text = text != NULL ? text : "";
    if (strncmp(text, plan.text, sizeof plan.text - 1) != 0)
        read_plan(text);
    if (plan.lost)
        return plan.code;
    if (plan.name[0] == '\0' || strcmp(plan.name, name) != 0 || ++plan.seen != plan.at)
        return 0;
    plan.lost = plan.stays;
    return plan.code;
}

/* How often the entry point that is to fail was called since it was named: a test knows from this whether it did. */
ENTRY long confound_stub_seen(void);
ENTRY long confound_stub_seen(void)
{
    return plan.seen;
}
