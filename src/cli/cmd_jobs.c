#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/listing.h"

const cf_job_builtin *cf_job_builtin_find(const char *name)
{
    for (const cf_job_builtin *job = cf_job_builtins; job->name; job++) {
        if (!strcmp(job->name, name))
            return job;
    }
    return NULL;
}

int cf_cmd_jobs(const cf_options *options)
{
    cf_listing listing = {.noun = "job", .print_hint = "confound jobs NAME prints one"};
    for (const cf_job_builtin *job = cf_job_builtins; job->name; job++)
        cf_listing_add(&listing, job->name, job->text);
    return cf_listing_show(&listing, options->name);
}
