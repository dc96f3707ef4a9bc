"""The part of the C interface that this package calls, said once more for ctypes.

Structures and constants are written out; functions are their C prototypes, read below. Objects
whose insides are the library's own stay pointers. tests/python/test_layout.sh has a compiler
compare every size, offset, constant and prototype with the headers.
"""
from __future__ import annotations

import ctypes
import re
from ctypes import (
    POINTER,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint,
    c_uint8,
    c_uint64,
    c_void_p,
)
from typing import Any

CONSTANTS: dict[str, Any] = {
    "RECON_OK": 0,
    "RECON_ERR_INPUT": 1,
    "RECON_SO2": 0,
    "RECON_SO3": 1,
    "RECON_F32": 2,
    "RECON_F64": 3,
    "RECON_I32": 6,
    "RECON_U8": 8,
    "RECON_U16": 9,
    "RECON_MAX_DIMS": 8,
    "RECON_RESERVED": 4,
    "RECON_LOG_WARN": 0,
    "RECON_CLASSES_KNN": 0,
    "RECON_CLASSES_COMPONENTS": 1,
    "RECON_COSINE": 0,
    "RECON_DOT": 1,
    "RECON_EUCLIDEAN": 2,
    "RECON_KNN_AUTO": 0,
    "RECON_KNN_EXACT": 1,
    "RECON_KNN_IVF": 2,
    "RECON_KNN_HNSW": 3,
    "RECON_MEAN_TUKEY": 0,
    "RECON_MEAN_FRECHET": 1,
    "RECON_MEAN_CHORDAL": 2,
    "RECON_SO2_AUTO": 0,
    "RECON_SO2_UNIFORM": 1,
    "RECON_SO2_NORMAL": 2,
    "RECON_SO2_VONMISES": 3,
    "RECON_SO2_MIXTURE": 4,
    "RECON_POSE_BINS": 72,
    "RECON_SINGLE": 0,
    "RECON_MIXED": 1,
    "RECON_TF32": 3,
    "RECON_AUTO": 4,
    "RECON_BILINEAR": 0,
    "RECON_BICUBIC": 1,
    "RECON_TO_CANONICAL": 0,
    "RECON_TO_INPUT": 1,
    "RECON_MODES_MAX": 8,
    "RECON_NATURAL_KINDS": 6,
    "RECON_NATURAL_FEW": 0.05,
    "RECON_FRAME_MODES": 4,
    "RECON_SO2_PARTS_MAX": 4,
    "RECON_MOLECULE_NET_ELEMENTS": 32,
    "RECON_PRESET_FAST": 0,
    "RECON_PRESET_PAPER": 1,
    "RECON_PRESET_SMALL": 2,
    "RECON_PRESET_PHOTO": 3,
    "RECON_PRESET_PHOTO_SMALL": 4,
    "RECON_MASK_DISC": 2,
    "RECON_PAIRS_BONDS": 0,
    "RECON_PAIRS_ELEMENTS": 1,
    "RECON_VIEWS_RANDOM": 0,
    "RECON_VIEWS_GIVEN": 1,
    "RECON_HEADS_MLP": 0,
    "RECON_HEADS_PAPER": 1,
    "RECON_INPUTS_ENTRIES": 3,
    "RECON_LAMBDA_AUTO": 0,
    "RECON_LAMBDA_NEIGHBOURS": 1,
    "RECON_LAMBDA_HEAD": 2,
    "RECON_LAMBDA_DENSITY": 3,
    "RECON_TRUST_NOTHING_LEARNED": 1,
    "RECON_TRUST_NOT_FOLLOWING": 2,
    "RECON_TRUST_NO_GAIN": 4,
    "RECON_TRUST_FEW_OF_A_KIND": 8,
    "RECON_TRUST_DISAGREES": 16,
    "RECON_TRUST_UPRIGHT": 32,
    "RECON_TRUST_FEW_HELD_OUT": 64,
    "RECON_TRUST_INCONSISTENT": 128,
    "RECON_TRUST_GAIN_UNSURE": 256,
    "RECON_TRUST_GAIN_UNKNOWN": 512,
    "RECON_TRUST_REASONS": 2000,
    "RECON_ROTATION_CLASSES": 1024,
    "RECON_POSE_TOLERANCE": 1e-3,
    "RECON_ANGLE_USUAL": 13,
    "RECON_PIXEL_USUAL": 10,
}
MODES_MAX = CONSTANTS["RECON_MODES_MAX"]
NATURAL_KINDS = CONSTANTS["RECON_NATURAL_KINDS"]
PARTS_MAX = CONSTANTS["RECON_SO2_PARTS_MAX"]
RESERVED = ("reserved", c_uint64 * CONSTANTS["RECON_RESERVED"])  # ends every structure of options

# --- structures ---------------------------------------------------------------------------------

STRUCTURES: dict[str, type[ctypes.Structure]] = {}


def _structure(name: str, *fields: tuple[str, type]) -> type[ctypes.Structure]:
    made = type(name, (ctypes.Structure,), {"_fields_": list(fields)})
    STRUCTURES[name] = made
    return made


CtxOptions = _structure(
    "recon_ctx_options",
    ("threads", c_int),
    ("on_log", c_void_p),
    ("on_progress", c_void_p),
    ("user", c_void_p),
    RESERVED,
)
Array = _structure(
    "recon_array",
    ("dtype", c_int),
    ("fortran", c_int),
    ("ndim", c_int),
    ("shape", c_size_t * CONSTANTS["RECON_MAX_DIMS"]),
    ("data", c_void_p),
    ("block", c_void_p),
    ("mapped", c_size_t),
)

Progress = _structure(
    "recon_progress",
    ("label", c_char_p),
    ("done", c_uint64),
    ("total", c_uint64),
    ("seconds", c_double),
    ("finished", c_int),
    ("before", c_uint64),
    ("measure", c_char_p),
    ("value", c_double),
)
MetadataEntry = _structure("recon_metadata_entry", ("key", c_char_p), ("value", c_char_p))

So3 = _structure("recon_so3", *((axis, c_double) for axis in "wxyz"))
Embedded = _structure(
    "recon_embedded",
    ("n", c_size_t),
    ("d", c_size_t),
    ("z", c_void_p),
    ("so2", c_void_p),
    ("so3", c_void_p),
    ("density", c_void_p),
    ("labels", c_void_p),
    ("precision", c_int),
    ("array", Array),
    ("owned", c_void_p * 4),
)
KnnOptions = _structure(
    "recon_knn_options",
    ("k", c_size_t),
    ("metric", c_int),
    ("method", c_int),
    ("include_self", c_int),
    ("recall", c_void_p),
    RESERVED,
)
MeanOptions = _structure("recon_mean_options", ("kind", c_int), ("tukey_c", c_double), RESERVED)
NormalizeOptions = _structure(
    "recon_normalize_options",
    ("classes", c_int),
    ("knn", KnnOptions),
    ("eps", c_double),
    ("pool", c_size_t),
    ("mean", MeanOptions),
    ("family", c_int),
    ("only_tails", c_int),
    RESERVED,
)
PosePointers = _structure("recon_poses", ("so2", c_void_p), ("so3", c_void_p))


class Seconds(ctypes.Structure):  # has no name in C
    _fields_ = [("classes", c_double), ("centers", c_double), ("fits", c_double)]


FramesOut = _structure(
    "recon_frames",
    ("group", c_int),
    ("rows", c_size_t),
    ("k", c_size_t),
    ("neighbors", c_void_p),
    ("class_of", c_void_p),
    ("classes", c_size_t),
    ("gamma", PosePointers),
    ("normalized", PosePointers),
    ("absolute", PosePointers),
    ("identifiability", c_void_p),
    ("identifiability_width", c_size_t),
    ("theta", c_void_p),
    ("parameters", c_void_p),
    ("parameters_width", c_size_t),
    ("family", c_int),
    ("background", c_void_p),
    ("score", c_void_p),
    ("p", c_void_p),
    ("verdict", c_void_p),
    ("fold", c_void_p),
    ("modes", c_void_p),
    ("modes_width", c_size_t),
    ("axis", c_void_p),
    ("singles", c_size_t),
    ("outside", c_size_t),
    ("collapsed", c_size_t),
    ("natural", c_size_t * NATURAL_KINDS),
    ("hit_rate", c_double),
    ("recall", c_double),
    ("seconds", Seconds),
)

IeaeShape = _structure(
    "recon_ieae_shape",
    ("preset", c_int),
    ("width", c_double),
    ("frequencies", c_size_t),
    ("code", c_size_t),
    ("mask", c_int),
    ("density", c_int),
    ("height", c_size_t),
    ("width_px", c_size_t),
    ("channels", c_size_t),
)
MoleculeNetShape = _structure(
    "recon_molecule_net_shape",
    ("preset", c_int),
    ("width", c_double),
    ("layers", c_size_t),
    ("radius", c_double),
    ("latent", c_size_t),
    ("code", c_size_t),
    ("mapped", c_int),
    ("slots", c_size_t),
    ("elements", c_size_t),
    ("element", c_uint8 * CONSTANTS["RECON_MOLECULE_NET_ELEMENTS"]),
)
MapsInfo = _structure(
    "recon_maps_info",
    ("group", c_int),
    ("d", c_size_t),
    ("hidden", c_size_t),
    ("weights", c_size_t),
    ("held_out", c_size_t),
    ("family", c_int),
    ("unit", c_double),
    ("heads", c_int),
)
ModelInfo = _structure(
    "recon_model_info",
    ("kind", c_char_p),
    ("data", c_char_p),
    ("group", c_int),
    ("code", c_size_t),
    ("weights", c_size_t),
    ("codes", c_size_t),
    ("maps", MapsInfo),
    ("lambda", c_int),
    ("images", IeaeShape),
    ("molecules", MoleculeNetShape),
)
LambdaChoice = _structure(
    "recon_lambda_choice",
    ("taken", c_int),
    ("points", c_size_t),
    ("likelihood", c_double * 4),
    ("apart_median", (c_double * 4) * 4),
    ("apart_p95", (c_double * 4) * 4),
)
Trust = _structure(
    "recon_trust",
    ("level", c_int),
    ("against", c_uint),
    ("points", c_size_t),
    ("information", c_double),
    ("information_error", c_double),
    ("moved", c_double),
    ("moved_p95", c_double),
    ("before", c_double),
    ("after", c_double),
    ("gain", c_double),
    ("gain_error", c_double),
    ("one", c_double),
    ("cannot_tell", c_double),
    ("inconsistent", c_double),
    ("lambda", LambdaChoice),
)
Pose2 = _structure(
    "recon_pose2", *((name, c_double) for name in ("psi", "lambda", "absolute", "rotation"))
)
CanonicalizeOptions = _structure(
    "recon_canonicalize_options", ("interpolation", c_int), ("edge", c_int), ("only_if", c_double),
    ("only_one", c_int), RESERVED
)
SpinOptions = _structure(
    "recon_spin_options",
    ("k", c_size_t),
    ("steps", c_size_t),
    ("floor", c_double),
    ("refine", c_int),
    ("whole", c_int),
    RESERVED,
)
CandidatesOut = _structure(
    "recon_candidates",
    ("count", c_size_t),
    ("pose", Pose2 * MODES_MAX),
    ("weight", c_double * MODES_MAX),
)
PoseScore = _structure(
    "recon_pose_score",
    *((name, c_double) for name in ("score", "p_value", "p_embedding", "surrogate")),
)
So2Part = _structure("recon_so2_part", *((name, c_double) for name in ("weight", "mean", "kappa")))
So2Density = _structure(
    "recon_so2_density",
    ("family", c_int),
    ("center", c_double),
    ("width", c_double),
    ("background", c_double),
    ("parts", c_int),
    ("part", So2Part * PARTS_MAX),
    ("bin", c_float * CONSTANTS["RECON_POSE_BINS"]),
)
So2Mode = _structure("recon_so2_mode", ("at", c_double), ("weight", c_double))
DistributionOut = _structure(
    "recon_distribution",
    ("pose", Pose2),
    ("family", c_int),
    ("theta", c_double),
    ("density", So2Density),
    ("score", c_double),
    ("verdict", c_int),
    ("fold", c_int),
    ("modes", c_int),
    ("mode", So2Mode * MODES_MAX),
    ("moment", c_double * 4),
    ("p_value", c_double),
    ("p_embedding", c_double),
)

DatasetInfo = _structure(
    "recon_dataset_info",
    *((name, c_size_t) for name in ("n", "height", "width", "channels", "classes", "skipped")),
)
DatasetOptions = _structure(
    "recon_dataset_options",
    ("skip_bad", c_int),
    ("crop", c_int),
    ("size", c_size_t),
    ("channels", c_size_t),
    ("picture_most", c_size_t),
    RESERVED,
)
RotationLaw = _structure("recon_rotation_law", ("family", c_int), ("width", c_double))
RotationRule = _structure(
    "recon_rotation_rule", ("other", RotationLaw), ("of", RotationLaw * CONSTANTS["RECON_ROTATION_CLASSES"])
)
MoleculesInfo = _structure(
    "recon_molecules_info",
    *((name, c_size_t) for name in ("n", "molecules", "atoms", "total", "skipped")),
)
SelectOptions = _structure(
    "recon_select_options",
    ("least", c_size_t),
    ("most", c_size_t),
    ("radius", c_double),
    ("seed", c_uint64),
    RESERVED,
)
MoleculesOptions = _structure(
    "recon_molecules_options", ("skip_bad", c_int), ("select", SelectOptions), RESERVED
)
Conformer = _structure(
    "recon_conformer",
    ("atoms", c_size_t),
    ("z", c_void_p),
    ("xyz", c_void_p),
    ("molecule", c_int32),
    ("energy", c_float),
    ("rmsd", c_float),
)
Pose3 = _structure(
    "recon_pose3",
    ("psi", So3),
    ("lambda", So3),
    ("absolute", So3),
    ("rotation", So3),
    ("center", c_double * 3),
    ("free", c_int),
)
Fisher = _structure(
    "recon_fisher",
    ("f", c_double * 9),
    ("mode", So3),
    ("singular", c_double * 3),
    ("moment", c_double * 3),
    ("body", (c_double * 3) * 3),
    ("log_constant", c_double),
)
Candidates3Out = _structure(
    "recon_candidates3",
    ("count", c_size_t),
    ("pose", Pose3 * MODES_MAX),
    ("weight", c_double * MODES_MAX),
)
So3Mode = _structure("recon_so3_mode", ("at", So3), ("weight", c_double))
Distribution3Out = _structure(
    "recon_distribution3",
    ("pose", Pose3),
    ("poses", Fisher),
    ("background", c_double),
    ("score", c_double),
    ("free", c_int),
    ("axis", c_double * 3),
    ("axis_now", c_double * 3),
    ("axis_body", c_double * 3),
    ("tilt", c_double),
    ("spread", c_double * 3),
    ("p_value", c_double),
    ("p_embedding", c_double),
    ("verdict", c_int),
    ("modes", c_int),
    ("mode", So3Mode * MODES_MAX),
)

# --- training and discovering

Source = _structure(
    "recon_source",
    ("spec", c_char_p),
    ("rotate", c_char_p),
    ("rotate_seed", c_uint64),
    ("seed", c_uint64),
    ("limit", c_size_t),
    ("size", c_size_t),
    ("skip_bad", c_int),
    ("crop", c_int),
    ("picture_most", c_size_t),
    ("unread", c_size_t),
    ("transparent", c_char_p),
)
DataOptions = _structure(
    "recon_data_options",
    ("skip_bad", c_int),
    ("crop", c_int),
    ("size", c_size_t),
    ("channels", c_size_t),
    ("picture_most", c_size_t),
    RESERVED,
)
TrainResult = _structure(
    "recon_train_result",
    ("steps", c_uint64),
    ("ran", c_uint64),
    ("loss", c_double),
    ("best", c_double),
    ("peak", c_size_t),
    ("seconds", c_double),
)
IeaeOptions = _structure(
    "recon_ieae_options",
    ("shape", IeaeShape),
    ("epochs", c_size_t),
    ("batch", c_size_t),
    ("rate", c_double),
    ("decay", c_double),
    ("density", c_double),
    ("pose", c_double),
    ("contrast", c_double),
    ("temperature", c_double),
    ("warp", c_double),
    ("flip", c_int),
    ("augment", c_int),
    ("views", c_int),
    ("seed", c_uint64),
    ("every", c_uint64),
    ("patience", c_uint64),
    ("threads", c_int),
    ("precision", c_int),
    ("resume", c_int),
    ("overwrite", c_int),
    ("from", c_char_p),
    ("crop", c_int),
    ("data", c_char_p),
    ("rotate", c_char_p),
    RESERVED,
)
MoleculeNetOptions = _structure(
    "recon_molecule_net_options",
    ("shape", MoleculeNetShape),
    ("epochs", c_size_t),
    ("before", c_size_t),
    ("batch", c_size_t),
    ("rate", c_double),
    ("element", c_double),
    ("align", c_double),
    ("contrast", c_double),
    ("temperature", c_double),
    ("pairs", c_int),
    ("seed", c_uint64),
    ("every", c_uint64),
    ("patience", c_uint64),
    ("precision", c_int),
    ("resume", c_int),
    ("overwrite", c_int),
    ("data", c_char_p),
    ("rotate", c_char_p),
    RESERVED,
)
MapsOptions = _structure(
    "recon_maps_options",
    ("hidden", c_size_t),
    ("epochs", c_size_t),
    ("batch", c_size_t),
    ("rate", c_double),
    ("decay", c_double),
    ("dropout", c_double),
    ("held_out", c_double),
    ("seed", c_uint64),
    ("heads", c_int),
    RESERVED,
)
DiscoverOptions = _structure(
    "recon_discover_options",
    ("k", c_size_t),
    ("mean", MeanOptions),
    ("as_mean", c_int),
    ("family", c_int),
    ("lambda", c_int),
    ("maps", MapsOptions),
    ("precision", c_int),
    ("half", c_int),
    ("keep_embeddings", c_int),
    ("folds", c_int),
    ("data", c_char_p),
    ("source", c_void_p),
    ("metadata", c_void_p),
    ("n_metadata", c_size_t),
    ("report", c_void_p),
    ("report_arg", c_void_p),
    RESERVED,
)


class DiscoverySo2(ctypes.Structure):  # have no names in C
    _fields_ = [("family", c_int), ("theta", c_int)] + [
        (name, c_double) for name in ("several", "folded", "theta_median", "disagree")]


class DiscoverySo3(ctypes.Structure):
    _fields_ = [(name, c_double) for name in ("concentration", "background", "inconsistent")]


class DiscoverySeconds(ctypes.Structure):
    _fields_ = [(name, c_double) for name in ("embed", "normalize", "maps", "folds", "total")]


Discovery = _structure(
    "recon_discovery",
    ("kind", c_char_p),
    ("group", c_int),
    ("points", c_size_t),
    ("k", c_size_t),
    ("hit_rate", c_double),
    ("natural", c_size_t * NATURAL_KINDS),
    ("rotated", c_size_t),
    ("so2", DiscoverySo2),
    ("so3", DiscoverySo3),
    ("molecules", c_size_t),
    ("symmetric", c_size_t),
    ("trust", Trust),
    ("folds", c_size_t),
    ("seconds", DiscoverySeconds),
    ("summary", c_char_p),
)
FoundData = _structure(
    "recon_found_data", ("data", c_void_p), ("missing", c_char_p), ("folder", c_char_p)
)
Bitmap = _structure(
    "recon_bitmap",
    ("height", c_size_t),
    ("width", c_size_t),
    ("channels", c_size_t),
    ("alpha", c_int),
    ("dtype", c_int),
    ("samples", c_void_p),
)

OnProgress = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Progress))
OnLog = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)
Judge = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(c_double), POINTER(c_float), c_size_t)
Answer = Judge  # of several numbers for each image
SpinJudge = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_void_p, POINTER(c_float), POINTER(c_int64), POINTER(So3), c_size_t
)
WORDS_SIZE = 512  # of recon_distribution3_text

# --- functions ----------------------------------------------------------------------------------

PROTOTYPES = """
const char *recon_version(void);
const char *recon_status_name(recon_status status);
recon_ctx *recon_ctx_new(const recon_ctx_options *options);
void recon_ctx_free(recon_ctx *ctx);
const char *recon_ctx_message(const recon_ctx *ctx);
void recon_ctx_interrupt(recon_ctx *ctx);
void recon_ctx_resume(recon_ctx *ctx);
recon_status recon_ops_attach(recon_ctx *ctx, const char *name);

void recon_so2_wrap_n(double *out, const double *a, size_t n);
void recon_so3_to_matrix_n(double *m, const recon_so3 *a, size_t n);
void recon_so3_from_matrix_n(recon_so3 *out, const double *m, size_t n);
const char *recon_natural_name(recon_natural natural);
const char *recon_so2_family_name(recon_so2_family family);
double recon_so2_log_density(const recon_so2_density *p, double angle);
recon_status recon_normalize(recon_ctx *ctx, recon_frames *out, const recon_embedded *index,
                             const recon_embedded *queries, const recon_normalize_options *options);
void recon_frames_free(recon_frames *frames);

recon_status recon_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                              recon_precision precision);
void recon_model_close(recon_ctx *ctx, recon_model *model);
recon_model_info recon_model_describe(const recon_model *model);
recon_status recon_model_use_lambda(recon_ctx *ctx, recon_model *model, recon_lambda lambda);
const recon_trust *recon_model_trust(const recon_model *model);
const char *recon_lambda_name(recon_lambda lambda);
const char *recon_trust_name(recon_trust_level level);
const char *recon_trust_reasons(char *out, size_t room, const recon_trust *trust);
recon_status recon_canonicalize(recon_ctx *ctx, void *out, void *poses, const recon_model *model,
                                const void *inputs, size_t n,
                                const recon_canonicalize_options *options);
recon_status recon_candidates_list(recon_ctx *ctx, recon_candidates *out, const recon_model *model,
                                   const float *images, size_t n);
recon_status recon_canonicalize_search(recon_ctx *ctx, float *out, recon_pose2 *poses,
                                       const recon_model *model, const float *images, size_t n,
                                       recon_judge *judge, void *user,
                                       const recon_canonicalize_options *options);
recon_status recon_average_images(recon_ctx *ctx, double *out, recon_pose2 *poses,
                                  const recon_model *model, const float *images, size_t n,
                                  recon_answer *answer, void *user, size_t outputs,
                                  const recon_canonicalize_options *options);
recon_status recon_score(recon_ctx *ctx, recon_pose_score *out, const recon_model *model,
                         const void *inputs, size_t n);
double recon_score_threshold(const recon_model *model, double false_alarms);
recon_status recon_distribution_images(recon_ctx *ctx, recon_distribution *out,
                                       const recon_model *model, const float *images, size_t n);
recon_status recon_candidates_molecules(recon_ctx *ctx, recon_candidates3 *out,
                                        const recon_model *model, const recon_conformer *x,
                                        size_t n);
recon_status recon_canonicalize_spin(recon_ctx *ctx, float *out, recon_pose3 *poses,
                                     const recon_model *model, const recon_conformer *x, size_t n,
                                     const recon_conformer *among, size_t m,
                                     recon_spin_judge *judge, void *user, size_t labels,
                                     const recon_spin_options *options);
recon_status recon_canonicalize_spin_gcn(recon_ctx *ctx, float *out, recon_pose3 *poses,
                                         const recon_model *model, const recon_conformer *x,
                                         size_t n, const recon_conformer *among, size_t m,
                                         const recon_gcn *classifier,
                                         const recon_spin_options *options);
recon_status recon_gcn_open(recon_ctx *ctx, recon_gcn **out, const char *path);
void recon_gcn_close(recon_ctx *ctx, recon_gcn *gcn);
recon_status recon_distribution_molecules(recon_ctx *ctx, recon_distribution3 *out,
                                          const recon_model *model, const recon_conformer *x,
                                          size_t n);
const char *recon_distribution3_words(recon_distribution3_text text,
                                      const recon_distribution3 *distribution);
void recon_pose_points(double *out, const recon_pose2 *pose, recon_direction direction,
                       const double *in, size_t n, size_t height, size_t width);
void recon_pose_vectors(double *out, const recon_pose2 *pose, recon_direction direction,
                        const double *in, size_t n);
void recon_pose_boxes(double *out, const recon_pose2 *pose, recon_direction direction,
                      const double *in, size_t n, size_t height, size_t width);
void recon_pose_image(float *out, const recon_pose2 *pose, recon_direction direction,
                      const float *in, size_t height, size_t width, size_t channels,
                      recon_interpolation interpolation);
void recon_pose_labels(int32_t *out, const recon_pose2 *pose, recon_direction direction,
                       const int32_t *in, size_t height, size_t width);

recon_status recon_dataset_open_with(recon_ctx *ctx, recon_dataset **out, const char *spec,
                                     const recon_dataset_options *options);
recon_status recon_dataset_take(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                                size_t count, uint64_t seed);
recon_status recon_rotation_rule_load(recon_ctx *ctx, recon_rotation_rule *out, const char *name_or_path);
recon_status recon_dataset_rotate(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                                const recon_rotation_rule *rule, uint64_t seed);
void recon_dataset_close(recon_dataset *data);
recon_dataset_info recon_dataset_describe(const recon_dataset *data);
int32_t recon_dataset_get(float *out, const recon_dataset *data, size_t i);
double recon_dataset_angle(const recon_dataset *data, size_t i);

recon_status recon_molecules_open(recon_ctx *ctx, recon_molecules **out, const char *spec,
                                  const recon_molecules_options *options);
recon_status recon_molecules_take(recon_ctx *ctx, recon_molecules **out,
                                  const recon_molecules *data, size_t count, uint64_t seed);
recon_status recon_molecules_rotate(recon_ctx *ctx, recon_molecules **out,
                                  const recon_molecules *data, const char *rule, uint64_t seed);
recon_molecules_info recon_molecules_describe(const recon_molecules *data);
recon_conformer recon_molecules_get(const recon_molecules *data, size_t i);
const char *recon_molecules_name(const recon_molecules *data, size_t molecule);
recon_status recon_molecules_make(recon_ctx *ctx, recon_molecules **out,
                                  const recon_conformer *list, size_t n, const char *const *names);
void recon_molecules_close(recon_molecules *data);
recon_status recon_dataset_make(recon_ctx *ctx, recon_dataset **out, const recon_array *images,
                                const recon_array *labels, const recon_dataset_options *options);
recon_status recon_inputs_open(recon_ctx *ctx, recon_inputs **out, const recon_source *source,
                               const recon_data *data, const recon_backbone *backbone,
                               const char *model);
void recon_inputs_close(recon_inputs *inputs);
const recon_data *recon_inputs_data(const recon_inputs *inputs);
size_t recon_inputs_record(recon_source *source, recon_metadata_entry more[RECON_INPUTS_ENTRIES],
                           const recon_inputs *inputs, const recon_backbone *backbone);
recon_status recon_backbone_open(recon_ctx *ctx, recon_backbone **out, const char *path,
                                 recon_precision precision);
void recon_backbone_close(recon_ctx *ctx, recon_backbone *backbone);
void recon_backbone_data_options(const recon_backbone *backbone, recon_data_options *options);
recon_precision recon_precision_on(recon_ctx *ctx, recon_precision precision);
int recon_ctx_threads(const recon_ctx *ctx);
recon_status recon_ieae_train(recon_ctx *ctx, recon_train_result *result, const recon_dataset *data,
                              const char *path, const recon_ieae_options *options);
recon_status recon_molecule_net_train(recon_ctx *ctx, recon_train_result *result,
                                      const recon_molecules *data, const recon_molecules *held,
                                      const char *path, const recon_molecule_net_options *options);
recon_status recon_discover(recon_ctx *ctx, recon_discovery *out, const char *model,
                            const recon_backbone *backbone, const recon_data *data, const char *dir,
                            const recon_discover_options *options);
void recon_discovery_free(recon_discovery *discovery);
recon_status recon_found_report(recon_ctx *ctx, void *data, const char *dir);
recon_status recon_bitmap_see(recon_ctx *ctx, float *out, size_t height, size_t width,
                               size_t channels, int crop, const recon_bitmap *in);
recon_status recon_bitmap_rotate(recon_ctx *ctx, void *out, const recon_bitmap *in, double angle,
                                  recon_interpolation interpolation);

int recon_molecules_is(const char *spec);
int recon_dataset_is(const char *spec);
int recon_element_number(const char *symbol, size_t n);
void recon_pose3_points(double *out, const recon_pose3 *pose, recon_direction direction,
                        const double *in, size_t n);
void recon_pose3_vectors(double *out, const recon_pose3 *pose, recon_direction direction,
                         const double *in, size_t n);
"""

_VALUES = {
    "void": None,
    "int": c_int,
    "size_t": c_size_t,
    "int32_t": c_int32,
    "uint64_t": c_uint64,
    "double": c_double,
}
_ENUMS = {"status", "group", "precision", "interpolation", "direction", "so2_family", "natural",
          "lambda", "trust_level"}


def _type(text: str) -> type | None:
    """A C type for ctypes. Pointers are addresses, save text, which is handed over as bytes."""
    if "recon_judge" in text:
        return Judge
    if "recon_answer" in text:
        return Answer
    if "recon_spin_judge" in text:
        return SpinJudge
    if text == "const char *":
        return c_char_p
    if "*" in text or text == "recon_distribution3_text":  # an array of characters
        return c_void_p
    if text in STRUCTURES:
        return STRUCTURES[text]
    return c_int if text.removeprefix("recon_") in _ENUMS else _VALUES[text]


def functions() -> dict[str, tuple[type | None, list[type | None]]]:
    """Every prototype's result and arguments, by name."""
    found = {}
    for line in PROTOTYPES.replace("\n", " ").split(";")[:-1]:
        (result, name, arguments), = re.findall(r"\s*(.*?)(recon_\w+)\((.*)\)$", line)
        types = [re.sub(r"\w+$", "", re.sub(r"\w+\[\w+\]$", "* x", a.strip())).strip()
                 for a in arguments.split(",")]
        found[name] = (_type(result.strip()), [_type(t) for t in types if t])
    return found


__all__ = ["CONSTANTS", "STRUCTURES", "PROTOTYPES", "functions"]
