/* Every file in tests/fuzz/corpus/NAME through the fuzz target NAME: what once did harm does none
 * again, in every build, without libFuzzer; and nor does what is nearly the same. */
#include "check.h"
#include "allocated.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define CORPUS "tests/fuzz/corpus/"

#define TARGETS(X)                                                                                 \
    X(amat)                                                                                        \
    X(checkpoint)                                                                                  \
    X(classifier)                                                                                  \
    X(dataset)                                                                                     \
    X(embedded)                                                                                    \
    X(flat)                                                                                        \
    X(found)                                                                                       \
    X(gcn)                                                                                         \
    X(geom)                                                                                        \
    X(index)                                                                                       \
    X(index_classes)                                                                               \
    X(ieae)                                                                                        \
    X(idx)                                                                                         \
    X(jpeg)                                                                                        \
    X(json)                                                                                        \
    X(model)                                                                                       \
    X(molecule_model)                                                                              \
    X(molecule_net)                                                                                \
    X(molecule_paper)                                                                              \
    X(npy)                                                                                         \
    X(png)                                                                                         \
    X(pnm)                                                                                         \
    X(safetensors)                                                                                 \
    X(sdf)                                                                                         \
    X(rotations)                                                                                   \
    X(tiff)                                                                                        \
    X(xyz)

#define DECLARE(name) int fuzz_##name(const uint8_t *bytes, size_t size);
TARGETS(DECLARE)

static const struct {
    const char *name;
    int (*run)(const uint8_t *bytes, size_t size);
} targets[] = {
#define ENTRY(name) { #name, fuzz_##name },
    TARGETS(ENTRY)
};
enum { TARGETS_ALL = sizeof targets / sizeof *targets };

/* The law of docs/trust.md: a file of n bytes makes its reader hold MOST + PER_BYTE n bytes at
 * most. A byte of deflate becomes 1032 at most. Here n is an input, which may be about a file of
 * some KiB (fuzz_models.h), and a target holds copies of its own. */
enum { MOST = 4 << 20, PER_BYTE = 2 * 1032 };
enum { MOST_CLAIMED = 64 << 20 }; /* of pictures that claim what a format allows */

/* In a block of their own, where a read too far is seen. Returns what was held at the peak. */
static long feed(int target, const char *path, const uint8_t *from, size_t size, long most)
{
    uint8_t *bytes = malloc(size ? size : 1);
    memcpy(bytes, from, size);
    allocated_begin();
    targets[target].run(bytes, size);
    if (allocated_peak() > most + PER_BYTE * (long)size)
        fail_msg("%s: %zu bytes make the reader hold %ld", path, size, allocated_peak());
    free(bytes);
    return allocated_peak();
}

/* Text goes by lines and words, whose end may be that of the file: cut at every byte. */
static int is_text(int target)
{
    return strstr(" amat json pnm rotations sdf xyz ", targets[target].name) != NULL;
}

/* Their lies are told by test_mutations.c, which knows what a model is. */
static int is_model(int target)
{
    return strstr(
               " checkpoint classifier gcn ieae index index_classes model molecule_model molecule_net molecule_paper ",
               targets[target].name) != NULL;
}

/* As it is, cut, and with a few bytes changed. */
enum { DAMAGES = 60, LIES = 4 };
static long feed_file(int target, const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    assert_true(feof(f));
    fclose(f);
    for (size_t cut = 0; is_text(target) && cut < size; cut++)
        feed(target, path, bytes, cut, MOST);
    long held = feed(target, path, bytes, size, MOST);
    recon_rng rng = recon_rng_new(size, (uint64_t)target);
    for (int i = 0; size > 0 && !is_model(target) && i < DAMAGES; i++) {
        size_t at[LIES];
        uint8_t was[LIES];
        int n = 1 + (int)recon_rng_below(&rng, LIES);
        for (int k = 0; k < n; k++) {
            at[k] = recon_rng_below(&rng, size);
            was[k] = bytes[at[k]];
            bytes[at[k]] =
                (uint8_t)(k % 2 ? recon_rng_u32(&rng) : was[k] ^ 1u << recon_rng_below(&rng, 8));
        }
        feed(target, path, bytes, size, MOST_CLAIMED);
        while (n-- > 0)
            bytes[at[n]] = was[n];
    }
    return held;
}

static int is_target(const char *name)
{
    int i = 0;
    while (i < TARGETS_ALL && strcmp(targets[i].name, name))
        i++;
    return i < TARGETS_ALL;
}

/* How many files a target was fed. */
static long feed_all(int target, long *most)
{
    char folder[128], path[512];
    long n = 0;
    snprintf(folder, sizeof folder, CORPUS "%s", targets[target].name);
    DIR *d = opendir(folder);
    if (!d)
        fail_msg("%s: a target without files", folder);
    targets[target].run((const uint8_t *)"", 0); /* what it makes for itself is not the reader's */
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            long held = feed_file(target, path);
            *most = held > *most ? held : *most;
            n++;
        }
    closedir(d);
    return n;
}

static void every_file_is_survived(void **state)
{
    long files = 0, most = 0;
    (void)state;
    int seen = allocated_watch();
    for (int t = 0; t < TARGETS_ALL; t++)
        files += feed_all(t, &most);
    assert_true(!seen || most > 0);
    print_message("# counted: corpus: %ld files for %d targets", files, TARGETS_ALL);
    print_message(seen ? ", %ld KiB held at most\n" : "\n", most >> 10);
}

static void every_folder_has_a_target(void **state)
{
    DIR *d = opendir(CORPUS);
    (void)state;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' && !is_target(e->d_name))
            fail_msg(CORPUS "%s: files without a target", e->d_name);
    closedir(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_survived),
        cmocka_unit_test(every_folder_has_a_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
