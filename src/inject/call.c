/* Steps that a named function of a library delimits (call:NAME): the places in which the loaded libraries keep its
   address are made to hold ours, which notes the step and goes on to it with all that its caller gave. A call inside
   the library that has NAME is not seen, nor is one in a program that was linked statically. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/inject.h"

__attribute__((visibility("hidden"))) extern void cf_inject_call_entry(void); /* entry.S */
__attribute__((visibility("hidden"))) cf_inject_function cf_inject_call_next;
__attribute__((visibility("hidden"))) void cf_inject_call_hit(void);

void cf_inject_call_hit(void)
{
    if (cf_inject_begin())
        cf_inject_marked();
}

/* Whether a library has it as data, which is nothing to call. */
static bool is_data(cf_inject_function found)
{
    Dl_info info;
    const Elf64_Sym *symbol = NULL;
    return dladdr1(cf_inject_address_of(found), &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
           (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT || ELF64_ST_TYPE(symbol->st_info) == STT_COMMON);
}

cf_inject_function cf_inject_call_wrap(const char *name, cf_inject_function found)
{
    const char *wanted = cf_inject_step_call();
    if (!wanted || !found || strcmp(name, wanted) != 0 || found == cf_inject_call_entry || is_data(found))
        return found;
    cf_inject_function none = NULL;
    __atomic_compare_exchange_n(&cf_inject_call_next, &none, found, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    /* another function of that name stays what it is */
    return __atomic_load_n(&cf_inject_call_next, __ATOMIC_ACQUIRE) == found ? cf_inject_call_entry : found;
}

typedef struct tables { /* of one library */
    const Elf64_Sym *symbols;
    const char *strings;
    const Elf64_Rela *relocations, *calls;
    size_t relocation_bytes, call_bytes;
} tables;

static const void *address_of(Elf64_Addr base, Elf64_Addr value)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): as the loader has it */
    return (const void *)(value < base ? base + value : value);
}

static bool find_tables(const struct dl_phdr_info *info, tables *ret)
{
    *ret = (tables){0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const Elf64_Dyn *dynamic = (const Elf64_Dyn *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); /* NOLINT */
        for (; dynamic->d_tag != DT_NULL; dynamic++) {
            const void *at = address_of(info->dlpi_addr, dynamic->d_un.d_ptr);
            switch (dynamic->d_tag) {
            case DT_SYMTAB:
                ret->symbols = at;
                break;
            case DT_STRTAB:
                ret->strings = at;
                break;
            case DT_RELA:
                ret->relocations = at;
                break;
            case DT_JMPREL:
                ret->calls = at;
                break;
            case DT_RELASZ:
                ret->relocation_bytes = dynamic->d_un.d_val;
                break;
            case DT_PLTRELSZ:
                ret->call_bytes = dynamic->d_un.d_val;
                break;
            case DT_PLTREL:
                if (dynamic->d_un.d_val != DT_RELA)
                    return false;
                break;
            default:
                break;
            }
        }
    }
    return ret->symbols && ret->strings;
}

static bool holds_function(unsigned long type)
{
#if defined(__x86_64__)
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#else
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#endif
}

static void write_place(cf_inject_function *place, cf_inject_function value)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)place & ~(page - 1);
    /* a place that the loader made read-only stays writable: what is beside it may be bound only later */
    if (mprotect((void *)begin, page, PROT_READ | PROT_WRITE) == 0) /* NOLINT(performance-no-int-to-ptr) */
        __atomic_store_n(place, value, __ATOMIC_RELEASE);
}

/* A place that is not bound yet still holds the library's own stub, and would be written when it is. */
static cf_inject_function bound(const struct dl_phdr_info *info, const char *name, cf_inject_function found)
{
    Dl_info where;
    if (dladdr(cf_inject_address_of(found), &where) && where.dli_fbase &&
        (uintptr_t)where.dli_fbase == info->dlpi_addr) {
        void *global = cf_inject_dl_find(RTLD_DEFAULT, name);
        if (global)
            return cf_inject_function_at(global);
        void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
        void *own = handle ? cf_inject_dl_find(handle, name) : NULL;
        if (handle)
            dlclose(handle);
        return cf_inject_function_at(own);
    }
    return found;
}

static void patch(const struct dl_phdr_info *info, const tables *t, const Elf64_Rela *relocations, size_t bytes,
                  const char *name)
{
    for (size_t i = 0; i < bytes / sizeof *relocations; i++) {
        const Elf64_Rela *r = &relocations[i];
        if (!holds_function(ELF64_R_TYPE(r->r_info)) || r->r_addend != 0 ||
            strcmp(t->strings + t->symbols[ELF64_R_SYM(r->r_info)].st_name, name) != 0)
            continue;
        cf_inject_function *place = (cf_inject_function *)(info->dlpi_addr + r->r_offset); /* NOLINT */
        cf_inject_function found = bound(info, name, *place), wrapped = cf_inject_call_wrap(name, found);
        if (found && wrapped != found)
            write_place(place, wrapped);
    }
}

static int patch_one(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    tables t;
    Dl_info own;
    if (dladdr(cf_inject_address_of(cf_inject_call_hit), &own) && (uintptr_t)own.dli_fbase == info->dlpi_addr)
        return 0;
    if (find_tables(info, &t)) {
        patch(info, &t, t.relocations, t.relocation_bytes, user);
        patch(info, &t, t.calls, t.call_bytes, user);
    }
    return 0;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(unsigned long long *)user = info->dlpi_adds;
    return 1;
}

void cf_inject_call_patch(void)
{
    static _Atomic unsigned long long patched;
    const char *name = cf_inject_step_call();
    unsigned long long loads = 0;
    dl_iterate_phdr(count_loads, &loads);
    if (!name || atomic_exchange(&patched, loads) == loads)
        return;
    dl_iterate_phdr(patch_one, (void *)(uintptr_t)name); /* NOLINT(performance-no-int-to-ptr): it is only read */
}
