/* The table of formats: what a name is data of, what a path is taken for, and what help lists. */
#include "scratch.h"
#include "data/formats.h"

static void a_spec_is_of_its_row(void **state)
{
    static const char *const specs[][2] = {
        { "garments", "garments" },   { "mnist/test", "mnist" },
        { "mnist12k", "mnist12k" },   { "idx:a", "idx:" },
        { "images:xyz:", "images:" }, { "conformers/all", "conformers" },
        { "flat:d/train", "flat:" }
    };
    static const char *const none[] = {
        "", "mnists", "garments/", "xyz", "conformersx", "nothing:a"
    };
    char list[512];
    (void)state;
    recon_format_list(list, sizeof list);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const recon_format *f = recon_format_of(specs[i][0]);
        assert_non_null(f);
        assert_string_equal(f->name, specs[i][1]);
        assert_ptr_equal(recon_data_kind_of(specs[i][0]), f->kind);
        assert_non_null(strstr(list, f->name));
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(recon_format_of(none[i]));
    assert_string_equal(list,
                        "images: garments, mnist/train|val|test, mnist12k/train|val|test, "
                        "fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, "
                        "images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, "
                        "xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR");
}

static void make(const char *name, int folder)
{
    if (folder) {
        assert_int_equal(mkdir(scratch(name), 0700), 0);
        return;
    }
    FILE *f = fopen(scratch(name), "wb");
    assert_non_null(f);
    fclose(f);
}

/* The prefix that a path gets. */
static void check_prefix(const char *path, int is_path, const char *prefix)
{
    char spec[600], expected[600];
    snprintf(expected, sizeof expected, "%s%s", prefix, path);
    assert_string_equal(recon_data_spec(spec, sizeof spec, path, is_path), expected);
}

static void a_path_is_what_its_name_or_folder_tells(void **state)
{
    (void)state;
    check_prefix("a.npy", 0, "npy:");
    check_prefix("a.XYZ", 0, "xyz:");
    check_prefix("run/a.extxyz", 0, "xyz:");
    check_prefix("a.mol", 0, "sdf:");
    check_prefix("t10k-images-idx3-ubyte.gz", 0, "idx:");
    check_prefix("qm9.msgpack", 0, "geom:");
    check_prefix("a.png", 0, "images:");
    check_prefix("a.pdb", 0, "");
    check_prefix(".npy", 0, ""); /* a hidden file */
    check_prefix("nothing:a.npy", 0,
                 ""); /* a prefix that is not known is an error, not a path ... */
    check_prefix("nothing:a.npy", 1, "npy:"); /* ... but where it must be one */
    check_prefix("garments", 0, "");
    check_prefix("npy:a.xyz", 0, "");
    make("pictures", 1);
    make("frames", 1);
    make("frames/a.Xyz", 0);
    make("flat", 1);
    make("flat/a.xyz", 0);
    make("flat/conf_offset.npy", 0);
    check_prefix(scratch("pictures"), 0, "images:");
    check_prefix(scratch("frames"), 0, "xyz:");
    check_prefix(scratch("flat"), 0, "flat:");
    char cut[4];
    assert_string_equal(recon_data_spec(cut, sizeof cut, "a.npy", 0), "npy");
    unlink(scratch("frames/a.Xyz"));
    unlink(scratch("flat/a.xyz"));
    unlink(scratch("flat/conf_offset.npy"));
    rmdir(scratch("pictures"));
    rmdir(scratch("frames"));
    rmdir(scratch("flat"));
}

static int setup(void **state)
{
    (void)state;
    return scratch_make();
}

static int teardown(void **state)
{
    (void)state;
    scratch_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_is_of_its_row),
        cmocka_unit_test(a_path_is_what_its_name_or_folder_tells),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
