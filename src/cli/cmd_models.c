#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "model/model.h"

int cf_cmd_models(const cf_options *options)
{
    cf_listing listing = {.noun = "model", .print_hint = "confound models NAME prints one"};
    for (const cf_model_builtin *model = cf_model_builtins; model->name; model++)
        cf_listing_add(&listing, model->name, model->text);
    return cf_listing_show(&listing, options->name);
}
