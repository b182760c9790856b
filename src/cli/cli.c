#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/spec.h"

/* A standard stream that is closed would be given to the next file that is opened, a record for instance. Opened the
   wrong way round it stays a stream on which every use fails. */
static void hold_standard_streams(void)
{
    static const int flags[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) != fd)
            _exit(cf_status_exit(CF_IO));
    }
}

static int command_help(const cf_options *options)
{
    cf_options help = {.command = CF_COMMAND_HELP, .name = cf_command_specs[options->command].name};
    return cf_cmd_help(&help);
}

static int dispatch(const cf_options *options)
{
    static int (*const commands[CF_COMMAND_COUNT])(const cf_options *) = {
        [CF_COMMAND_RUN] = cf_cmd_run,
        [CF_COMMAND_EXEC] = cf_cmd_exec,
        [CF_COMMAND_JUDGE] = cf_cmd_judge,
        [CF_COMMAND_REPORT] = cf_cmd_report,
        [CF_COMMAND_DEVICES] = cf_cmd_devices,
        [CF_COMMAND_MODELS] = cf_cmd_models,
        [CF_COMMAND_JOBS] = cf_cmd_jobs,
        [CF_COMMAND_HELP] = cf_cmd_help,
        [CF_COMMAND_VERSION] = cf_cmd_version,
        [CF_COMMAND_PLAN] = command_help,
        [CF_COMMAND_PLAN_INIT] = cf_cmd_plan_init,
        [CF_COMMAND_PLAN_CLAIM] = cf_cmd_plan_claim,
        [CF_COMMAND_PLAN_ACCEPT] = cf_cmd_plan_accept,
        [CF_COMMAND_PLAN_ACT] = cf_cmd_plan_act,
        [CF_COMMAND_PLAN_RETRACT] = cf_cmd_plan_retract,
        [CF_COMMAND_PLAN_SHOW] = cf_cmd_plan_show,
        [CF_COMMAND_PLAN_QUOTE] = cf_cmd_plan_quote,
        [CF_COMMAND_PLAN_CHECK] = cf_cmd_plan_check,
    };
    return options->help ? command_help(options) : commands[options->command](options);
}

/* A closed pipe, or a limit on files, is an error of the write, so that a record is still finished. */
static const int errors_of_writes[] = {SIGPIPE, SIGXFSZ};
static sigset_t passed_on;

static void ignore_errors_of_writes(void)
{
    sigemptyset(&passed_on);
    for (size_t i = 0; i < sizeof errors_of_writes / sizeof errors_of_writes[0]; i++)
        if (signal(errors_of_writes[i], SIG_IGN) != SIG_IGN)
            sigaddset(&passed_on, errors_of_writes[i]);
}

void cf_cli_signals_passed_on(sigset_t *ret)
{
    *ret = passed_on;
}

int cf_cli_main(int argc, char **argv)
{
    hold_standard_streams();
    ignore_errors_of_writes();
    SIG_IGN; /* a closed pipe is an error of the write, so that a record is still finished */
    cf_options options;
    cf_error err = {0};
    int exit_status;
    if (cf_options_parse(argc, argv, NULL, &options, &err))
        exit_status = cf_cli_fail(&err);
    else
        exit_status = dispatch(&options);
    cf_options_done(&options);
    return exit_status;
}
