/* Failures on demand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/stub/fail.h"

#define PLANS 4

static struct {
    char name[96];
    long at, seen;
    int code;
    bool stays;
} plans[PLANS];
static char planned_text[256]; /* the variable, when it was last looked at */
static int lost_code;          /* not 0: the device is lost */

static void read_plans(const char *text)
{
    memset(plans, 0, sizeof plans);
    lost_code = 0;
    snprintf(planned_text, sizeof planned_text, "%s", text);
    for (int i = 0; i < PLANS && text != NULL && *text != '\0'; i++) {
        char last[16] = "";
        if (sscanf(text, "%95[^:]:%ld:%d:%15[a-z]", plans[i].name, &plans[i].at, &plans[i].code, last) < 3)
            plans[i].name[0] = '\0';
        plans[i].stays = strcmp(last, "lost") == 0;
        text = strchr(text, ',');
        text = text != NULL ? text + 1 : NULL;
    }
}

int stub_failure(const char *name)
{
    const char *text = getenv("CONFOUND_STUB_FAIL");
    text = text != NULL ? text : "";
    if (strncmp(text, planned_text, sizeof planned_text - 1) != 0)
        read_plans(text);
    if (lost_code != 0 && strncmp(name, "cuGetError", 10) != 0)
        return lost_code;
    for (int i = 0; i < PLANS; i++) {
        if (strcmp(plans[i].name, name) != 0 || ++plans[i].seen != plans[i].at)
            continue;
        lost_code = plans[i].stays ? plans[i].code : 0;
        return plans[i].code;
    }
    return 0;
}

/* Is the device lost? */
bool stub_lost(void)
{
    return lost_code != 0;
}

/* How often the first entry point that is to fail was called since it was named: a test knows from this whether it did.
 */
__attribute__((visibility("default"))) long confound_stub_seen(void);
long confound_stub_seen(void)
{
    return plans[0].seen;
}
