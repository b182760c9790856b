#include "cli/spec.h"

#include "cli/explain.h"
#include "plan/figure.h"

#define RUN     (1u << CF_COMMAND_RUN)
#define EXEC    (1u << CF_COMMAND_EXEC)
#define JUDGE   (1u << CF_COMMAND_JUDGE)
#define REPORT  (1u << CF_COMMAND_REPORT)
#define DEVICES (1u << CF_COMMAND_DEVICES)
#define CLAIM   (1u << CF_COMMAND_PLAN_CLAIM)
#define ACCEPT  (1u << CF_COMMAND_PLAN_ACCEPT)
#define ACT     (1u << CF_COMMAND_PLAN_ACT)
#define RETRACT (1u << CF_COMMAND_PLAN_RETRACT)
#define SHOW    (1u << CF_COMMAND_PLAN_SHOW)
#define QUOTE   (1u << CF_COMMAND_PLAN_QUOTE)
#define CHECK   (1u << CF_COMMAND_PLAN_CHECK)
#define PLANS   (1u << CF_COMMAND_PLAN_INIT | CLAIM | ACCEPT | ACT | RETRACT | SHOW | QUOTE | CHECK)
#define WORDS                                                                                                          \
    (RUN | EXEC | JUDGE | REPORT | DEVICES | 1u << CF_COMMAND_MODELS | 1u << CF_COMMAND_JOBS | 1u << CF_COMMAND_PLAN | \
     1u << CF_COMMAND_HELP | PLANS)

#define FIELD(name) offsetof(cf_options, name)

static const char *const better_words[] = {"lower", "higher", NULL};                     /* cf_exec_better */
static const char *const toggle_words[] = {"timing", NULL};                              /* cf_exec_toggled */
static const char *const expect_words[] = {"clear", "confounded", "inconclusive", NULL}; /* cf_expect */
static const char *const color_words[] = {"auto", "always", "never", NULL};              /* cf_color */
static const char *const show_words[] = {"text", "markdown", "json", NULL};              /* cf_show_format */
static const char *const check_words[] = {"text", "json", "sarif", "github", NULL};      /* cf_check_format */
static const char *const format_words[] = {"text", "markdown", "csv", "json", NULL};     /* cf_format */

const char cf_program_summary[] = "measure the measurement: does an instrument serialise what it reports?";
const char cf_program_detail[] =
    "A trace shows copies that wait for kernels. confound tells whether the GPU did that, or the trace: it runs the "
    "same two lanes of work with no instrument and with each instrument, interleaved at random, times them with the "
    "host's clock alone, and decides with a test that is valid at every look.\n"
    "What was measured goes into a record; what is concluded from it is a judgement, the same bytes on any machine.";

const cf_command_spec cf_command_specs[CF_COMMAND_COUNT] = {
    [CF_COMMAND_RUN] =
        {
            .name = "run",
            .argument = "[JOB.ini]",
            .what = "a job",
            .field = FIELD(job_path),
            .complete = CF_COMPLETE_JOB,
            .summary = "measure a job under every instrument, judge it and report",
            .detail =
                "JOB.ini is a file, or the name of a ready job (confound jobs); left out, it is the ready job "
                "'default': 16 host-to-device copies beside 16 kernels. With no device named, the best one present "
                "is used, and a line says which and why.\n"
                "A set is many such runs, each in a fresh process with a record of its own: the same run again "
                "(--processes), under each value of a variable (--vary-env), or at each point of a range (--sweep). "
                "The file named with -o then describes the set, and its records stand beside it.\n"
                "Each whole round is kept in RECORD.json.part until the record is written, so that a run that was "
                "killed goes on with --resume. Ctrl-C ends after the current round with a judgement on what there "
                "is; a second one ends at once. Of two runs that name the same RECORD.json at once, the second is "
                "refused.\n"
                "What stands on the command line wins over the environment, and both win over the job.",
            .example = "confound run --device sim --model copy-offload --json -",
        },
    [CF_COMMAND_EXEC] =
        {
            .name = "exec",
            .argument = "[--] PROGRAM [ARG...]",
            .what = "a program",
            .many = true,
            .rest = true,
            .field = FIELD(program),
            .complete = CF_COMPLETE_FILE,
            .summary = "run a whole program under whole tools: does a tool change its speed?",
            .detail =
                "Each arm is what stands before the program: a profiler, a layer, env VAR=value. The program runs as "
                "it is (none), once more as it is (none-again), and under each arm, a process each, in random order, "
                "round after round. One process of each arm before the first round is thrown away. What is compared is "
                "the wall time of the process, its processor time, a number that the program prints, or one that it "
                "writes "
                "into a file; "
                "the judgement is on its ratio to that of none in the same round, by the test of confound run.\n"
                "An arm is split into words as a shell would do it, with quotes; no shell runs unless you write one. "
                "Its first words may be VAR=value, as with env. What each run prints is kept in a folder beside the "
                "record. An arm ends where its run fails, takes too long, or gives no number; the others go on.\n"
                "--metric is wall, cpu (user and system time, for a machine that is busy), file:PATH:KEY (a member of "
                "a JSON file, or lines KEY=NUMBER), or a POSIX extended "
                "regular expression with one group around the number, looked for in standard output, and in standard "
                "error where there is no match. Of several numbers of one run the median counts.\n"
                "Ctrl-C ends the run that goes on and judges the whole rounds that there are; a second one ends at "
                "once. Each whole round is kept in RECORD.json.part until the record is written; --resume goes on.\n"
                "With --toggle timing the program runs once, with its own streams, and a preloaded library turns the "
                "timing flag of its CUDA and Level Zero events and OpenCL queues from step to step: as-shipped, "
                "stripped (nothing is "
                "timed), added (everything is). What is compared is the wall time of a step. With --keep FOLDER what "
                "it "
                "prints goes to FOLDER/out and FOLDER/err, and only the report to standard output. With -o, what was "
                "measured outlives a confound that is killed: --toggle timing --resume RECORD.json makes the record of "
                "it, once the program has ended, and runs nothing.",
            .example = "confound exec --arm env='env X=1' sleep 0.1",
        },
    [CF_COMMAND_JUDGE] =
        {
            .name = "judge",
            .argument = "RECORD.json",
            .what = "a record",
            .required = true,
            .field = FIELD(record_path),
            .complete = CF_COMPLETE_FILE,
            .summary = "judge a record again, on any machine",
            .detail = "No device is needed, and the same record gives the same judgement byte for byte. RECORD.json "
                      "may be '-', standard input.",
            .example = "confound judge RECORD.json --json -",
        },
    [CF_COMMAND_REPORT] =
        {
            .name = "report",
            .argument = "RECORD.json...",
            .what = "a record",
            .required = true,
            .many = true,
            .field = FIELD(records),
            .complete = CF_COMPLETE_FILE,
            .summary = "show a record's judgement as a page, text, Markdown, CSV or JSON",
            .detail = "--html writes one page that needs nothing but itself: charts, their numbers, and whether the "
                      "answer may be believed. Markdown is for a pull request; CSV has one row for each time measured "
                      "in a judged round; JSON is the judgement. RECORD.json may be '-', standard input.\n"
                      "Several records are compared: devices, drivers or days.",
            .example = "confound report RECORD.json --html report.html",
        },
    [CF_COMMAND_DEVICES] =
        {
            .name = "devices",
            .summary = "list the devices that are here, and what each can do",
            .detail = "Of every backend its devices, with their engines, kinds of host memory, instruments and "
                      "settings, or the reason why it is absent; and which device is taken when none is named, and "
                      "why.",
            .example = "confound devices --json",
        },
    [CF_COMMAND_MODELS] =
        {
            .name = "models",
            .argument = "[NAME]",
            .what = "a model",
            .field = FIELD(name),
            .complete = CF_COMPLETE_MODEL,
            .summary = "list the device models that are built in, or print one",
            .detail = "A model describes engines, queues and events for the devices sim and soft. Print one into a "
                      "file, change it, and give the file to run --model.",
            .example = "confound models copy-offload > my-model.ini",
        },
    [CF_COMMAND_JOBS] =
        {
            .name = "jobs",
            .argument = "[NAME]",
            .what = "a job",
            .field = FIELD(name),
            .complete = CF_COMPLETE_JOB,
            .summary = "list the ready jobs, or print one",
            .detail = "A job says what runs beside what, in which order, and under which instruments. Print one into "
                      "a file, change it, and give the file to run.",
            .example = "confound jobs kv-staging > my-job.ini",
        },
    [CF_COMMAND_PLAN] =
        {
            .name = "plan",
            .argument = "COMMAND",
            .what = "a command",
            .required = true,
            .summary = "claims, decisions and retractions, kept beside the code, and the gate",
            .detail =
                "A plan is a folder of the repository: one Markdown file a claim, with the records that it stands "
                "on. No claim about overlap or serialisation is acted on without an uninstrumented control, no "
                "instrumented run is quoted as product speed, and a claim that was wrong stays to be seen.",
            .example = "confound plan check",
        },
    [CF_COMMAND_PLAN_INIT] =
        {
            .name = "plan init",
            .summary = "make the folder plan/ in the repository",
            .detail = "With an index, plan/README.md, and a place for records, plan/evidence/. What is there stays.",
            .example = "confound plan init",
        },
    [CF_COMMAND_PLAN_CLAIM] =
        {
            .name = "plan claim",
            .argument = "SENTENCE",
            .what = "the claim",
            .required = true,
            .field = FIELD(sentence),
            .summary = "record what is claimed, and from what",
            .detail = "With a record the verdict is what the variant reads, unless one is given. With only a trace, or "
                      "nothing, the verdict is given and recorded as it was; a trace is never a control. What was "
                      "already begun on the claim is named with --acted-on, and the gate says what is missing.",
            .example = "confound plan claim \"copies overlap\" --evidence RECORD.json",
        },
    [CF_COMMAND_PLAN_ACCEPT] =
        {
            .name = "plan accept",
            .argument = "ID",
            .what = "a claim",
            .required = true,
            .field = FIELD(id),
            .summary = "accept a claim that a control bears out",
            .detail =
                "Refused unless the claim's evidence holds a valid uninstrumented control that agrees with it. ID "
                "is a claim's id, the beginning of it, its number or its file.",
            .example = "confound plan accept 1 --evidence RECORD.json",
        },
    [CF_COMMAND_PLAN_ACT] =
        {
            .name = "plan act",
            .argument = "ID",
            .what = "a claim",
            .required = true,
            .field = FIELD(id),
            .summary = "name the work that is begun on a claim",
            .detail = "Refused unless the claim's evidence holds a valid uninstrumented control that agrees with it.",
            .example = "confound plan act 1 --work \"move the copies to a stream of their own\"",
        },
    [CF_COMMAND_PLAN_RETRACT] =
        {
            .name = "plan retract",
            .argument = "ID",
            .what = "a claim",
            .required = true,
            .field = FIELD(id),
            .summary = "retract a claim that a control contradicts",
            .detail = "The claim and its first verdict stay in its file, with what overturned it, why, and what became "
                      "of each piece of work that was begun on it.",
            .example = "confound plan retract 1 --evidence RECORD.json --because \"the events did it\"",
        },
    [CF_COMMAND_PLAN_SHOW] =
        {
            .name = "plan show",
            .argument = "[ID]",
            .what = "a claim",
            .field = FIELD(id),
            .summary = "print the plan, retracted claims struck through",
            .detail = "Without ID the index in plan/README.md is brought up to date, too.",
            .example = "confound plan show --format markdown",
        },
    [CF_COMMAND_PLAN_QUOTE] =
        {
            .name = "plan quote",
            .argument = "RECORD.json",
            .what = "a record",
            .required = true,
            .field = FIELD(record_path),
            .complete = CF_COMPLETE_FILE,
            .summary = "print a figure of a record, with a marker, for a document",
            .detail = "The gate holds the figure in the document against the record. An instrument's figure is refused "
                      "as product speed; --as-instrumented prints it with the words that say so.",
            .example = "confound plan quote plan/evidence/RECORD.json --figure ab_ms",
        },
    [CF_COMMAND_PLAN_CHECK] =
        {
            .name = "plan check",
            .argument = "[PATH...]",
            .what = "a document",
            .many = true,
            .field = FIELD(paths),
            .complete = CF_COMPLETE_FILE,
            .summary = "the gate: exit with 1 where a rule of the plan is broken",
            .detail =
                "All claims are checked, their records judged again, and the figures that carry a marker in all "
                "Markdown files that git does not ignore, or in the documents that are named. With --against, nothing "
                "that was "
                "recorded in that revision may be deleted or edited. Nothing is written, and no device is needed.",
            .example = "confound plan check --against origin/main --format github",
        },
    [CF_COMMAND_HELP] =
        {
            .name = "help",
            .argument = "[COMMAND]",
            .what = "a command",
            .field = FIELD(name),
            .complete = CF_COMPLETE_COMMAND,
            .summary = "explain the program or one of its commands",
            .detail = "confound COMMAND --help prints the same.",
            .example = "confound help run",
        },
    [CF_COMMAND_VERSION] = {.name = "--version", .summary = "print the version"},
};

const char *const cf_command_names[] = {"run",    "exec", "judge", "report", "devices",
                                        "models", "jobs", "plan",  "help",   NULL};
const char *const cf_plan_command_names[] = {"init", "claim", "accept", "act", "retract",
                                             "show", "quote", "check",  NULL};

const cf_option_spec cf_option_specs[] = {
    {
        .name = "arm",
        .argument = "NAME=PREFIX",
        .commands = EXEC,
        .variable = "CONFOUND_ARM",
        .kind = CF_VALUE_STRINGS,
        .field = FIELD(arms),
        .help = "an arm: what stands before the program; may be repeated; none= is always there",
    },
    {
        .name = "metric",
        .argument = "wall|cpu|REGEX|file:PATH:KEY",
        .commands = EXEC,
        .variable = "CONFOUND_METRIC",
        .kind = CF_VALUE_STRING,
        .field = FIELD(metric),
        .help =
            "the number of a run: its wall time, its processor time, what it prints (one group), what it writes into a "
            "file (wall)",
    },
    {
        .name = "better",
        .argument = "lower|higher",
        .commands = EXEC,
        .variable = "CONFOUND_BETTER",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(better),
        .words = better_words,
        .complete = CF_COMPLETE_WORDS,
        .help = "which numbers are better (lower)",
    },
    {
        .name = "unit",
        .argument = "UNIT",
        .commands = EXEC,
        .variable = "CONFOUND_UNIT",
        .kind = CF_VALUE_STRING,
        .field = FIELD(unit),
        .help = "unit of the number, as it is shown: tok/s",
    },
    {
        .name = "margin",
        .argument = "PERCENT",
        .commands = EXEC,
        .variable = "CONFOUND_EXEC_MARGIN",
        .kind = CF_VALUE_DOUBLE,
        .field = FIELD(percent),
        .low = 0.1,
        .high = 99,
        .help = "how much an arm may change the number and be clear, in percent (5)",
    },
    {
        .name = "timeout",
        .argument = "SECONDS",
        .commands = EXEC,
        .variable = "CONFOUND_TIMEOUT",
        .kind = CF_VALUE_DOUBLE,
        .field = FIELD(timeout_s),
        .low = 0.001,
        .high = 1e9,
        .help = "end a run and all that it started after so long; its arm has ended then (never)",
    },
    {
        .name = "keep",
        .argument = "FOLDER",
        .commands = EXEC,
        .variable = "CONFOUND_KEEP",
        .kind = CF_VALUE_STRING,
        .field = FIELD(keep),
        .complete = CF_COMPLETE_FILE,
        .help = "where what each run prints is kept (RECORD.runs beside the record)",
    },
    {
        .name = "toggle",
        .argument = "timing",
        .commands = EXEC,
        .variable = "CONFOUND_TOGGLE",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(toggle),
        .words = toggle_words,
        .complete = CF_COMPLETE_WORDS,
        .help = "no arms: turn the program's own timing flags from step to step inside one process",
    },
    {
        .name = "step",
        .argument = "sync|call:NAME|mark",
        .commands = EXEC,
        .variable = "CONFOUND_STEP",
        .kind = CF_VALUE_STRING,
        .field = FIELD(step),
        .help = "with --toggle: a step ends with a wait for the device, a call of NAME, or a mark (sync)",
    },
    {
        .name = "after",
        .argument = "SECONDS",
        .commands = EXEC,
        .variable = "CONFOUND_AFTER",
        .kind = CF_VALUE_DOUBLE,
        .field = FIELD(after_s),
        .low = 0,
        .high = 1e9,
        .help = "with --toggle: the program runs for so long as shipped before steps are looked for (0)",
    },
    {
        .name = "device",
        .argument = "NAME",
        .commands = RUN,
        .variable = "CONFOUND_DEVICE",
        .kind = CF_VALUE_STRING,
        .field = FIELD(device),
        .complete = CF_COMPLETE_DEVICE,
        .help = "the device to measure (confound devices lists them)",
    },
    {
        .name = "model",
        .argument = "NAME|FILE",
        .commands = RUN,
        .variable = "CONFOUND_MODEL",
        .kind = CF_VALUE_STRING,
        .field = FIELD(model),
        .complete = CF_COMPLETE_MODEL,
        .help = "the model that sim and soft execute: a built-in name or a file",
    },
    {
        .name = "set",
        .argument = "SECTION.KEY=VALUE",
        .commands = RUN,
        .variable = "CONFOUND_SET",
        .kind = CF_VALUE_STRINGS,
        .field = FIELD(sets),
        .help = "change one value of the job or the model, such as lane.a.count=8",
    },
    {
        .name = "instruments",
        .argument = "LIST",
        .commands = RUN,
        .variable = "CONFOUND_INSTRUMENTS",
        .kind = CF_VALUE_STRING,
        .field = FIELD(instruments),
        .complete = CF_COMPLETE_INSTRUMENT,
        .help = "the instruments on trial, separated by commas or blanks",
    },
    {
        .name = "rounds",
        .argument = "N",
        .commands = RUN | EXEC,
        .variable = "CONFOUND_ROUNDS",
        .kind = CF_VALUE_U64,
        .field = FIELD(rounds),
        .min = 1,
        .max = 1000000,
        .help = "at most N rounds (120)",
    },
    {
        .name = "min-rounds",
        .argument = "N",
        .commands = RUN | EXEC,
        .variable = "CONFOUND_MIN_ROUNDS",
        .kind = CF_VALUE_U64,
        .field = FIELD(min_rounds),
        .min = 1,
        .max = 1000000,
        .help = "no decision before round N (12)",
    },
    {
        .name = "margin",
        .argument = "X",
        .commands = RUN | JUDGE,
        .variable = "CONFOUND_MARGIN",
        .kind = CF_VALUE_DOUBLE,
        .field = FIELD(margin),
        .low = 0.001,
        .high = 0.999,
        .help = "how much overlap an instrument may remove or add and be clear (0.1); of a metric a fraction: 0.05",
    },
    {
        .name = "seed",
        .argument = "N",
        .commands = RUN | EXEC,
        .variable = "CONFOUND_SEED",
        .kind = CF_VALUE_U64,
        .field = FIELD(seed),
        .max = (UINT64_C(1) << 53) - 1,
        .help = "seed of the order of the cells and of a model's noise (a fresh one)",
    },
    {
        .name = "output",
        .letter = 'o',
        .argument = "RECORD.json",
        .commands = RUN | EXEC,
        .variable = "CONFOUND_OUTPUT",
        .kind = CF_VALUE_STRING,
        .field = FIELD(output),
        .complete = CF_COMPLETE_FILE,
        .help = "where the record goes; of a set, its own document",
    },
    {
        /* A variable of its own: the one of `run` names a record, which a report must not overwrite. */
        .name = "output",
        .letter = 'o',
        .argument = "FILE|-",
        .commands = REPORT,
        .variable = "CONFOUND_REPORT_OUTPUT",
        .kind = CF_VALUE_STRING,
        .field = FIELD(output),
        .complete = CF_COMPLETE_FILE,
        .help = "where the report goes (standard output)",
    },
    {
        .name = "html",
        .argument = "FILE|-",
        .commands = REPORT,
        .variable = "CONFOUND_REPORT_HTML",
        .kind = CF_VALUE_STRING,
        .field = FIELD(html),
        .complete = CF_COMPLETE_FILE,
        .help = "write a page with charts to FILE; text too only where --format or --output asks for it",
    },
    {
        .name = "json",
        .argument = "FILE|-",
        .commands = RUN | EXEC | JUDGE,
        .variable = "CONFOUND_JSON",
        .kind = CF_VALUE_STRING,
        .field = FIELD(json),
        .complete = CF_COMPLETE_FILE,
        .help = "where the judgement goes, or a set's own document; with - it alone is on standard output",
    },
    {
        .name = "json",
        .commands = DEVICES,
        .variable = "CONFOUND_DEVICES_JSON",
        .kind = CF_VALUE_FLAG,
        .field = FIELD(list_json),
        .help = "print JSON",
    },
    {
        .name = "format",
        .argument = "text|markdown|csv|json",
        .commands = EXEC | REPORT,
        .variable = "CONFOUND_FORMAT",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(format),
        .words = format_words,
        .complete = CF_COMPLETE_WORDS,
        .help = "what is printed (text)",
    },
    {
        .name = "expect",
        .argument = "clear|confounded|inconclusive",
        .commands = RUN | EXEC | JUDGE,
        .variable = "CONFOUND_EXPECT",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(expect),
        .words = expect_words,
        .complete = CF_COMPLETE_WORDS,
        .help = "exit with 1 on another verdict, with 3 where it is inconclusive",
    },
    {
        .name = "resume",
        .argument = "RECORD",
        .commands = RUN | EXEC,
        .variable = "CONFOUND_RESUME",
        .kind = CF_VALUE_STRING,
        .field = FIELD(resume),
        .complete = CF_COMPLETE_FILE,
        .help = "go on with a record, with the RECORD.json.part that a killed run left, or with what a set lacks",
    },
    {
        .name = "against",
        .argument = "JOB2.ini",
        .commands = RUN,
        .variable = "CONFOUND_AGAINST",
        .kind = CF_VALUE_STRING,
        .field = FIELD(against),
        .complete = CF_COMPLETE_JOB,
        .help = "measure a second design in the same rounds: does it pay?",
    },
    {
        .name = "processes",
        .argument = "N",
        .commands = RUN,
        .variable = "CONFOUND_PROCESSES",
        .kind = CF_VALUE_U64,
        .field = FIELD(processes),
        .min = 1,
        .max = 100,
        .help = "repeat the whole run in N fresh processes; N for each value or point of a set",
    },
    {
        .name = "vary-env",
        .argument = "NAME=V1,V2,...",
        .commands = RUN,
        .variable = "CONFOUND_VARY_ENV",
        .kind = CF_VALUE_STRING,
        .field = FIELD(vary_env),
        .help = "a process for each value of a variable of the environment, in random order; an empty value unsets it",
    },
    {
        .name = "sweep",
        .argument = "KEY=FROM..TO[:STEPS]",
        .commands = RUN,
        .variable = "CONFOUND_SWEEP",
        .kind = CF_VALUE_STRING,
        .field = FIELD(sweep),
        .help = "a process for each point of a key of --set, in even ratios, or KEY=V1,V2,...: where does it matter?",
    },
    {
        .name = "csv",
        .argument = "FILE|-",
        .commands = RUN,
        .variable = "CONFOUND_CSV",
        .kind = CF_VALUE_STRING,
        .field = FIELD(csv),
        .complete = CF_COMPLETE_FILE,
        .help = "where a set's table goes as CSV; with - it alone is on standard output",
    },
    {
        .name = "record-env",
        .argument = "NAME",
        .commands = RUN,
        .variable = "CONFOUND_RECORD_ENV",
        .kind = CF_VALUE_STRING,
        .field = FIELD(record_env),
        .help = "a variable that the record names beside those that are known to matter",
    },
    {
        .name = "explain",
        .argument = "A,B",
        .alone = CF_EXPLAIN_AUTO,
        .commands = RUN,
        .variable = "CONFOUND_EXPLAIN",
        .kind = CF_VALUE_STRING,
        .field = FIELD(explain),
        .help = "show the commands of one step of two variants and what waited for what (auto: the control and the "
                "instrument with the largest effect)",
    },
    {
        .name = "explain",
        .argument = "A,B",
        .alone = CF_EXPLAIN_AUTO,
        .commands = REPORT,
        .variable = "CONFOUND_REPORT_EXPLAIN",
        .kind = CF_VALUE_STRING,
        .field = FIELD(explain),
        .help = "show the record's commands of two variants and what waited for what (auto: those that it has)",
    },
    {
        .name = "trace",
        .argument = "FILE|-",
        .commands = REPORT,
        .variable = "CONFOUND_REPORT_TRACE",
        .kind = CF_VALUE_STRING,
        .field = FIELD(trace),
        .complete = CF_COMPLETE_FILE,
        .help = "write the record's commands to FILE as a Chrome trace, which Perfetto opens; text as with --html",
    },
    {
        .name = "quiet",
        .letter = 'q',
        .commands = RUN | EXEC,
        .variable = "CONFOUND_QUIET",
        .kind = CF_VALUE_FLAG,
        .field = FIELD(quiet),
        .help = "no progress, no table: the verdict alone",
    },
    {
        .name = "verbose",
        .letter = 'v',
        .commands = RUN | EXEC,
        .variable = "CONFOUND_VERBOSE",
        .kind = CF_VALUE_FLAG,
        .field = FIELD(verbose),
        .help = "say more: calibration, the machine, how each variant was proven",
    },
    {
        .name = "color",
        .argument = "auto|always|never",
        .commands = RUN | EXEC | JUDGE | REPORT | SHOW,
        .variable = "CONFOUND_COLOR",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(color),
        .words = color_words,
        .complete = CF_COMPLETE_WORDS,
        .help = "colour; auto is on a terminal where NO_COLOR is not set (auto)",
    },
    {
        .name = "verdict",
        .argument = "READING",
        .commands = CLAIM,
        .variable = "CONFOUND_PLAN_VERDICT",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(reading),
        .words = cf_plan_reading_names,
        .complete = CF_COMPLETE_WORDS,
        .help =
            "how the lanes were read: serialises, partial, overlaps; of a program under an arm: slower, faster, same "
            "(the variant's own)",
    },
    {
        .name = "evidence",
        .argument = "RECORD",
        .commands = CLAIM | ACCEPT | ACT | RETRACT,
        .variable = "CONFOUND_PLAN_EVIDENCE",
        .kind = CF_VALUE_STRING,
        .field = FIELD(evidence),
        .complete = CF_COMPLETE_FILE,
        .help = "a record of the repository that the claim stands on, or falls by",
    },
    {
        .name = "variant",
        .argument = "NAME",
        .commands = CLAIM | ACCEPT | ACT | RETRACT | QUOTE,
        .variable = "CONFOUND_PLAN_VARIANT",
        .kind = CF_VALUE_STRING,
        .field = FIELD(variant),
        .help = "the record's variant that it was read from (none)",
    },
    {
        .name = "source",
        .argument = "TRACE",
        .commands = CLAIM,
        .variable = "CONFOUND_PLAN_SOURCE",
        .kind = CF_VALUE_STRING,
        .field = FIELD(source),
        .complete = CF_COMPLETE_FILE,
        .help = "a trace of the repository that it was read from",
    },
    {
        .name = "about",
        .argument = "overlap|serialisation|speed|other",
        .commands = CLAIM,
        .variable = "CONFOUND_PLAN_ABOUT",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(about),
        .words = cf_plan_about_names,
        .complete = CF_COMPLETE_WORDS,
        .help = "what it is about (as its verdict says: serialisation or overlap)",
    },
    {
        .name = "acted-on",
        .argument = "WHAT",
        .commands = CLAIM,
        .variable = "CONFOUND_PLAN_ACTED_ON",
        .kind = CF_VALUE_STRING,
        .field = FIELD(acted_on),
        .help = "what was already begun on it",
    },
    {
        .name = "since",
        .argument = "DATE",
        .commands = CLAIM | ACT,
        .variable = "CONFOUND_PLAN_SINCE",
        .kind = CF_VALUE_STRING,
        .field = FIELD(since),
        .help = "the day on which the work was begun, YYYY-MM-DD (today, in UTC)",
    },
    {
        .name = "work",
        .argument = "WHAT",
        .commands = ACT,
        .variable = "CONFOUND_PLAN_WORK",
        .kind = CF_VALUE_STRINGS,
        .field = FIELD(work),
        .help = "what is begun; may be repeated",
    },
    {
        .name = "work",
        .argument = "WHAT: FATE",
        .commands = RETRACT,
        .variable = "CONFOUND_PLAN_FATE",
        .kind = CF_VALUE_STRINGS,
        .field = FIELD(work),
        .help = "what became of a piece of work, such as \"defer the copies: withdrawn\"; one for each",
    },
    {
        .name = "because",
        .argument = "WHY",
        .commands = RETRACT,
        .variable = "CONFOUND_PLAN_BECAUSE",
        .kind = CF_VALUE_STRING,
        .field = FIELD(because),
        .help = "why it was wrong",
    },
    {
        .name = "date",
        .argument = "DATE",
        .commands = RETRACT,
        .variable = "CONFOUND_PLAN_DATE",
        .kind = CF_VALUE_STRING,
        .field = FIELD(date),
        .help = "the day of the retraction, YYYY-MM-DD (today, in UTC)",
    },
    {
        .name = "format",
        .argument = "text|markdown|json",
        .commands = SHOW,
        .variable = "CONFOUND_PLAN_SHOW_FORMAT",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(show_format),
        .words = show_words,
        .complete = CF_COMPLETE_WORDS,
        .help = "how the plan is printed (text)",
    },
    {
        .name = "figure",
        .argument = "overlap|a_ms|b_ms|ab_ms|rate|value|change",
        .commands = QUOTE,
        .variable = "CONFOUND_PLAN_FIGURE",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(figure),
        .words = cf_plan_figure_names,
        .complete = CF_COMPLETE_WORDS,
        .help = "which figure; rate is steps of both lanes a second; value and change (percent) are of a whole program",
    },
    {
        .name = "as-instrumented",
        .commands = QUOTE,
        .variable = "CONFOUND_PLAN_AS_INSTRUMENTED",
        .kind = CF_VALUE_FLAG,
        .field = FIELD(as_instrumented),
        .help = "quote an instrument's figure, with the words that say so",
    },
    {
        .name = "against",
        .argument = "GITREV",
        .commands = CHECK,
        .variable = "CONFOUND_PLAN_AGAINST",
        .kind = CF_VALUE_STRING,
        .field = FIELD(against),
        .help = "nothing that was recorded in this revision may be deleted or edited",
    },
    {
        .name = "format",
        .argument = "text|json|sarif|github",
        .commands = CHECK,
        .variable = "CONFOUND_PLAN_CHECK_FORMAT",
        .kind = CF_VALUE_CHOICE,
        .field = FIELD(check_format),
        .words = check_words,
        .complete = CF_COMPLETE_WORDS,
        .help = "how findings are printed; github annotates lines (text)",
    },
    {
        .name = "help",
        .letter = 'h',
        .commands = WORDS,
        .kind = CF_VALUE_FLAG,
        .field = FIELD(help),
        .help = "explain the command",
    },
};
_Static_assert(sizeof cf_option_specs / sizeof cf_option_specs[0] <= CF_OPTION_SPEC_MAX, "CF_OPTION_SPEC_MAX");
const size_t cf_option_spec_count = sizeof cf_option_specs / sizeof cf_option_specs[0];

const cf_word_meaning cf_other_environment[] = {
    {"NO_COLOR", "no colour where --color is auto, if it is not empty"},
    {"TERM", "dumb: no colour where --color is auto, and ASCII bars"},
    {"LC_ALL, LC_CTYPE, LANG", "bars are drawn in UTF-8 where the locale says so, else in ASCII"},
    {NULL, NULL},
};
