#include "emulator/translate.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum kind { OTHER, DYNAMIC, SCRIPT } kind;

bool cf_emu_head_read(const char *path, cf_emu_head *ret)
{
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    ret->length = read(fd, ret->bytes, sizeof ret->bytes - 1);
    (void)syscall(SYS_close, fd);
    if (ret->length < 0)
        return false;
    ret->bytes[ret->length] = 0;
    return true;
}

static bool is_dynamic(const cf_emu_head *file)
{
    Elf64_Ehdr elf;
    if (file->length < (ssize_t)sizeof elf)
        return false;
    memcpy(&elf, file->bytes, sizeof elf);
    if (memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != EM_X86_64)
        return false;
    for (unsigned i = 0; i < elf.e_phnum; i++) {
        Elf64_Phdr segment;
        const uint64_t at = elf.e_phoff + (uint64_t)i * elf.e_phentsize;
        if (at > CF_EMU_HEAD_BYTES || at + sizeof segment > (uint64_t)file->length)
            return false;
        memcpy(&segment, file->bytes + at, sizeof segment);
        if (segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static kind kind_of(const cf_emu_head *file)
{
    if (file->length > 2 && file->bytes[0] == '#' && file->bytes[1] == '!')
        return SCRIPT;
    return is_dynamic(file) ? DYNAMIC : OTHER;
}

size_t cf_emu_words_count(char *const words[])
{
    size_t count = 0;
    while (words && words[count])
        count++;
    return count;
}

/* `#! INTERPRETER [ARGUMENT]`, as the kernel reads it: what follows the interpreter is one word. Cuts the head's text.
 */
static bool split_script(cf_emu_head *file, char **ret_interpreter, char **ret_argument)
{
    char *at = file->bytes + 2, *end = strchr(file->bytes, '\n');
    if (!end)
        return false;
    *end = 0;
    at += strspn(at, " \t");
    if (!*at)
        return false;
    *ret_interpreter = at;
    at += strcspn(at, " \t");
    *ret_argument = NULL;
    if (*at) {
        *at++ = 0;
        at += strspn(at, " \t");
        for (char *last = at + strlen(at); last > at && strchr(" \t\r", last[-1]);)
            *--last = 0;
        *ret_argument = *at ? at : NULL;
    }
    return true;
}

const char *cf_emu_translate(const cf_emu_session *session, const char *path, char *const argv[], cf_emu_head *file,
                             char **words)
{
    static char library_path[] = "--library-path", preload[] = "--preload", argv0[] = "--argv0";
    union {
        const char *constant;
        char *text;
    } program = {.constant = path}, loader = {.constant = session->loader},
      libraries = {.constant = session->libraries}, object = {.constant = session->object};
    char *interpreter = NULL, *argument = NULL;
    size_t n = 0, first = 0;
    kind what = kind_of(file);
    if (what == SCRIPT && split_script(file, &interpreter, &argument)) {
        cf_emu_head other;
        if (!cf_emu_head_read(interpreter, &other))
            return NULL;
        what = kind_of(&other) == DYNAMIC ? SCRIPT : OTHER; /* an interpreter that is a script: the kernel's business */
    }
    if (what == OTHER)
        return NULL;
    words[n++] = loader.text;
    words[n++] = library_path;
    words[n++] = libraries.text;
    words[n++] = preload;
    words[n++] = object.text;
    words[n++] = argv0;
    if (what == SCRIPT) {
        words[n++] = interpreter;
        words[n++] = interpreter;
        if (argument)
            words[n++] = argument;
        words[n++] = program.text;
        first = argv[0] != NULL;
    } else {
        words[n++] = argv[0] ? argv[0] : program.text;
        words[n++] = program.text;
        first = argv[0] != NULL;
    }
    const size_t count = cf_emu_words_count(argv);
    for (size_t i = first; i < count; i++)
        words[n++] = argv[i];
    words[n] = NULL;
    return session->loader;
}

const char *cf_emu_find_program(const char *name, char buf[PATH_MAX])
{
    const char *folders = getenv("PATH");
    if (!folders)
        folders = "/bin:/usr/bin";
    if (strchr(name, '/'))
        return name;
    while (*name) {
        const size_t length = strcspn(folders, ":");
        const int wrote = length ? snprintf(buf, PATH_MAX, "%.*s/%s", (int)length, folders, name)
                                 : snprintf(buf, PATH_MAX, "./%s", name);
        if (wrote > 0 && wrote < PATH_MAX && access(buf, X_OK) == 0)
            return buf;
        if (!folders[length])
            return NULL;
        folders += length + 1;
    }
    return NULL;
}
