/* settings.h - the settings of a run as one line of text: "batch: 64, rate: 0.002, ...".
 *
 * * Checkpoints and models store the line; a resumed run compares it with its own. */
#ifndef NN_SETTINGS_H
#define NN_SETTINGS_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/status.h>
#include <recon/ops/backend.h>

/* Of these a resumed run may ask for more, so they are not compared. */
#define RECON_SETTING_EPOCHS "epochs"

/* Which data they are (data/identity.h), in hexadecimal digits. */
#define RECON_SETTING_IDENTITY "identity"
#define RECON_SETTING_HELD     "held identity" /* where validation has data of its own */

typedef struct {
    char text[640];
} recon_settings; /* all zero: empty */

/* Values hold no ", ". */
void recon_settings_add(recon_settings *s, const char *name, const char *fmt, ...)
    RECON_PRINTF(3, 4);

/* Adds the settings that every run has: seed, precision and backend. */
void recon_settings_add_run(recon_settings *s, recon_ctx *ctx, uint64_t seed,
                            recon_precision precision);

/* The number that a line has under a name, any number and a whole one; `otherwise` where it has
 * none. */
double recon_settings_value(const char *line, const char *name, double otherwise);
int recon_settings_is(const char *line, const char *name, const char *value);
size_t recon_settings_number(const char *line, const char *name, size_t otherwise);

/* RECON_SETTING_IDENTITY; 0: the line does not say. */
uint64_t recon_settings_identity(const char *line);

/* "batch: was 13, now 26; seed: was 0, now 1"; "" where nothing differs. Returns out. */
const char *recon_settings_compare(char *out, size_t room, const char *was, const char *now);

#endif
