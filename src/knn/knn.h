/* knn.h (private) - what every search asks of its options. */
#ifndef KNN_KNN_H
#define KNN_KNN_H

#include <recon/knn/knn.h>

/* RECON_ERR_INPUT for a tail that is not zero and for a metric or a method that there is not. */
recon_status recon_knn_options_check(recon_ctx *ctx, const recon_knn_options *options);

#endif
