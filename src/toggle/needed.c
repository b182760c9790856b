#include "toggle/needed.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DYNAMIC_MAX 512u
#define NAME_BYTES  64u

const char *cf_needed_find(const char *name, char *buf, size_t buf_bytes)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path)
        path = "";
    while (*path) {
        size_t length = strcspn(path, ":");
        int wrote = snprintf(buf, buf_bytes, "%.*s%s%s", (int)length, path, length ? "/" : "", name);
        if (wrote > 0 && (size_t)wrote < buf_bytes && access(buf, X_OK) == 0)
            return buf;
        path += length + (path[length] == ':');
    }
    snprintf(buf, buf_bytes, "%s", name);
    return buf;
}

static bool read_at(FILE *file, uint64_t offset, void *to, size_t bytes)
{
    return offset < (uint64_t)1 << 40 && fseeko(file, (off_t)offset, SEEK_SET) == 0 &&
           fread(to, 1, bytes, file) == bytes;
}

static bool read_header(FILE *file, Elf64_Ehdr *ret)
{
    return read_at(file, 0, ret, sizeof *ret) && memcmp(ret->e_ident, ELFMAG, SELFMAG) == 0 &&
           ret->e_ident[EI_CLASS] == ELFCLASS64 && ret->e_phentsize == sizeof(Elf64_Phdr);
}

/* The place in the file of an address in memory; 0 = none. */
static uint64_t place_of(FILE *file, const Elf64_Ehdr *header, uint64_t address)
{
    for (int i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr part;
        if (!read_at(file, header->e_phoff + (uint64_t)i * sizeof part, &part, sizeof part))
            return 0;
        if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
            return part.p_offset + (address - part.p_vaddr);
    }
    return 0;
}

static size_t read_dynamic(FILE *file, const Elf64_Ehdr *header, Elf64_Dyn *ret)
{
    for (int i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr part;
        if (!read_at(file, header->e_phoff + (uint64_t)i * sizeof part, &part, sizeof part))
            return 0;
        if (part.p_type != PT_DYNAMIC)
            continue;
        size_t count = part.p_filesz / sizeof *ret;
        count = count > DYNAMIC_MAX ? DYNAMIC_MAX : count;
        return read_at(file, part.p_offset, ret, count * sizeof *ret) ? count : 0;
    }
    return 0;
}

static void find_sanitizer(FILE *file, char *buf, size_t buf_bytes)
{
    Elf64_Ehdr header;
    Elf64_Dyn dynamic[DYNAMIC_MAX];
    if (!read_header(file, &header))
        return;
    size_t count = read_dynamic(file, &header, dynamic);
    uint64_t strings = 0;
    for (size_t i = 0; i < count; i++)
        if (dynamic[i].d_tag == DT_STRTAB)
            strings = place_of(file, &header, dynamic[i].d_un.d_ptr);
    for (size_t i = 0; i < count && strings; i++) {
        char name[NAME_BYTES] = "";
        if (dynamic[i].d_tag != DT_NEEDED || fseeko(file, (off_t)(strings + dynamic[i].d_un.d_val), SEEK_SET) != 0)
            continue;
        size_t got = fread(name, 1, sizeof name - 1, file);
        name[got] = '\0';
        if (strncmp(name, "libasan.so", 10) == 0 && strlen(name) < buf_bytes) {
            snprintf(buf, buf_bytes, "%s", name);
            return;
        }
    }
}

const char *cf_needed_sanitizer(const char *path, char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return buf;
    find_sanitizer(file, buf, buf_bytes);
    (void)fclose(file);
    return buf;
}
