/* run_files.h - the files of a training run, beside its model PATH: PATH.last, the state to resume
 * from, and PATH.jsonl, its log. A run of two stages keeps the first in PATH.stage1. */
#ifndef NN_RUN_FILES_H
#define NN_RUN_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <jansson.h>
#include <recon/core/ctx.h>

#define RECON_FILE_LAST  ".last"
#define RECON_FILE_LOG   ".jsonl"
#define RECON_FILE_STAGE ".stage1"

/* "PATH ENDING", to be freed; NULL where path is. */
recon_status recon_run_file(recon_ctx *ctx, char **out, const char *path, const char *ending);

/* Why a run may not write to path, in a sentence with the remedies, as a new run would destroy what
 * is there. NULL: it may. path may be NULL. */
const char *recon_run_refusal(char *out, size_t room, const char *path, int resume, int overwrite,
                              recon_spelling spelling);
/* The same as RECON_ERR_INPUT. */
recon_status recon_run_check(recon_ctx *ctx, const char *path, int resume, int overwrite);

/* The same, and where epochs are 0 those of the run that is resumed. */
recon_status recon_run_begin(recon_ctx *ctx, size_t *epochs, const char *path, int resume,
                             int overwrite);
/* RECON_ERR_INPUT where n inputs, each called `one`, are less than a batch. */
recon_status recon_run_fills(recon_ctx *ctx, size_t n, size_t batch, const char *one);

/* A whole number among the settings of the run whose checkpoint lies beside path, of either stage.
 * *out stays where there is none. */
recon_status recon_run_setting(recon_ctx *ctx, size_t *out, const char *path, const char *name);

/* The log, readings of the run as lines of JSON. One line, whole or not at all. Takes line over; what cannot be written is a warning. */
void recon_metrics_append(recon_ctx *ctx, const char *path, json_t *line);

/* Leaves the lines whose "step" is at most step: what a resumed run has not repeated yet. due: it begins
 * with the validation after this step, whose line goes too. */
recon_status recon_metrics_cut(recon_ctx *ctx, const char *path, uint64_t step, int due);

#endif
