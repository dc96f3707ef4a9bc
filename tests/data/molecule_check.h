/* molecule_check.h - sets of molecules compared, and opened from text. */
#ifndef TESTS_MOLECULE_CHECK_H
#define TESTS_MOLECULE_CHECK_H

#include "scratch.h"

#include <recon/data/molecules.h>

/* text as FILE, opened as "KIND:FILE". */
static inline recon_status open_text(recon_ctx *ctx, recon_molecules **out, const char *kind,
                                     const char *file, const char *text, int skip_bad)
{
    char spec[600];
    snprintf(spec, sizeof spec, "%s:%s", kind, scratch_write(file, text, strlen(text)));
    return recon_molecules_open(ctx, out, spec, &(recon_molecules_options){ .skip_bad = skip_bad });
}

/* The same elements, places within tolerance. */
static inline void check_same_conformer(recon_conformer a, recon_conformer b, double tolerance)
{
    assert_int_equal(a.atoms, b.atoms);
    assert_memory_equal(a.z, b.z, a.atoms);
    for (size_t i = 0; i < 3 * a.atoms; i++)
        CHECK_NEAR(a.xyz[i], b.xyz[i], tolerance);
}

static inline void check_same_set(const recon_molecules *a, const recon_molecules *b,
                                  double tolerance)
{
    recon_molecules_info x = recon_molecules_describe(a), y = recon_molecules_describe(b);
    assert_true(x.n == y.n && x.molecules == y.molecules && x.atoms == y.atoms &&
                x.total == y.total);
    for (size_t m = 0; m < x.molecules; m++)
        assert_string_equal(recon_molecules_name(a, m), recon_molecules_name(b, m));
    for (size_t i = 0; i < x.n; i++) {
        recon_conformer c = recon_molecules_get(a, i), d = recon_molecules_get(b, i);
        check_same_conformer(c, d, tolerance);
        assert_int_equal(c.molecule, d.molecule);
        if (!isnan(c.energy) || !isnan(d.energy))
            CHECK_NEAR(c.energy, d.energy, 1e-5);
    }
}

#endif
