/* finite.h - statistics of finite groups, whose elements are numbered from 0. */
#ifndef GROUP_FINITE_H
#define GROUP_FINITE_H

#include "group/group.h"

/* The most elements of a subgroup that verdicts consider. */
enum { RECON_SUBGROUP_MAX = 98 };

/* A subgroup of more than one element, but not the whole group. */
typedef struct {
    int code; /* recon_symmetry_code */
    size_t n;
    double element[RECON_SUBGROUP_MAX];
} recon_subgroup;

/* Puts subgroup i of the group, which is in self->user, into *out. Returns 0 if there are no more. */
typedef int recon_subgroup_list(recon_subgroup *out, const recon_group *self, size_t i);

typedef struct {
    recon_subgroup_list *list;
} recon_finite;

double recon_finite_distance(const recon_group *self, const double *a, const double *b);
void recon_finite_identity(const recon_group *self, double *out);
void recon_finite_haar(const recon_group *self, double *out, recon_rng *rng);
recon_status recon_finite_check(recon_ctx *ctx, const recon_group *self, const double *poses,
                                size_t n);
recon_status recon_finite_center(recon_ctx *ctx, const recon_group *self, recon_center *out,
                                 void *fits, const double *poses, size_t sets, size_t k,
                                 const recon_mean_options *options);
recon_status recon_finite_fit(recon_ctx *ctx, const recon_group *self, void *fits,
                              const double *poses, size_t sets, size_t k, int family);
double recon_finite_background(const recon_group *self, const void *fit);
double recon_finite_score(const recon_group *self, const void *fit, double background,
                          const double *pose);
double recon_finite_tail(const recon_group *self, const void *fit, double background,
                         const double *pose);
void recon_finite_parameters(const recon_group *self, double *out, const void *fit);
extern const recon_family recon_finite_families[1];

/* The entries of a table that all finite groups share. */
#define RECON_FINITE_ENTRIES                                                                       \
    .numbers = 1, .identity = recon_finite_identity, .distance = recon_finite_distance,            \
    .haar = recon_finite_haar, .check = recon_finite_check, .identifiability = 1,                  \
    .families = recon_finite_families, .family_count = 1, .fit_size = sizeof(double),              \
    .center = recon_finite_center, .fit = recon_finite_fit, .background = recon_finite_background, \
    .score = recon_finite_score, .tail = recon_finite_tail, .parameters = recon_finite_parameters

#endif
