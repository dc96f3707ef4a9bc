/* Files of models that lie about themselves: each is refused with a message that names the file and
 * what is wrong, and none makes its reader hold more than HELD + PER_BYTE times its size. */
#include "allocated.h"
#include "model/model.h"
#include "fuzz/edits.h"
#include "fuzz/models.h"
#include "scratch.h"

#include <recon/model/canonicalize.h>

/* The law, as docs/trust.md has it. What is held whatever the file are two workers' arenas; a byte
 * of a header becomes 80 at most ("{}," is an object), and a weight of two bytes is held four times
 * as float while a model opens, beside the filters that are made of it. */
enum { HELD = 4 << 20, PER_BYTE = 128 };

static int watched; /* the sanitizers' build sees what is held */
static long opened;

static void check_held(const char *what, size_t size)
{
    opened++;
    if (allocated_peak() > HELD + PER_BYTE * (long)size)
        fail_msg("%s: a file of %zu bytes made its reader hold %ld", what, size, allocated_peak());
}

/* --- opening ---------------------------------------------------------------------------------- */

typedef recon_status opener(recon_ctx *ctx, const char *path);

#define OPENER(name, type, open, close)                                                            \
    static recon_status name(recon_ctx *ctx, const char *path)                                     \
    {                                                                                              \
        type *m = NULL;                                                                            \
        recon_status status = open;                                                                \
        close(ctx, m);                                                                             \
        return status;                                                                             \
    }
OPENER(open_model, recon_model, recon_model_open(ctx, &m, path, RECON_SINGLE), recon_model_close)
OPENER(open_classifier, recon_classifier, recon_classifier_open(ctx, &m, path),
       recon_classifier_close)
OPENER(open_gcn, recon_gcn, recon_gcn_open(ctx, &m, path), recon_gcn_close)

static recon_status open_checkpoint(recon_ctx *ctx, const char *path)
{
    recon_checkpoint state = { .settings = SMALL_SETTINGS };
    small_run r;
    recon_status status;
    RECON_TRY(small_run_new(ctx, &r));
    RECON_TRY(recon_checkpoint_load(ctx, r.adam, &state, path));
done:
    small_run_free(ctx, &r);
    return status;
}

/* One line that has the file's name and the text. */
static void check_message(recon_ctx *ctx, const char *lies, const char *path, const char *text)
{
    const char *message = recon_ctx_message(ctx);
    if (!strstr(message, path) || !strstr(message, text) || strchr(message, '\n'))
        fail_msg("%s: message \"%s\" lacks \"%s\" or \"%s\"", lies, message, path, text);
}

/* --- lies ------------------------------------------------------------------------------------- */

typedef struct {
    const char *lies;
    recon_status status;
    const char *text; /* in the message */
} lie;

static void check_lie(recon_ctx *ctx, const edit_file *good, opener *open, const lie *l)
{
    size_t size;
    unsigned char *bytes = edit_apply(&size, good, l->lies, strlen(l->lies));
    const char *path = scratch_write("hostile", bytes, size);
    free(bytes);
    allocated_begin();
    recon_status status = open(ctx, path);
    check_held(l->lies, size);
    if (status != l->status)
        fail_msg("%s: status %s (%s)", l->lies, recon_status_name(status), recon_ctx_message(ctx));
    if (status != RECON_OK)
        check_message(ctx, l->lies, path, l->text);
}

static void check_lies(recon_ctx *ctx, small_writer *write, opener *open, const lie *list, size_t n)
{
    size_t size;
    CHECK_OK(ctx, write(ctx, scratch("good")));
    unsigned char *bytes = slurp(scratch("good"), &size);
    edit_file good = edit_begin(bytes, size);
    check_lie(ctx, &good, open, &(lie){ "", RECON_OK, "" }); /* it is good */
    for (size_t i = 0; i < n; i++)
        check_lie(ctx, &good, open, &list[i]);
    edit_end(&good);
    free(bytes);
}
#define CHECK_LIES(ctx, write, open, list)                                                         \
    check_lies(ctx, write, open, list, sizeof list / sizeof *list)

static void of_images(void **state)
{
    static const lie list[] = {
        { "@model", RECON_ERR_FORMAT, "not a model of" },
        { "@model molnet", RECON_ERR_FORMAT, "layers" },
        { "@preset huge", RECON_ERR_FORMAT, "huge" },
        { "@preset fast", RECON_ERR_INPUT, "this network's is" },
        { "@width_factor nan", RECON_ERR_FORMAT, "width_factor" },
        { "@width_factor 1e300", RECON_ERR_FORMAT, "width_factor" },
        { "@width_factor 64", RECON_ERR_INPUT, "this network's is" },
        { "@width_factor 64\n@preset fast", RECON_ERR_INPUT, "channels, at most" },
        { "@width_factor 1e-9", RECON_ERR_INPUT, "1/64 to 64" },
        { "@frequencies 4", RECON_ERR_INPUT, "this network's is" },
        { "@frequencies 1", RECON_ERR_INPUT, "2 to 4" },
        { "@code 0", RECON_ERR_FORMAT, "code" },
        { "@code 2.5", RECON_ERR_FORMAT, "code" },
        { "@code 1048576", RECON_ERR_INPUT, "a code of" },
        { "@code 4000", RECON_ERR_INPUT, "this network's is" },
        { "@code 18446744073709551617", RECON_ERR_FORMAT, "code" },
        { "@height 1048576\n@width 1048576", RECON_ERR_INPUT, "at most" },
        { "@height 1024\n@width 1024", RECON_ERR_INPUT, "decoder.widen" },
        { "@height 1", RECON_ERR_INPUT, "at least" },
        { "@channels 16", RECON_ERR_INPUT, "encoder.conv0" },
        { "@channels -1", RECON_ERR_FORMAT, "channels" },
        { "@density 2", RECON_ERR_FORMAT, "density" },
        { "@density", RECON_ERR_FORMAT, "recon 0.2.0 and earlier open this model" },
        { "@format 0.3.0", RECON_OK, "" },
        { "@format 0.2.99", RECON_OK, "" },
        { "@format 0.10.0", RECON_ERR_FORMAT, "recon 0.10.0 or later opens this model" },
        { "@format 1.0.0", RECON_ERR_FORMAT, "recon 1.0.0 or later opens this model" },
        { "@format 1.0", RECON_ERR_FORMAT, "a version, such as" },
        { "@density 0", RECON_ERR_INPUT, "encoder.head" },
        { "@maps so3", RECON_ERR_INPUT, "lambda.2.weight" },
        { "encoder.conv0.weight", RECON_ERR_FORMAT, "a hole" },
        { "encoder.conv0.weight/dtype \"F64\"", RECON_ERR_FORMAT, "cannot hold" },
        { "encoder.conv0.weight/shape [4294967296,4294967296]", RECON_ERR_FORMAT, "cannot hold" },
        { "encoder.conv0.weight/shape [9223372036854775807]", RECON_ERR_FORMAT, "cannot hold" },
        { "encoder.conv0.weight/shape [-1]", RECON_ERR_FORMAT, "from 0 on" },
        { "encoder.conv0.weight/data_offsets [0,9223372036854775807]", RECON_ERR_FORMAT, "bytes" },
        { "more {\"dtype\":\"U8\",\"shape\":[0,9],\"data_offsets\":[0,0]}", RECON_OK, "" },
        { "encoder.conv0.weight/fill inf", RECON_ERR_FORMAT, "encoder.conv0.weight" },
        { "density.0.bias/fill nan", RECON_ERR_FORMAT, "density.0.bias" },
        { "standard.mean/fill nan", RECON_ERR_FORMAT, "standard" },
        { "calibration.scores/fill -1", RECON_ERR_FORMAT, "calibration" },
        { "theta.family/fill 7", RECON_ERR_FORMAT, "theta.family" },
        { "@what\\nis \"this\"", RECON_OK, "" },
        { "codes.z/fill nan", RECON_ERR_FORMAT, "codes.z" },
        { "codes.z/fill 0", RECON_ERR_INPUT, "the zero vector" },
        { "codes.z/shape [2,3]", RECON_ERR_FORMAT, "codes of 2 numbers" },
        { "codes.z/shape [6]", RECON_ERR_FORMAT, "codes of 2 numbers" },
        { "codes.z/dtype \"I16\"", RECON_OK, "" },
        { "codes.scale/fill inf", RECON_ERR_FORMAT, "codes.scale" },
        { "codes.scale/fill 3e38\ncodes.whiten/fill 3e38", RECON_ERR_INPUT, "codes.z" },
        { "codes.pose/fill inf", RECON_ERR_FORMAT, "codes.pose" },
        { "codes.pose/shape [3,1]", RECON_ERR_FORMAT, "codes.pose" },
        { "codes.whiten/shape [4]", RECON_ERR_FORMAT, "codes.whiten" },
        { "codes.whiten/fill nan", RECON_ERR_FORMAT, "codes.whiten" },
        { "codes.distances/fill nan", RECON_ERR_FORMAT, "codes.distances" },
        { "codes.held/fill -1", RECON_ERR_FORMAT, "codes.distances" },
    };
    CHECK_LIES(*state, small_model, open_model, list);
}

static void of_molecules(void **state)
{
    static const lie list[] = {
        { "@model ieae", RECON_ERR_FORMAT, "frequencies" },
        { "@preset paper", RECON_ERR_INPUT, "no weights for" },
        { "@width_factor 64", RECON_ERR_INPUT, "this network's is" },
        { "@layers 32", RECON_ERR_INPUT, "no weights for" },
        { "@layers 33", RECON_ERR_FORMAT, "layers" },
        { "@radius -1", RECON_ERR_FORMAT, "radius" },
        { "@latent 65536", RECON_ERR_INPUT, "this network's is" },
        { "@code 65536", RECON_ERR_INPUT, "this network's is" },
        { "@mapped 0", RECON_ERR_FORMAT, "embeddings have" },
        { "@slots 4096", RECON_ERR_INPUT, "decoder.places" },
        { "@slots 4097", RECON_ERR_FORMAT, "slots" },
        { "@elements", RECON_ERR_FORMAT, "elements" },
        { "@elements 8 1", RECON_ERR_FORMAT, "ascending" },
        { "@elements 1 8 200", RECON_ERR_FORMAT, "ascending" },
        { "@elements 1 8 ", RECON_ERR_FORMAT, "ascending" },
        { "@elements 1 6 8", RECON_ERR_INPUT, "encoder.element" },
        { "@elements 99999999999999999999", RECON_ERR_FORMAT, "ascending" },
        { "theta.unit/fill -1", RECON_ERR_FORMAT, "theta.unit" },
        { "codes.pose/fill 0", RECON_ERR_FORMAT, "quaternion of length 0" },
        { "codes.laws/fill 1", RECON_ERR_FORMAT, "quaternion of length 2" },
        { "@maps", RECON_ERR_INPUT, "recon discover" },
    };
    static const lie paper[] = {
        { "@preset small", RECON_ERR_INPUT, "no weights for" },
        { "@width_factor 64", RECON_ERR_INPUT, "this network's is" },
        { "@layers 32", RECON_ERR_INPUT, "" },
    };
    CHECK_LIES(*state, small_molecule_model, open_model, list);
    CHECK_LIES(*state, small_molecule_paper, open_model, paper);
}

static void of_classifiers(void **state)
{
    static const lie images[] = {
        { "@net vgg", RECON_ERR_FORMAT, "vgg" },
        { "@net small", RECON_ERR_INPUT, "no weights for" },
        { "@net small\n@height 2", RECON_ERR_INPUT, "at least" },
        { "@stem 1024", RECON_ERR_INPUT, "this network's is" },
        { "@stem 1025", RECON_ERR_FORMAT, "stem" },
        { "@classes 1048576", RECON_ERR_INPUT, "head" },
        { "@channels 4096", RECON_ERR_INPUT, "stem.weight" },
        { "more {\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}", RECON_ERR_INPUT, "more" },
    };
    static const lie molecules[] = {
        { "@radius 0", RECON_ERR_FORMAT, "radius" },
        { "@width 4096", RECON_ERR_INPUT, "gcn0" },
        { "@hidden 4096", RECON_ERR_INPUT, "head" },
        { "@classes 1048576", RECON_ERR_INPUT, "head" },
        { "@classes 0", RECON_ERR_FORMAT, "classes" },
    };
    CHECK_LIES(*state, small_classifier, open_classifier, images);
    CHECK_LIES(*state, small_gcn, open_gcn, molecules);
}

static void of_checkpoints(void **state)
{
    static const lie list[] = {
        { "@step", RECON_ERR_FORMAT, "not a checkpoint" },
        { "@step -1", RECON_ERR_FORMAT, "-1" },
        { "@step 18446744073709551616", RECON_ERR_FORMAT, "18446744073709551616" },
        { "@stale 1 ", RECON_ERR_FORMAT, "'1 '" },
        { "@best nan", RECON_ERR_FORMAT, "nan" },
        { "@best inf", RECON_ERR_FORMAT, "checksum" },
        { "@due 1", RECON_ERR_FORMAT, "checksum" },
        { "@crc32 0", RECON_ERR_FORMAT, "checksum" },
        { "layer.weight/fill 1", RECON_ERR_FORMAT, "checksum" },
        { "state.v/fill 1", RECON_ERR_FORMAT, "checksum" },
        { "@crc32\n@best inf", RECON_OK, "" }, /* as 0.1.0 wrote them */
        { "@settings others", RECON_ERR_MISMATCH, "others" },
        { "layer.weight/fill inf", RECON_ERR_FORMAT, "layer.weight" },
        { "layer.weight/shape [2,3]", RECON_ERR_INPUT, "layer.weight" },
        { "state.m/fill nan", RECON_ERR_FORMAT, "state.m" },
    };
    CHECK_LIES(*state, small_checkpoint, open_checkpoint, list);
}

/* --- headers ---------------------------------------------------------------------------------- */

/* A header of `before`, n times `again`, and `after`. */
static const char *write_header(size_t *size, const char *before, const char *again, size_t n,
                                const char *after)
{
    size_t part = strlen(again);
    uint64_t length = strlen(before) + n * part + strlen(after);
    *size = 8 + length;
    char *bytes = malloc(*size + 1), *at = bytes + 8 + strlen(before);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, before, strlen(before));
    for (size_t i = 0; i < n; i++, at += part)
        memcpy(at, again, part);
    memcpy(at, after, strlen(after));
    const char *path = scratch_write("hostile", bytes, *size);
    free(bytes);
    return path;
}

static void headers_of_many_small_things(void **state)
{
    static const struct {
        const char *before, *again, *after, *text;
    } list[] = {
        { "", "[", "", "depth" },
        { "[", "{},", "{}]", "not an object" },
        { "{\"a\":[", "0,", "0]}", "dtype" },
        { "{\"a\":", "{\"b\":", "", "depth" },
        { "{\"", "x", "\":{}}", "not an object of" },
        { "", "\n", "", "line" },
    };
    size_t size;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *path =
            write_header(&size, list[i].before, list[i].again, 100000, list[i].after);
        allocated_begin();
        assert_int_equal(open_model(*state, path), RECON_ERR_FORMAT);
        check_held(list[i].again, size);
        check_message(*state, list[i].again, path, list[i].text);
    }
}

static void files_that_end_too_soon(void **state)
{
    size_t size;
    CHECK_OK(*state, small_molecule_model(*state, scratch("good")));
    unsigned char *bytes = slurp(scratch("good"), &size);
    for (size_t n = 0; n < size; n += n < 32 ? 1 : 1 + size / 50) {
        const char *path = scratch_write("hostile", bytes, n);
        assert_int_equal(open_model(*state, path), RECON_ERR_FORMAT);
        check_message(*state, "cut", path, "");
    }
    memset(bytes, 0xff, 8); /* the header's length */
    assert_int_equal(open_model(*state, scratch_write("hostile", bytes, size)), RECON_ERR_FORMAT);
    free(bytes);
}

/* Copied from file to file, which must not take the square of their number, or worse. */
static void metadata_of_many_entries(void **state)
{
    enum { MANY = 20000 };
    char *lies = malloc(MANY * 16), *at = lies;
    size_t size;
    recon_backbone *backbone;
    for (int i = 0; i < MANY; i++)
        at += sprintf(at, "@key%d x\n", i);
    CHECK_OK(*state, small_model(*state, scratch("good")));
    unsigned char *bytes = slurp(scratch("good"), &size);
    edit_file good = edit_begin(bytes, size);
    unsigned char *many = edit_apply(&size, &good, lies, (size_t)(at - lies));
    scratch_write("many", many, size);
    CHECK_OK(*state, recon_backbone_open(*state, &backbone, scratch("many"), RECON_SINGLE));
    CHECK_OK(*state,
             recon_model_save(*state, scratch("again"), scratch("many"), backbone, NULL, NULL));
    recon_backbone_close(*state, backbone);
    edit_end(&good);
    free(many);
    free(bytes);
    free(lies);
}

/* Each is found by its name, as `recon info` does. */
static void tensors_of_many_names(void **state)
{
    enum { MANY = 50000 };
    size_t size = 0;
    char *bytes = malloc(MANY * 80);
    recon_safetensors *file;
    for (int i = 0; i < MANY; i++)
        size += (size_t)sprintf(bytes + 8 + size,
                                "%c\"t%d\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
                                i ? ',' : '{', i);
    bytes[8 + size++] = '}';
    memcpy(bytes, &size, 8);
    allocated_begin();
    CHECK_OK(*state,
             recon_safetensors_open(*state, &file, scratch_write("hostile", bytes, 8 + size)));
    check_held("many names", 8 + size);
    for (size_t i = 0; i < recon_safetensors_count(file); i++) {
        recon_array a;
        CHECK_OK(*state, recon_safetensors_get(*state, &a, file, recon_safetensors_name(file, i)));
        recon_array_free(&a);
    }
    recon_safetensors_close(file);
    free(bytes);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* What a model says of one input when its file says this too. */
static void check_answer(recon_ctx *ctx, small_writer *write, const char *lies, const void *input,
                         const char *text)
{
    size_t size;
    recon_model *model;
    CHECK_OK(ctx, write(ctx, scratch("good")));
    unsigned char *bytes = slurp(scratch("good"), &size);
    edit_file good = edit_begin(bytes, size);
    unsigned char *bad = edit_apply(&size, &good, lies, strlen(lies));
    CHECK_OK(ctx, recon_model_open(ctx, &model, scratch_write("hostile", bad, size), RECON_SINGLE));
    recon_pose pose;
    recon_status status = recon_canonicalize(ctx, NULL, &pose, model, input, 1, NULL);
    if (status != RECON_ERR_NUMERIC)
        fail_msg("%s: status %s", lies, recon_status_name(status));
    check_message(ctx, lies, text, "");
    recon_model_close(ctx, model);
    edit_end(&good);
    free(bad);
    free(bytes);
}

/* Weights may all be numbers and what they make none: the pose that the backbone sees, or Lambda alone. */
static void no_answer_that_is_no_number(void **state)
{
    static const char lambda[] = "@lambda head\nlambda.0.weight/fill 0\nlambda.0.bias/fill 3e38\n"
                                 "lambda.1.weight/fill 3e38\nlambda.2.weight/fill 0";
    static const char said[] = "input 0: the model's output is not finite";
    const float image[SMALL_SIDE * SMALL_SIDE] = { 1 };
    const uint8_t z[] = { 8, 1, 1 };
    const float xyz[] = { 0, 0, 0.1173f, 0, 0.7572f, -0.4692f, 0, -0.7572f, -0.4692f };
    const recon_conformer water = { .atoms = 3, .z = z, .xyz = xyz, .energy = NAN, .rmsd = NAN };
    check_answer(*state, small_model, "encoder.norm0.var/fill -1", image,
                 "image 0: the network's answer is not a finite number");
    check_answer(*state, small_model, lambda, image, said);
    check_answer(*state, small_molecule_model, lambda, &water, said);
}

/* --- good ones -------------------------------------------------------------------------------- */

static void shipped_models_keep_the_law(void **state)
{
    static const struct {
        const char *path;
        opener *open;
    } list[] = { { "models/fashion.safetensors", open_model },
                 { "models/fashion-classifier.safetensors", open_classifier },
                 { "models/conformers.safetensors", open_model } };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        size_t size;
        free(slurp(list[i].path, &size));
        allocated_begin();
        CHECK_OK(*state, list[i].open(*state, list[i].path));
        check_held(list[i].path, size);
        assert_true(!watched || allocated_peak() > (long)size); /* weights of two bytes: floats */
    }
    print_message("# counted: %ld files of models opened, memory %s\n", opened,
                  watched ? "watched" : "not watched in this build");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(of_images),
        SCRATCH_TEST(of_molecules),
        SCRATCH_TEST(of_classifiers),
        SCRATCH_TEST(of_checkpoints),
        SCRATCH_TEST(headers_of_many_small_things),
        SCRATCH_TEST(files_that_end_too_soon),
        SCRATCH_TEST(metadata_of_many_entries),
        SCRATCH_TEST(tensors_of_many_names),
        SCRATCH_TEST(no_answer_that_is_no_number),
        SCRATCH_TEST(shipped_models_keep_the_law),
    };
    watched = allocated_watch();
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
