/* How a program runs where the drivers need a newer C library than the system's: through that library's loader, which
   has to be named anew at each exec; scripts too, for their interpreter. Allocates nothing: exec is called between fork
   and exec. */
#ifndef CF_EMULATOR_TRANSLATE_H
#define CF_EMULATOR_TRANSLATE_H

#include <limits.h>
#include <sys/types.h>

#include "emulator/session.h"

#define CF_EMU_HEAD_BYTES 4096
#define CF_EMU_WORDS_MORE 11 /* words that are put before a program's, and the NULL */

typedef struct cf_emu_head {
    char bytes[CF_EMU_HEAD_BYTES];
    ssize_t length;
} cf_emu_head;

bool cf_emu_head_read(const char *path, cf_emu_head *ret);
size_t cf_emu_words_count(char *const words[]);
/* Puts what runs path before argv's words, into words (room for CF_EMU_WORDS_MORE more). Returns the file to execute;
   NULL = path runs as it is, without the device: it is static, or of another machine. file: path's head, kept by the
   caller as long as words, and changed. */
const char *cf_emu_translate(const cf_emu_session *session, const char *path, char *const argv[], cf_emu_head *file,
                             char **words);
/* Where a name without a slash is found, as execvp looks; NULL = nowhere. */
const char *cf_emu_find_program(const char *name, char buf[PATH_MAX]);

#endif
