/* What a call site is called: names of C as they are, names of C++ as in the source, without arguments. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "toggle/symbol.h"

#define PLACE(function, name)                                                                                          \
    __attribute__((noinline, used)) void function(void) __asm__(name);                                                 \
    void function(void)                                                                                                \
    {                                                                                                                  \
        __asm__ volatile("nop");                                                                                       \
    }

PLACE(of_c, "of_c")
PLACE(member, "_ZNK3c104cuda4impl13CUDAGuardImpl6recordEPPvRKNS_6StreamEaNS_9EventFlagE")
PLACE(local, "_ZL16THCPEvent_recordP7_objectS0_")
PLACE(unnamed, "_ZN12_GLOBAL__N_13barEPFivE")
PLACE(call_operator, "_ZN3fooclEv")
PLACE(broken, "_ZN3fo")

static void site_of(void (*function)(void), char *buf, size_t buf_bytes)
{
    Dl_info info;
    cf_wire_site site = {.records = 1};
    ssize_t length = readlink("/proc/self/exe", site.library, sizeof site.library - 1);
    void *address = NULL;
    memcpy(&address, &function, sizeof address);
    assert_in_range(length, 1, sizeof site.library - 2);
    assert_int_not_equal(dladdr(address, &info), 0);
    site.frames[0] = (uint64_t)((const char *)address - (const char *)info.dli_fbase) + 1;
    cf_symbol_of_site(&site, buf, buf_bytes);
    char *blank = strstr(buf, " (+0x");
    assert_non_null(blank);
    *blank = '\0';
}

static void a_name_of_c_stays(void **state)
{
    char buf[512];
    (void)state;
    site_of(of_c, buf, sizeof buf);
    assert_string_equal(buf, "of_c");
    site_of(broken, buf, sizeof buf);
    assert_string_equal(buf, "_ZN3fo");
}

/* It was printed as it is in the file: _ZNK3c104cuda4impl13CUDAGuardImpl6recordEPPvRKNS_6StreamEaNS_9EventFlagE. */
static void a_name_of_cplusplus_is_as_in_the_source(void **state)
{
    static const struct {
        void (*function)(void);
        const char *name;
    } cases[] = {
        {member, "c10::cuda::impl::CUDAGuardImpl::record"},
        {local, "THCPEvent_record"},
        {unnamed, "(anonymous namespace)::bar"},
        {call_operator, "foo::operator()"},
    };
    char buf[512];
    (void)state;
    if (!dlopen("libstdc++.so.6", RTLD_LAZY)) /* who tests has a C++ compiler, and so this */
        fail_msg("%s", dlerror());
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        site_of(cases[i].function, buf, sizeof buf);
        assert_string_equal(buf, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_of_c_stays),
        cmocka_unit_test(a_name_of_cplusplus_is_as_in_the_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
