/* var_image.c - pooling, resizing and rotating images on the tape. */
#include "nn/tape.h"

RECON_BACK_TO_ONE(pool, pool)

static recon_var not_images(recon_tape *t, const char *op, recon_var x)
{
    recon_shape_text text;
    return recon_tape_refuse(t, "%s of %s: expected images n x h x w x channels, large enough", op,
                             recon_shape_print(text, x->value.shape, x->value.ndim));
}

static recon_var pool(recon_tape *t, recon_var x, size_t size, size_t stride, int max)
{
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    const size_t *s = x->value.shape;
    if (x->value.ndim != 4 || size == 0 || stride == 0 || s[1] < size || s[2] < size)
        return not_images(t, "pooling", x);
    size_t shape[4] = { s[0], (s[1] - size) / stride + 1, (s[2] - size) / stride + 1, s[3] };
    recon_pool_args a = { .max = max, .size = size, .stride = stride, .x = x->value };
    a.y = recon_tape_make(t, x->value.type, shape, 4);
    if (max)
        a.index = recon_tape_make(t, RECON_I32, shape, 4);
    return RECON_APPLY(t, pool, a, a.y, x);
}

recon_var recon_var_average_pool(recon_tape *t, recon_var x, size_t size, size_t stride)
{
    return pool(t, x, size, stride, 0);
}
recon_var recon_var_max_pool(recon_tape *t, recon_var x, size_t size, size_t stride)
{
    return pool(t, x, size, stride, 1);
}

RECON_BACK_TO_ONE(resize, resize)

recon_var recon_var_resize(recon_tape *t, recon_var x, size_t height, size_t width,
                           int align_corners)
{
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    if (x->value.ndim != 4 || height == 0 || width == 0)
        return not_images(t, "resizing", x);
    size_t shape[4] = { x->value.shape[0], height, width, x->value.shape[3] };
    recon_resize_args a = { .align_corners = align_corners, .x = x->value };
    a.y = recon_tape_make(t, x->value.type, shape, 4);
    return RECON_APPLY(t, resize, a, a.y, x);
}

static void rotate_back(recon_tape *t, recon_var n)
{
    recon_rotate_args *a = n->args;
    a->dy = n->grad;
    a->dx = recon_tape_want(t, n->in[0]);
    a->dangle = recon_tape_want(t, n->in[1]);
    RECON_CALL(t, rotate_back, a);
    recon_tape_give(t, n->in[0], a->dx);
    recon_tape_give(t, n->in[1], a->dangle);
}

recon_var recon_var_rotate(recon_tape *t, recon_var x, recon_var angle)
{
    if (recon_tape_skips(t, x, angle, x))
        return NULL;
    if (x->value.ndim != 4 || recon_tensor_count(&angle->value) != x->value.shape[0] ||
        angle->value.type == RECON_BF16)
        return recon_tape_mismatch(t, "rotating images", x, "angles", angle);
    recon_rotate_args a = { .x = x->value, .angle = angle->value };
    a.y = recon_tape_like(t, &x->value);
    return RECON_APPLY(t, rotate, a, a.y, x, angle);
}
