/* natural.c - natural poses in words, for the terminal. */
#include "cli/cli.h"
#include "stats/natural.h"

#include <stdio.h>

void cli_print_natural(const size_t count[RECON_NATURAL_KINDS])
{
    static const char *const words[] = { "one pose", "several", "one modulo part of a turn",
                                         "an axis, spin free", "none" };
    double none = recon_natural_share(count, RECON_NATURAL_NONE);
    const char *before = "  natural    ";
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        if (count[i]) {
            printf("%s%s: %.1f %%", before, words[i],
                   100 * recon_natural_share(count, (recon_natural)i));
            before = ", ";
        }
    puts(*before == ',' ? "" : "  natural    nothing to tell it from");
    if (none > RECON_NATURAL_FEW)
        printf("  careful    for %.0f %% no natural pose can be told: as far as their neighbours "
               "show,\n             such come turned in all directions alike or fit no "
               "distribution, and\n             turning them to one may mean nothing\n",
               100 * none);
}
