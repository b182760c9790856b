#include "toggle/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dl.h"

#define SYMBOL_BYTES 4096 /* templates have long names */

typedef struct image {
    const unsigned char *bytes;
    uint64_t size;
} image;

/* count items at offset, NULL where they are not all in the file. */
static const void *at(const image *i, uint64_t offset, uint64_t count, uint64_t item_bytes)
{
    if (offset > i->size || count > (i->size - offset) / item_bytes || offset % 8 != 0)
        return NULL;
    return i->bytes + offset;
}

static const Elf64_Ehdr *header_of(const image *i)
{
    const Elf64_Ehdr *header = at(i, 0, 1, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    return header;
}

/* The address that is loaded at the file's beginning in memory. */
static uint64_t first_address(const image *i, const Elf64_Ehdr *header)
{
    const Elf64_Phdr *parts = at(i, header->e_phoff, header->e_phnum, sizeof *parts);
    uint64_t first = UINT64_MAX;
    for (unsigned n = 0; parts && n < header->e_phnum; n++)
        if (parts[n].p_type == PT_LOAD && parts[n].p_vaddr < first)
            first = parts[n].p_vaddr & ~UINT64_C(0xfff);
    return first == UINT64_MAX ? 0 : first;
}

static bool find_in(const image *i, const Elf64_Shdr *table, const Elf64_Shdr *names, uint64_t address, char *buf,
                    size_t buf_bytes)
{
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbols = at(i, table->sh_offset, count, sizeof *symbols);
    if (!symbols || names->sh_offset > i->size || names->sh_size > i->size - names->sh_offset)
        return false;
    const char *texts = (const char *)i->bytes + names->sh_offset;
    for (uint64_t n = 0; n < count; n++) {
        const Elf64_Sym *s = &symbols[n];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || address < s->st_value || address - s->st_value >= s->st_size ||
            s->st_name >= names->sh_size)
            continue;
        snprintf(buf, buf_bytes, "%.*s", (int)strnlen(texts + s->st_name, names->sh_size - s->st_name),
                 texts + s->st_name);
        return true;
    }
    return false;
}

static bool find(const image *i, uint64_t offset, char *buf, size_t buf_bytes)
{
    static const unsigned types[] = {SHT_SYMTAB, SHT_DYNSYM};
    const Elf64_Ehdr *header = header_of(i);
    const Elf64_Shdr *sections = header ? at(i, header->e_shoff, header->e_shnum, sizeof *sections) : NULL;
    if (!sections)
        return false;
    uint64_t address = offset + first_address(i, header);
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (unsigned n = 0; n < header->e_shnum; n++)
            if (sections[n].sh_type == types[t] && sections[n].sh_link < header->e_shnum &&
                find_in(i, &sections[n], &sections[sections[n].sh_link], address, buf, buf_bytes))
                return true;
    return false;
}

bool cf_symbol_find(const char *path, uint64_t offset, char *buf, size_t buf_bytes)
{
    struct stat about;
    buf[0] = '\0';
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    void *map = MAP_FAILED;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
        map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    (void)close(file);
    if (map == MAP_FAILED)
        return false;
    const image mapped = {.bytes = map, .size = (uint64_t)about.st_size};
    bool found = find(&mapped, offset, buf, buf_bytes);
    (void)munmap(map, (size_t)about.st_size);
    return found;
}

/* The demangler of the C++ runtime (the Itanium C++ ABI has it as a function): as well kept as the compiler, and there
   wherever a program in C++ runs. Without one the name stays as it is in the file. */
typedef struct demangler {
    char *(*demangle)(const char *name, char *buf, size_t *length, int *status);
} demangler;

/* Without the list of arguments at the end, nor what follows it: a function is told by its name here. */
static void cut_arguments(char *name)
{
    char *end = strrchr(name, ')');
    int depth = 0;
    for (char *c = end; c && c > name; c--) {
        depth += *c == ')';
        depth -= *c == '(';
        if (depth == 0) {
            *c = '\0';
            return;
        }
    }
}

static void demangle(char *symbol, size_t symbol_bytes)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", NULL};
    static const cf_dl_symbol table[] = {{"__cxa_demangle", offsetof(demangler, demangle), false}};
    demangler found = {NULL};
    cf_dl *library = NULL;
    cf_error ignored;
    if (strncmp(symbol, "_Z", 2) != 0 || cf_dl_open(NULL, libraries, &library, &ignored))
        return;
    int status = -1;
    char *plain = cf_dl_load(library, table, 1, &found, &ignored) ? NULL : found.demangle(symbol, NULL, NULL, &status);
    if (plain && status == 0) {
        cut_arguments(plain);
        snprintf(symbol, symbol_bytes, "%s", plain);
    }
    free(plain);
    cf_dl_close(library);
}

static bool is_runtime(const char *symbol)
{
    return strncmp(symbol, "cuda", 4) == 0 || strncmp(symbol, "libcudart_static", 16) == 0;
}

/* A return address is behind its call, which may be a function's last instruction. */
const char *cf_symbol_of_site(const cf_wire_site *site, char *buf, size_t buf_bytes)
{
    char symbol[SYMBOL_BYTES];
    for (unsigned i = 0; i < CF_WIRE_FRAMES && site->frames[i]; i++) {
        if (!cf_symbol_find(site->library, site->frames[i] - 1, symbol, sizeof symbol) || is_runtime(symbol))
            continue;
        demangle(symbol, sizeof symbol);
        bool fits = strlen(symbol) < CF_WIRE_TEXT;
        snprintf(buf, buf_bytes, "%.*s%s (+0x%llx)", fits ? SYMBOL_BYTES : (int)CF_WIRE_TEXT - 4, symbol,
                 fits ? "" : "...", (unsigned long long)site->frames[i]);
        return buf;
    }
    snprintf(buf, buf_bytes, "+0x%llx", (unsigned long long)site->frames[0]);
    return buf;
}
