/* reproduce_page.h - the figures and tables of a folder as one page, in the paper's order. */
#ifndef LAB_REPRODUCE_PAGE_H
#define LAB_REPRODUCE_PAGE_H

#include "lab/reproduce.h"
#include "report/page.h"

/* Keeps what --json prints as DIR/DATASET.json and writes DIR/report.html anew, of all such files and
 * of the figures beside them: so runs of mnist, fashion, molecules and estimators into one folder make
 * one page. */
recon_status reproduce_page(recon_ctx *ctx, const char *dir, const json_t *result);

/* A table of how the networks of a run were trained, the paper's settings beside them. */
void reproduce_page_training(recon_page *page, const json_t *run, const char *title);

#endif
