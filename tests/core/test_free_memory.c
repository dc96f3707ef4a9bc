/* What is left of memory: control groups of both kinds, nested, and a limit of address space. */
#include "scratch.h"
#include "core/memory.h"

#include <sys/resource.h>
#include <sys/stat.h>

static void put(const char *name, const char *text)
{
    FILE *f = fopen(scratch(name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void folder(const char *name)
{
    assert_int_equal(mkdir(scratch(name), 0777), 0);
}

static size_t left_of(const char *groups, const char *list)
{
    return recon_free_in_groups(scratch(groups), scratch(list));
}

static size_t left(void)
{
    return left_of("groups", "list");
}

static void the_tightest_group_above_counts(void **state)
{
    (void)state;
    folder("groups");
    folder("groups/jobs");
    folder("groups/jobs/one");
    put("list", "0::/jobs/one\n");
    assert_int_equal(left(), SIZE_MAX);
    put("groups/jobs/one/memory.max", "max\n");
    assert_int_equal(left(), SIZE_MAX);
    put("groups/jobs/memory.max", "9000\n");
    put("groups/jobs/memory.current", "4000\n");
    assert_int_equal(left(), 5000);
    put("groups/jobs/memory.stat", "anon 1\ninactive_file 1500\nactive_file 7\n");
    assert_int_equal(left(), 6500); /* pages of files may be dropped */
    put("groups/jobs/one/memory.max", "3000\n");
    put("groups/jobs/one/memory.current", "1000\n");
    assert_int_equal(left(), 2000);
    put("groups/jobs/one/memory.current", "3500\n");
    assert_int_equal(left(), 0);
    put("list", "0::/elsewhere/in/a/container\n");
    assert_int_equal(left(), SIZE_MAX);
    put("groups/memory.max", "700\n");
    assert_int_equal(left(), 700);
}

static void the_older_interface_is_read(void **state)
{
    (void)state;
    folder("old");
    folder("old/memory");
    folder("old/memory/one");
    put("old-list", "12:cpu,cpuacct:/one\n5:memory:/one\n1:name=systemd:/one\n");
    assert_int_equal(left_of("old", "old-list"), SIZE_MAX);
    put("old/memory/one/memory.limit_in_bytes", "9000\n");
    put("old/memory/one/memory.usage_in_bytes", "2000\n");
    put("old/memory/one/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
    assert_int_equal(left_of("old", "old-list"), 7500);
}

static void nothing_is_known_without_a_list(void **state)
{
    (void)state;
    assert_int_equal(left_of("groups", "no-list"), SIZE_MAX);
    put("no-list", "nonsense\n:\n\n");
    assert_int_equal(left_of("groups", "no-list"), SIZE_MAX);
}

static void a_limit_of_address_space_counts(void **state)
{
    (void)state;
    struct rlimit before;
    size_t all = recon_available_memory();
    assert_true(all > 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    size_t most = recon_mapped_bytes() + RECON_LIBRARY_ROOM; /* which a library may want */
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){ most, before.rlim_max }), 0);
    size_t none = recon_available_memory();
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(none, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(the_tightest_group_above_counts),
        SCRATCH_TEST(the_older_interface_is_read),
        SCRATCH_TEST(nothing_is_known_without_a_list),
        SCRATCH_TEST(a_limit_of_address_space_counts),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
