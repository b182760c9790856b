#include <stdio.h>

#include "emulator/launcher.h"

static int failed(const cf_error *err)
{
    fprintf(stderr, "confound-emulate: %s\n", err->text);
    return err->status == CF_IO ? 5 : cf_status_exit(err->status);
}

int main(int argc, char **argv)
{
    cf_emu_options options;
    cf_emu_model model;
    cf_emu_drivers drivers;
    cf_error err = {.status = CF_OK};
    int status = 0;
    if (cf_emu_options_parse(argc, argv, &options, &status) != 0)
        return status;
    if (cf_emu_model_find(options.model, options.settings, &model, &err) != CF_OK ||
        cf_emu_drivers_find(options.drivers, &drivers, &err) != CF_OK ||
        cf_emu_launch(&options, &model, &drivers, &status, &err) != CF_OK)
        return failed(&err);
    return status;
}
