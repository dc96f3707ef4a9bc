/* natural.c - natural poses in words, for the terminal. */
#include "cli/cli.h"
#include "group/natural.h"

#include <stdio.h>

void cli_print_natural(const size_t count[RECON_NATURAL_KINDS], const char *wider)
{
    static const char *const words[] = { "one pose",           "several", "one modulo a symmetry",
                                         "an axis, spin free", "none",    "cannot tell" };
    double none = recon_natural_share(count, RECON_NATURAL_NONE);
    double unsure = recon_natural_share(count, RECON_NATURAL_UNSURE);
    const char *before = "  natural    ";
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        if (count[i]) {
            printf("%s%s: %.1f %%", before, words[i],
                   100 * recon_natural_share(count, (recon_natural)i));
            before = ", ";
        }
    puts(*before == ',' ? "" : "  natural    no classes");
    if (none > RECON_NATURAL_FEW)
        printf("  warning    %.0f %% have no natural pose: their neighbours occur in all "
               "orientations, so\n"
               "             canonicalizing them is meaningless\n",
               100 * none);
    if (unsure > RECON_NATURAL_FEW)
        printf("  warning    %.0f %% have too few poses to tell: try a larger %s\n", 100 * unsure,
               wider);
}
