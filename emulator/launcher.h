/* confound-emulate: runs a program on the emulated GPU. */
#ifndef CF_EMULATOR_LAUNCHER_H
#define CF_EMULATOR_LAUNCHER_H

#include "emulator/session.h"

typedef struct cf_emu_builtin {
    const char *name, *text;
} cf_emu_builtin;
extern const cf_emu_builtin cf_emu_builtins[]; /* emulator/models/, NULL-terminated; made by the build */

typedef struct cf_emu_options {
    const char *model, *drivers, *timeline, *spans, *log, *trace;
    bool quiet;               /* kernels that were not executed are not told of */
    const char *settings[32]; /* NULL-terminated */
    char **program;           /* NULL-terminated, at least one */
} cf_emu_options;

/* From one table the help, the manual and the parser. */
typedef struct cf_emu_option {
    const char *name, *argument; /* argument: NULL = it takes none */
    const char *about;           /* one line, no full stop */
    size_t place;                /* in cf_emu_options: where its value goes, or that it was given */
    void (*answer)(void);        /* instead: prints, and nothing is run */
} cf_emu_option;
extern const cf_emu_option cf_emu_option_list[]; /* ends with a name of NULL */
extern const char cf_emu_summary[], cf_emu_detail[], cf_emu_exits[];

typedef struct cf_emu_drivers {
    char libraries[CF_EMU_PATH];  /* folder */
    char level_zero[CF_EMU_PATH]; /* the drivers' files; "" = absent */
    char opencl[CF_EMU_PATH];
    char loader[CF_EMU_PATH]; /* ld.so to run programs through; "" = the system's will do */
} cf_emu_drivers;

/* 0 = go on; else end with *ret_exit. */
int cf_emu_options_parse(int argc, char **argv, cf_emu_options *ret_options, int *ret_exit);
cf_status cf_emu_model_find(const char *name, const char *const *settings, cf_emu_model *ret_model,
                            cf_error *err) CF_MUST_CHECK;
/* wanted: a folder, NULL = where they are looked for. NO_DEVICE with what is missing and what to do. */
cf_status cf_emu_drivers_find(const char *wanted, cf_emu_drivers *ret_drivers, cf_error *err) CF_MUST_CHECK;
/* The program's exit status; 128 + its signal. */
cf_status cf_emu_launch(const cf_emu_options *options, const cf_emu_model *model, const cf_emu_drivers *drivers,
                        int *ret_exit, cf_error *err) CF_MUST_CHECK;

#endif
