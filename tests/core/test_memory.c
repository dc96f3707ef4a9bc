/* Room for libraries under a limit of the address space. */
#include "check.h"
#include "core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static size_t mapped(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* What a process that may map `more` bytes hears; a limit cannot be taken back everywhere. */
static recon_status with_limit(recon_ctx *ctx, size_t more)
{
    int wait_status;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = { mapped() + more, RLIM_INFINITY };
        setrlimit(RLIMIT_AS, &limit);
        _exit((int)recon_room_check(ctx, 64 * MIB));
    }
    assert_int_equal(waitpid(child, &wait_status, 0), child);
    assert_true(WIFEXITED(wait_status));
    return (recon_status)WEXITSTATUS(wait_status);
}

static void room_is_what_the_limit_leaves(void **state)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY)
        assert_int_equal(recon_room_check(*state, SIZE_MAX), RECON_OK);
    assert_int_equal(with_limit(*state, 48 * MIB), RECON_ERR_MEMORY);
    assert_int_equal(with_limit(*state, 80 * MIB), RECON_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_what_the_limit_leaves),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
