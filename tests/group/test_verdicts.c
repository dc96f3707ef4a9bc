/* Verdicts keep their error rates: 150 sets of each law. tests/slow/test_verdicts.c draws more. */
#include "group/verdicts.h"

enum { SETS = 150 };

static void verdicts_keep_their_promises(void **state)
{
    for (const law *l = laws; l < laws + LAWS; l++)
        for (int k = 0; k < KS; k++) {
            outcome o = try_law(*state, l, ks[k], SETS);
            check_promises(l, k, &o, SETS);
            outcome_free(&o);
        }
}

/* Too few poses never tell, however well they agree; nor do they claim that there is none. */
static void few_poses_cannot_tell(void **state)
{
    for (size_t k = 1; k <= 4; k++)
        for (const law *l = laws; l < laws + LAWS; l++) {
            outcome o = try_law(*state, l, k, 20);
            CHECK_NEAR(o.share[RECON_NATURAL_UNSURE], 1, 1e-12);
            outcome_free(&o);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(verdicts_keep_their_promises),
                                        cmocka_unit_test(few_poses_cannot_tell) };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
