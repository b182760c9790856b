#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static void hash_is(const void *bytes, size_t size_bytes, const char *expected)
{
    char hex[CF_HASH_TEXT_BYTES];
    cf_hash_sha256(bytes, size_bytes, hex);
    assert_string_equal(hex, expected);
}

/* FIPS 180-4 examples. */
static void the_published_examples_come_out(void **state)
{
    (void)state;
    hash_is("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    hash_is(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* openssl dgst -sha256 -binary | base64 */
static void base64_is_what_a_browser_expects(void **state)
{
    (void)state;
    char base64[CF_HASH_BASE64_BYTES];
    cf_hash_sha256_base64("", 0, base64);
    assert_string_equal(base64, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    cf_hash_sha256_base64("abc", 3, base64);
    assert_string_equal(base64, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_published_examples_come_out),
                                       cmocka_unit_test(base64_is_what_a_browser_expects)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
