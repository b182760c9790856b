#include "inject/known.h"

_Atomic uint64_t cf_known_words[CF_KNOWN_PLACES];
