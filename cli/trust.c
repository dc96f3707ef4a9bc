/* trust.c - prints verdicts, and whether natural poses can be trusted. */
#include "cli/cli.h"
#include "group/natural.h"
#include "model/trust.h"

#include <stdio.h>

void cli_print_natural(const size_t count[RECON_NATURAL_KINDS], const recon_group *group)
{
    const char *const words[] = { "one pose",
                                  "several",
                                  "one modulo a symmetry",
                                  group->directions ? "free directions" : "an axis, spin free",
                                  "none",
                                  "cannot tell" };
    const char *before = "  natural    ";
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        if (count[i]) {
            printf("%s%s: %.1f %%", before, words[i],
                   100 * recon_natural_share(count, (recon_natural)i));
            before = ", ";
        }
    puts(*before == ',' ? "" : "  natural    no classes");
}

void cli_warn_natural(const size_t count[RECON_NATURAL_KINDS], const char *wider)
{
    double none = recon_natural_share(count, RECON_NATURAL_NONE);
    double unsure = recon_natural_share(count, RECON_NATURAL_UNSURE);
    if (none > RECON_NATURAL_FEW)
        printf("  warning    %.0f %% have no natural pose: their neighbours occur in all "
               "orientations, so\n"
               "             canonicalizing them is meaningless\n",
               100 * none);
    if (unsure > RECON_NATURAL_FEW)
        printf("  warning    %.0f %% have too few poses to tell: try a larger %s\n", 100 * unsure,
               wider);
}

void cli_print_lambda(const recon_lambda_choice *c)
{
    int said = 0;
    printf("  lambda     %s", recon_lambda_name(c->taken));
    for (int way = RECON_LAMBDA_NEIGHBOURS; way <= RECON_LAMBDA_DENSITY; way++) {
        if (!isfinite(c->likelihood[way]))
            continue;
        if (!said++)
            printf("; log-likelihood on %zu held-out inputs: ", c->points);
        printf("%s%s %+.2f", said > 1 ? ", " : "", recon_lambda_name((recon_lambda)way),
               c->likelihood[way]);
    }
    putchar('\n');
    for (int way = RECON_LAMBDA_NEIGHBOURS; way <= RECON_LAMBDA_DENSITY; way++)
        if (isfinite(c->apart_median[c->taken][way]))
            printf("  apart      %s: %.1f degrees (median), %.1f (95 %%)%s\n",
                   recon_lambda_name((recon_lambda)way),
                   c->apart_median[c->taken][way] * RECON_TO_DEGREES,
                   c->apart_p95[c->taken][way] * RECON_TO_DEGREES,
                   c->apart_median[c->taken][way] > RECON_LAMBDA_APART ? ": warning, above 10"
                                                                       : "");
}

void cli_print_reasons(const recon_trust *t, int indent)
{
    enum { WIDTH = 88 };
    char why[RECON_TRUST_REASONS];
    int column = WIDTH;
    for (const char *at = recon_trust_reasons(why, sizeof why, t, RECON_SPELLING_COMMAND); *at;) {
        int word = 0;
        while (at[word] && at[word] != ' ')
            word++;
        if (column + 1 + word > WIDTH)
            column = printf("%s%*s", at == why ? "" : "\n", indent - 1, "") - (at != why);
        column += printf(" %.*s", word, at);
        at += word + (at[word] == ' ');
    }
    if (why[0])
        putchar('\n');
}

void cli_print_trust(const recon_trust *t)
{
    if (isfinite(t->moved))
        printf(
            "  rotated    natural poses of rotated copies agree within %.1f degrees (median), %.1f (95 %%)\n",
            t->moved * RECON_TO_DEGREES, t->moved_p95 * RECON_TO_DEGREES);
    if (isfinite(t->gain))
        printf(
            "  gain       %.1f degrees %s the natural pose on average (%.1f before, %.1f after; standard error %.1f)\n",
            fabs(t->gain) * RECON_TO_DEGREES, t->gain < 0 ? "further from" : "closer to",
            t->before * RECON_TO_DEGREES, t->after * RECON_TO_DEGREES,
            t->gain_error * RECON_TO_DEGREES);
    if (isfinite(t->gain) && isfinite(t->one))
        printf("             That is of inputs with one natural pose: %.0f %% of all.\n",
               100 * t->one);
}

void cli_print_verdict(const recon_trust *t)
{
    printf("  verdict    %s (%zu held-out inputs)\n", recon_trust_name(t->level), t->points);
    cli_print_reasons(t, 13);
}

const char *cli_width_note(const recon_trust *t)
{
    return t && !recon_trust_has_width(t)
               ? ": rotations of the images and\n"
                 "             errors of the model, which a photo preset cannot tell apart"
               : "";
}

void cli_print_distrust(const recon_model *model)
{
    const recon_trust *t = recon_model_trust(model);
    if (t && t->level == RECON_TRUST_NOT)
        puts("  warning    " CLI_DISTRUST);
}
