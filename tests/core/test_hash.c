/* Keyed hashes: SipHash-1-3 as others compute it, and another key in every context. */
#include "check.h"
#include "core/ctx.h"

/* Of CPython 3.11, whose hash of bytes it is: PYTHONHASHSEED=0 makes the key zero. */
static void it_is_siphash(void **state)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } list[] = {
        { "a", 0x407448d2b89b1813 },
        { "1234567", 0xa33d651594fdae81 },
        { "12345678", 0x3489982430560a87 },
        { "the quick brown fox jumps", 0x00c98b97e4f70042 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_true(recon_hash((recon_hash_key){ { 0, 0 } }, list[i].text, strlen(list[i].text)) ==
                    list[i].hash);
}

static void every_context_has_its_own_key(void **state)
{
    recon_ctx *a = *state, *b = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    assert_non_null(b);
    assert_true(recon_hash(a->hash_key, "name", 4) != recon_hash(b->hash_key, "name", 4));
    recon_ctx_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_siphash),
        cmocka_unit_test(every_context_has_its_own_key),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
