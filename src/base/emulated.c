#include "base/emulated.h"

#include <dlfcn.h>

const cf_emulated *cf_emulated_find(void)
{
    const cf_emulated *found = dlsym(RTLD_DEFAULT, CF_EMULATED_SYMBOL);
    return found && found->version == CF_EMULATED_VERSION ? found : NULL;
}
