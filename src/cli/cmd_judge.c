#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/set.h"
#include "record/set.h"

int cf_cmd_judge(const cf_options *options)
{
    if (cf_set_is_document(options->record_path))
        return cf_set_judge(options);
    cf_error err = {0};
    cf_record record = {0};
    cf_judgement judgement = {0};
    cf_status status = cf_cli_check_apart(options->record_path, options->json, &err);
    if (!status)
        status = cf_cli_judge(options, &record, &judgement, &err);
    int exit_status = status ? cf_cli_fail(&err) : cf_cli_conclude(options, &record, &judgement, options->record_path);
    cf_judgement_done(&judgement);
    cf_record_done(&record);
    return exit_status;
}
