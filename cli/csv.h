/* csv.h - tables for spreadsheets. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include "core/file.h"

/* A text as a field: between quotation marks, its own doubled. */
recon_status cli_csv_text(recon_ctx *ctx, recon_writer *to, const char *text);
/* Whatever else there is: numbers, commas, the end of a line. */
recon_status cli_csv_print(recon_ctx *ctx, recon_writer *to, const char *fmt, ...)
    RECON_PRINTF(3, 4);

#endif
