/* found_inputs.h (private) - inputs of a discovery, looked at once more for their report. */
#ifndef REPORT_FOUND_INPUTS_H
#define REPORT_FOUND_INPUTS_H

#include "report/found.h"

#include <recon/model/score.h>

typedef struct recon_inputs_page recon_inputs_page;

/* Everything a section may want. Without data: the folder and its groups alone. */
typedef struct {
    const recon_inputs_page *page;
    const recon_found_folder *f;
    const recon_data *data; /* NULL: not at hand */
    int64_t *labels;        /* [rows] or NULL    */
    recon_found_groups groups;
    recon_model *model;
    size_t *row, n; /* the sample             */
    void *said;     /* [n] what the model says of it: recon_distribution or recon_distribution3 */
    recon_found_trial trial;
} recon_look;

/* What the page of one kind of inputs says in its own words, and draws in its own way. */
struct recon_inputs_page {
    const char *one, *many; /* "an image", "images"                                */
    const char *noun, *set; /* "image", "class": what a label stands for           */
    const char *rotation;   /* "an angle drawn uniformly from the circle"          */
    const char *groups[2];  /* headings of the poses, without labels and with them */
    const char *worst[2];   /* captions: by score, by agreement                    */
    const char *checked;    /* what was looked for besides what all pages look for */
    size_t abreast;         /* pairs in a row of the worst cases, at most          */
    int has_sign;           /* degrees have one: that of the pose's number         */
    int needs_png;          /* pictures of them are pixels                         */
    size_t said;            /* bytes                                               */
    size_t (*sample)(const recon_data *data);
    /* Fills in said and trial of the sample; apart [n]: by how much psi is not the folder's. */
    recon_status (*look)(recon_ctx *ctx, recon_look *l, double *apart);
    const char *(*name)(const recon_look *l,
                        size_t row); /* NULL: its number; so may the entry be */
    const char *(*label)(const recon_look *l, int64_t label); /* NULL: it has no name            */
    recon_status (*show_found)(recon_ctx *ctx, recon_page *page, const recon_look *l);
    recon_status (*show_poses)(recon_ctx *ctx, recon_page *page, const recon_look *l);
    recon_status (*show_gallery)(recon_ctx *ctx, recon_page *page, const recon_look *l);
    recon_status (*show_widths)(recon_ctx *ctx, recon_page *page, const recon_look *l);
    recon_status (*show_neighbors)(recon_ctx *ctx, recon_page *page, const recon_look *l);
    void (*table_hits)(recon_page *page, const recon_look *l);
    /* Inputs as they came beside their natural poses; abreast of them at most. */
    recon_status (*draw_pairs)(recon_ctx *ctx, recon_page *page, const recon_look *l,
                               const size_t *row, size_t n, const char *caption);
    recon_status (*show_doubtful)(recon_ctx *ctx, recon_page *page,
                                  const recon_look *l); /* or NULL */
    int (*warn)(recon_page *page, const recon_look *l); /* how many were said */
};

/* The sections of such a page. */
recon_status recon_inputs_sections(recon_ctx *ctx, recon_page *page, const recon_inputs_page *of,
                                   const recon_found_folder *f, const recon_data *data);

/* What a label stands for, or its number as text. */
const char *recon_look_label(recon_found_words out, const recon_look *look, int64_t label);
/* A row by its name, or its number as text. */
const char *recon_look_name(recon_found_words out, const recon_look *look, size_t row);

/* By how much a row is rotated from its natural pose: whole degrees, with their sign where the kind has
 * one; 0 has none. */
double recon_look_degrees(const recon_look *look, size_t row);

/* The numbers of some rows: what their pictures do not say. */
void recon_look_list(recon_page *page, const recon_look *look, const char *caption,
                     const size_t *row, size_t n);

/* The row that is number i of `rows` taken evenly from the sample. */
size_t recon_look_row(const recon_look *look, size_t i, size_t rows);

/* Sections with pictures of images. */
recon_status recon_images_show_poses(recon_ctx *ctx, recon_page *page, const recon_look *l);
recon_status recon_images_show_gallery(recon_ctx *ctx, recon_page *page, const recon_look *l);
recon_status recon_images_show_neighbors(recon_ctx *ctx, recon_page *page, const recon_look *l);
recon_status recon_images_show_doubtful(recon_ctx *ctx, recon_page *page, const recon_look *l);
recon_status recon_images_draw_pairs(recon_ctx *ctx, recon_page *page, const recon_look *l,
                                     const size_t *row, size_t n, const char *caption);

enum { RECON_FOUND_WORST = 12 /* cases of each kind */ };

#endif
