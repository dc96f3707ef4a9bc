/* A process's place among those of its machine, as launchers say it. */
#include "check.h"
#include "comm/launch.h"

#include <stdlib.h>

static const char *const names[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                     "SLURM_LOCALID" };
enum { NAMES = sizeof names / sizeof *names };

/* NULL: not set. */
static int place_with(const char *const values[NAMES])
{
    for (int i = 0; i < NAMES; i++)
        if (values[i])
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
    return recon_launch_place();
}

static void a_place_is_said_by_the_own_launcher(void **state)
{
    (void)state;
    assert_int_equal(place_with((const char *const[NAMES]){ NULL, NULL, NULL }), 0);
    assert_int_equal(place_with((const char *const[NAMES]){ "2", NULL, NULL }), 2);
    assert_int_equal(place_with((const char *const[NAMES]){ NULL, "1", NULL }), 1);
    assert_int_equal(place_with((const char *const[NAMES]){ NULL, NULL, "3" }), 3);
    assert_int_equal(place_with((const char *const[NAMES]){ NULL, NULL, "-1" }), 0);
    /* mpirun within a task of srun */
    assert_int_equal(place_with((const char *const[NAMES]){ "0", NULL, "3" }), 0);
    assert_int_equal(place_with((const char *const[NAMES]){ NULL, "0", "3" }), 0);
}

static void a_plugin_that_is_nowhere_is_named(void **state)
{
    char message[1024];
    (void)state;
    setenv("RECON_PLUGINS", "/no/such/folder", 1);
    assert_null(recon_launch_load("mpich", message, sizeof message));
    assert_non_null(strstr(message, "/no/such/folder/recon-comm-mpich.so not found"));
    unsetenv("RECON_PLUGINS");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_place_is_said_by_the_own_launcher),
                                        cmocka_unit_test(a_plugin_that_is_nowhere_is_named) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
