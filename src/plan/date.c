#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "plan/claim.h"

#define MAX_SECONDS 253402300799u /* the last second of the year 9999 */

static int number(const char *digits, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++)
        value = value * 10 + (digits[i] - '0');
    return value;
}

bool cf_plan_is_date(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int i = 0; i < 10; i++) {
        bool dash = i == 4 || i == 7;
        if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9')
            return false;
    }
    int year = number(text, 4), month = number(text + 5, 2), day = number(text + 8, 2);
    if (text[10] || month < 1 || month > 12 || day < 1)
        return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day <= days[month - 1] + (month == 2 && leap);
}

cf_status cf_plan_today(char ret_date[CF_PLAN_DATE_BYTES], cf_error *err)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char utc[32];
    if (!epoch || !*epoch) {
        snprintf(ret_date, CF_PLAN_DATE_BYTES, "%.10s", cf_clock_utc(utc, sizeof utc));
        return CF_OK;
    }
    uint64_t seconds = 0;
    struct tm day;
    if (!cf_text_parse_u64(epoch, 0, MAX_SECONDS, &seconds))
        return cf_error_set(err, CF_INPUT, "SOURCE_DATE_EPOCH in the environment: '%s' is no number of seconds", epoch);
    time_t time = (time_t)seconds;
    gmtime_r(&time, &day);
    strftime(ret_date, CF_PLAN_DATE_BYTES, "%Y-%m-%d", &day);
    return CF_OK;
}
