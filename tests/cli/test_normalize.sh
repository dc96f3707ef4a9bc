#!/bin/sh
# recon normalize: what it writes and prints, and that bad input of every kind ends in one line, the
# right exit code and nothing left behind.
. "${0%/*}/lib.sh"

mkdir so3
"$simulate" so2 . 120 3 8 && "$simulate" so3 so3 120 3 8 || exit 1
so2() { run normalize --embeddings z.npy --poses g.npy --family normal --k 5 "$@"; }
names() { (cd "$1" && LC_ALL=C ls -A | tr '\n' ' '); }

# --- help and misuse ------------------------------------------------------------------------------
run normalize --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "--help shows an example"
refused 2 "--embeddings FILE is required" normalize
refused 2 "--poses FILE is required" normalize --embeddings z.npy
refused 2 "--out DIR is required" normalize --embeddings z.npy --poses g.npy
good="normalize --embeddings z.npy --poses g.npy --out out"
refused 2 "unknown option --neighbours" $good --neighbours 5
refused 2 "unexpected argument 'extra'" $good extra
refused 2 "--k needs N" $good --k
refused 2 "--k 0 must be a whole number of at least 1" $good --k 0
refused 2 "--k -3 must be a whole number" $good --k -3
refused 2 "--k 5x must be a whole number" $good --k 5x
refused 2 "--k 99999999999999999999 must be" $good --k 99999999999999999999
refused 2 "there is no group 'so4': so2, so3, " \
    $good --group so4
for group in 'so2|so3' c1 c361 d1 d65 torus0 torus17 r4 c04 c4x torus 'so2*so2*so2'; do
    refused 2 "there is no group '$group'" $good --group "$group"
done
refused 2 "--mean median must be one of" $good --mean median
refused 2 "--query needs ZQ GQ" $good --query z.npy
refused 2 "--family fisher: not for --group so2" $good --family fisher
refused 2 "--family normal: not for --group so3, which has only fisher" $good --group so3 --family normal
refused 2 "--family vonmises: not for --group torus2, which has only normal" $good --group torus2 --family vonmises
refused 2 "--quaternions: not for --group so2" $good --quaternions wxyz
refused 2 "--quaternions: not for --group c4" $good --group c4 --quaternions wxyz
refused 2 "--quaternions scipy must be one of wxyz|xyzw" $good --group so3 --quaternions scipy
refused 2 "--classes components needs --eps" $good --classes components
refused 2 "--eps needs --classes components" $good --eps 0.5
refused 2 "--eps nan must be a number above 0" $good --classes components --eps nan
refused 2 "--eps -1 must be a number above 0" $good --classes components --eps -1
for option in "--k 5" --include-self "--approx ivf"; do
    refused 2 "${option% *} needs --classes knn" $good --classes components --eps 1 $option
done
refused 2 "--include-self cannot be used with --query" $good --include-self --query z.npy g.npy
refused 2 "--tukey-c needs --mean tukey" $good --mean chordal --tukey-c 30
refused 2 "--labels with --query needs --query-labels too" $good --query z g --labels y
refused 2 "--tukey-c 200 is beyond 180 degrees" $good --tukey-c 200
refused 2 "--query-labels needs --query" $good --query-labels y.npy
refused 2 "--query needs ZQ GQ" $good --query z.npy --threads 1
refused 2 "--k needs N" $good --k --threads 1
refused 2 "--k needs N" $good --k=
refused 2 "--quiet takes no value" $good --quiet=1
refused 2 "--query needs ZQ GQ" $good --query=z.npy
refused 2 "--out needs DIR" normalize --embeddings z.npy --poses g.npy --out -q
refused 2 "unknown option --lables (did you mean --labels?)" $good --lables=3
refused 2 "unknown option -m" $good -m general

# --- what it writes and prints --------------------------------------------------------------------
so2 --out out --labels y.npy
[ "$code" -eq 0 ] && grep -q 'hit rate 1.0000' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "SO(2): a summary on standard output, nothing on standard error"
[ "$(names out)" = "absolute.npy background.npy fold.npy gamma.npy identifiability.npy members.npy \
modes.npy neighbors.npy normalized.npy p.npy p_embedding.npy parameters.npy score.npy similarity.npy summary.json symmetry.npy theta.npy \
verdict.npy " ] && is_json out/summary.json
report $? "the files of a neighbour run and no others"
grep -q 'half or more' "$scratch/stdout"
[ $? -eq 1 ]
report $? "few neighbours: no warning"
run normalize --embeddings z.npy --poses g.npy --family normal --out out --k 60
[ "$code" -eq 0 ] && grep -q 'warning    classes of 60 neighbours are half or more of all 120 points' "$scratch/stdout"
report $? "classes that are most of the data are warned of"
run normalize --embeddings z.npy --poses g.npy --family normal --out out --classes components --eps 0.8
[ "$code" -eq 0 ] && [ "$(names out)" = "absolute.npy background.npy classes.npy fold.npy gamma.npy identifiability.npy \
modes.npy p.npy parameters.npy score.npy summary.json symmetry.npy theta.npy verdict.npy " ]
report $? "components over it: no file of the earlier run stays"
run normalize --embeddings z.npy --poses g.npy --family normal --out out --classes components --eps 0.01
[ "$code" -eq 0 ] && grep -q 'try a larger --eps$' "$scratch/stdout" && grep -q 'too few poses to tell: try a larger --eps' "$scratch/stdout" &&
    ! grep -q -e '--k' "$scratch/stdout"
report $? "components that are too small: --eps is named, not --k"
so2 --out out --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && [ ! -s "$scratch/stderr" ] &&
    cmp -s "$scratch/stdout" out/summary.json
report $? "--json prints summary.json and nothing else"
run normalize --embeddings=z.npy --poses=g.npy --family=normal -k=5 -o short -q
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && diff -r -x summary.json out short >"$scratch/stderr"
report $? "--option=value and -o, -k, -q: the same bytes"
rm -r short
so2 --out out --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && [ ! -s "$scratch/stderr" ]
report $? "--quiet prints nothing"
if command -v script >/dev/null; then # makes a terminal
    code=0
    script -qec "'$recon' normalize --embeddings z.npy --poses g.npy --out out --json \
        >'$scratch/stdout'" "$scratch/stderr" </dev/null >/dev/null || code=$?
    [ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q 'centres *\[#' "$scratch/stderr"
    report $? "progress on a terminal goes to standard error only"
else
    skip "progress on a terminal goes to standard error only" "no script(1)"
fi
so2 --out out/ --query z.npy g.npy --query-labels y.npy --labels y.npy
[ "$code" -eq 0 ] && grep -q '^  queries *120$' "$scratch/stdout"
report $? "queries"
run normalize --embeddings so3/z.npy --poses so3/g.npy --group so3 --k 20 --out out
[ "$code" -eq 0 ] && grep -q 'natural .*an axis, spin free: 33.3 %' "$scratch/stdout" && grep -q fisher out/summary.json
report $? "SO(3)"
run info out/gamma.npy
grep -q 'float32 120 x 3 x 3' "$scratch/stdout"
report $? "SO(3): gamma.npy is N x 3 x 3"
for family in auto uniform vonmises mixture; do
    run normalize --embeddings z.npy --poses g.npy --k 12 --family $family --out out --threads 2
    [ "$code" -eq 0 ] && { [ $family = auto ] || grep -q "\"family\": \"$family\"" out/summary.json; }
    report $? "--family $family"
done
for mean in auto tukey frechet chordal; do
    so2 --mean $mean --out out
    [ "$code" -eq 0 ] && grep -q "\"mean\": \"$mean\"" out/summary.json
    report $? "--mean $mean"
done
for metric in dot euclidean; do
    so2 --metric $metric --include-self --out out
    [ "$code" -eq 0 ] && grep -q "\"metric\": \"$metric\"" out/summary.json
    report $? "--metric $metric"
done
for threads in 1 3; do
    so2 --out "threads$threads" --threads $threads --quiet
done
rm threads?/summary.json
diff -r threads1 threads3 >"$scratch/stdout" 2>&1
report $? "the same files on any number of threads"
rm -rf out threads1 threads3

# --- an index -------------------------------------------------------------------------------------
halves() { # z and poses of NPY as two files: lines of a table need no NumPy
    head -c 128 "$1" | sed 's/(120,/(60, /' >"$2"
    tail -c +129 "$1" | head -c $((($(wc -c <"$1") - 128) / 2)) >>"$2"
    head -c 128 "$1" | sed 's/(120,/(60, /' >"$3"
    tail -c $((($(wc -c <"$1") - 128) / 2)) "$1" >>"$3"
}
halves z.npy z1.npy z2.npy && halves g.npy g1.npy g2.npy
so2 --save-index whole.index
[ "$code" -eq 0 ] && grep -q '^  index *whole.index$' "$scratch/stdout" && [ ! -e out ]
report $? "--save-index"
so2 --query z2.npy g2.npy --out direct && run normalize --index whole.index --query z2.npy g2.npy --out asked
rm direct/summary.json && grep -q '"points": 120' asked/summary.json && rm asked/summary.json && diff -r direct asked >"$scratch/stdout"
report $? "--index: the files that --embeddings and --poses give"
run normalize --embeddings z1.npy --poses g1.npy --family normal --k 5 --save-index half.index
run normalize --index half.index --embeddings z2.npy --poses g2.npy --save-index half.index
[ "$code" -eq 0 ] && cmp half.index whole.index >"$scratch/stdout"
report $? "points that are added to a file were always there"
refused 2 "--k is the index's own" normalize --index whole.index --query z.npy g.npy --out o --k 3
refused 2 "--query ZQ GQ is required" normalize --index whole.index --out o
refused 2 "--out DIR is required" normalize --index whole.index --query z.npy g.npy
refused 2 "--save-index FILE is required" normalize --index whole.index --embeddings z.npy --poses g.npy
refused 2 "--poses needs --embeddings" normalize --index whole.index --poses g.npy --out o
refused 2 "--save-index needs --embeddings" normalize --index whole.index --query z.npy g.npy --out o --save-index i
refused 2 "--approx is not for an index" $good --save-index i --approx ivf
refused 1 "z.npy: not a safetensors file" normalize --index z.npy --query z.npy g.npy --out o
refused 1 "not an index of poses" normalize --index "${release%/build/recon}/models/mnist-small.safetensors" --query z.npy g.npy --out o
refused 1 "an index without classes of your own" normalize --index whole.index --embeddings z.npy --poses g.npy --classes y.npy --save-index i
rm -rf direct asked ./*.index z[12].npy g[12].npy

# --- classes of one's own -------------------------------------------------------------------------
own() { run normalize --embeddings z.npy --poses g.npy --family normal --out out --classes "$@"; }
numbers() { tail -c "$((120 * $2))" "$1" | od -An -v "-w$2" -t "d$2" | tr -d ' '; }
own y.npy
[ "$code" -eq 0 ] && [ "$(numbers out/classes.npy 8)" = "$(numbers y.npy 4)" ] && grep -q '"classes": "given"' out/summary.json && [ ! -e out/similarity.npy ]
report $? "--classes FILE: the classes of the file"
cp out/gamma.npy own.npy
cp out/classes.npy kinds.npy
(echo kind; numbers y.npy 4) >own.csv
own own.csv
[ "$code" -eq 0 ] && cmp -s out/gamma.npy own.npy
report $? "the same as a column of text"
own own.csv --query z.npy g.npy
[ "$code" -eq 0 ] && cmp -s out/gamma.npy own.npy && cmp -s out/classes.npy kinds.npy
report $? "queries belong to the class of their nearest point"
refused 2 "--k needs --classes knn" $good --classes own.csv --k 5
head -n 100 own.csv >short.csv
refused 1 "short.csv: 99 classes, but 120 rows" normalize --embeddings z.npy --poses g.npy --classes short.csv --out r
sed 's/2/x/' own.csv >bad.csv
refused 1 "bad.csv: line" normalize --embeddings z.npy --poses g.npy --classes bad.csv --out r
refused 1 "nowhere" normalize --embeddings z.npy --poses g.npy --classes nowhere --out r
yes -- -1 | head -n 120 >none.csv
refused 1 "no row has a class: all are below 0" normalize --embeddings z.npy --poses g.npy --classes none.csv --out r
rm -rf out

# --- files that are not what they should be -------------------------------------------------------
refuse_z() { refused 1 "$2" normalize --embeddings "$1" --poses g.npy --k 5 --out out; }
refuse_g() { refused 1 "$2" normalize --embeddings z.npy --poses "$1" --k 5 --out out; }
head -c 100 z.npy >cut.npy
refuse_z cut.npy "cut.npy: NPY header is cut short"
head -c 1000 z.npy >cut.npy
refuse_z cut.npy "cut.npy: data is cut short"
refuse_g cut.npy "cut.npy: data is cut short"
(cat z.npy; echo) >long.npy
refuse_z long.npy "long.npy: data is too long"
: >empty.npy
refuse_z empty.npy "empty.npy: not an NPY file: too short"
echo "this is a text file" >text.npy
refuse_z text.npy "text.npy: not an NPY file: wrong magic"
f32 1 | npy hostile.npy '<f4' '9223372036854775807, 9223372036854775807'
refuse_z hostile.npy "hostile.npy: an array of"
f32 1 | npy hostile.npy '<f4' '99999999999999999999999, 2'
refuse_z hostile.npy "hostile.npy: NPY header, byte"
f32 1 | npy hostile.npy '<f4' '-1, 2'
refuse_z hostile.npy "a dimension is negative"
f32 1 | npy hostile.npy '|O' '1, 1'
refuse_z hostile.npy "hostile.npy: NPY header, byte"
f32 1 | npy hostile.npy '<c8' '1, 1'
refuse_z hostile.npy "hostile.npy: NPY header, byte"
printf '\223NUMPY\011\000\166\000{}' >hostile.npy
refuse_z hostile.npy "hostile.npy: NPY version 9.0 is not known"
printf '\223NUMPY\002\000\377\377\377\377{}' >hostile.npy
refuse_z hostile.npy "hostile.npy: NPY header is cut short"
printf "\223NUMPY\001\000\004\000{'a\033" >hostile.npy
refuse_z hostile.npy "hostile.npy: NPY header, byte"

# --- numbers that are not what they should be -----------------------------------------------------
f32 1 2 1 nan 2 1 1 1 | npy nan.npy '<f4' '4, 2'
f32 1 2 1 0 inf 1 1 1 | npy inf.npy '<f4' '4, 2'
f32 1 2 1 0 2 1 0 0 | npy zero.npy '<f4' '4, 2'
f32 1 2 1 0 2 1 1 1 | npy four.npy '<f4' '4, 2'
f32 1 2 1 0 2 1 1 1 | npy eight.npy '<f4' '8, 1'
f32 1 0 1 2 | npy angles.npy '<f4' '4,'
f32 1 0 nan 2 | npy badangles.npy '<f4' '4,'
no_poses() { text=$1 z=$2 g=$3; shift 3; refused 2 "$text" normalize --embeddings "$z" --poses "$g" --out out "$@"; }
four() { text=$1 z=$2 g=$3; shift 3; refused 1 "$text" normalize --embeddings "$z" --poses "$g" --out out "$@"; }
four "row 1, column 1 is nan (embeddings nan.npy)" nan.npy angles.npy --k 2
four "row 2, column 0 is inf (embeddings inf.npy)" inf.npy angles.npy --k 2
four "row 3 is the zero vector, which has no cosine similarity (embeddings zero.npy)" \
    zero.npy angles.npy --k 2
four "queries: row 1, column 1 is nan (embeddings four.npy, queries nan.npy)" \
    four.npy angles.npy --k 2 --query nan.npy angles.npy
no_poses "badangles.npy: row 2 holds nan" four.npy badangles.npy --k 2
no_poses "badangles.npy: row 2 holds nan" four.npy angles.npy --k 2 --query four.npy badangles.npy
four "k = 4, but a point has only 3 possible neighbours" four.npy angles.npy --k 4
four "k = 5, but there are only 4 points" four.npy angles.npy --k 5 --query four.npy angles.npy
four "g.npy: 120 poses for 4 embeddings" four.npy g.npy --k 2
four "but 4 labels are needed" four.npy angles.npy --k 2 --labels y.npy
four "queries have 8 columns, the embeddings 2" four.npy angles.npy --k 2 --query z.npy g.npy
four "but embeddings are N x D" angles.npy angles.npy --k 2
no_poses "but poses are N angles for SO(2)" four.npy four.npy --k 2
no_poses "but poses are N x 3 x 3, N x 9 or N x 4 for SO(3)" four.npy angles.npy --k 2 --group so3
four "components need a distance" four.npy angles.npy --classes components --eps 1 --metric dot
npy none.npy '<f4' '0, 2' </dev/null
npy noangles.npy '<f4' '0,' </dev/null
four "none.npy: float32 0 x 2 holds no embeddings" none.npy noangles.npy --k 2
f32 1 2 | npy single.npy '<f4' '1, 2'
f32 1 | npy angle.npy '<f4' '1,'
four "k = 1, but a point has only 0 possible neighbours" single.npy angle.npy --k 1
accepted "one point is its own class" normalize --embeddings single.npy --poses angle.npy --k 1 \
    --include-self --out out
rm -rf out
f32 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 -1 | npy mirror.npy '<f4' '2, 3, 3'
f32 1 0 0 0 1 0 0 0 1 1 0 0 0 2 0 0 0 1 | npy stretch.npy '<f4' '2, 9'
f32 1 0 0 0 1 0 0 1 | npy long4.npy '<f4' '2, 4'
f32 1 2 1 0 | npy two.npy '<f4' '2, 2'
so3() { no_poses "$1" two.npy "$2" --group so3 --k 1; }
so3 "mirror.npy: row 1 is not a rotation: a reflection" mirror.npy
so3 "stretch.npy: row 1 is not a rotation: R R^T is off by 3" stretch.npy
no_poses "long4.npy: row 1 is not a rotation: the quaternion's length is off by 0.414" two.npy long4.npy \
    --group so3 --k 1 --quaternions wxyz

# --- quaternions: their order is stated, because nothing in the data shows it -----------------------
f32 1 0 0 0 0 1 0 0 | npy first.npy '<f4' '2, 4'
f32 0 0 0 1 1 0 0 0 | npy last.npy '<f4' '2, 4'
f32 1 0 0 0 1 0 0 0 1 1 0 0 0 -1 0 0 0 -1 | npy matrices.npy '<f4' '2, 9'
two() { poses=$1 && shift && set -- --embeddings two.npy --poses "$poses" --group so3 --k 1 "$@" && run normalize "$@"; }
two first.npy --quaternions wxyz --out first && two last.npy --quaternions xyzw --out last &&
    two matrices.npy --out matrices && cmp first/gamma.npy matrices/gamma.npy && cmp last/gamma.npy matrices/gamma.npy
report $? "quaternions of either order are the rotations that they are"
[ "$(cat first/summary.json last/summary.json matrices/summary.json | grep -c '"quaternions": "[wxyz]*"')" -eq 2 ]
report $? "the summary says in which order they were read"
rm -r first last matrices
misuse() { text=$1 && shift && refused 2 "$text" normalize --embeddings two.npy --group so3 --k 1 --out out "$@"; }
misuse "first.npy: the order of the quaternions has to be stated, since the numbers cannot show it: --quaternions wxyz \
(w first: MuJoCo, PyTorch3D, Blender) or xyzw (w last: SciPy, ROS, Eigen's coeffs) (--quaternions)" --poses first.npy
misuse "first.npy: the order of the quaternions has" --poses matrices.npy --query two.npy first.npy
misuse "matrices.npy: float32 2 x 9, but the order of quaternions is stated, and those are N x 4: leave it out" \
    --poses matrices.npy --quaternions xyzw
misuse "matrices.npy: float32 2 x 9, but" --poses first.npy --query two.npy matrices.npy --quaternions wxyz
refused 1 "absent.npy: cannot open" normalize --embeddings absent.npy --poses first.npy --group so3 --k 1 --out out

# Indices of C_4, taken for radians, would be poses that nobody meant.
printf '\000\000\001\000\002\000\003\000' | npy indices.npy '<i2' '4,'
no_poses "indices.npy: int16, but radians are floating-point numbers; if these are indices of C_n, multiply them by 2 pi / n" \
    four.npy indices.npy --k 2

# --- what the system refuses ----------------------------------------------------------------------
refuse_z absent.npy "absent.npy: cannot open: No such file"
refuse_z so3 "so3: is a directory"
refuse_z z.npy/z.npy "z.npy/z.npy: cannot open: Not a directory"
refused 1 "absent.npy: cannot open" normalize --embeddings z.npy --poses g.npy --labels absent.npy --out out
mkfifo pipe && refuse_z pipe "pipe: is not a regular file"
# An output folder that cannot be is named before the long work, here before z.npy is missed.
refused 1 "z.npy: cannot make the folder: File exists" normalize --embeddings absent.npy \
    --poses g.npy --out z.npy
refused 1 "no/such: cannot make the folder: No such file" normalize --embeddings absent.npy \
    --poses g.npy --out no/such

# An input keeps its place, also where the result has a file by that name.
mkdir own && cp four.npy own/z.npy && cp angles.npy own/score.npy
refused 1 "own/score.npy: would be replaced by the result's file of that name; name another folder" \
    normalize --embeddings own/z.npy --poses own/score.npy --k 2 --out own
accepted "inputs by other names may be in the folder" \
    normalize --embeddings own/z.npy --poses angles.npy --k 2 --out own
rm -r own

# Root reads everything, so that root has to become somebody else for this.
nobody() {
    if [ "$(id -u)" -ne 0 ]; then "$@"; else setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; fi
}
nobody_runs() {
    before=$(snapshot)
    nobody "$recon" normalize --k 5 --family normal "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}
cp z.npy secret.npy
chmod 000 secret.npy
if nobody "$recon" --version >/dev/null 2>&1 && ! nobody cat secret.npy >/dev/null 2>&1; then
    mkdir open && chmod 777 open
    nobody_runs --embeddings secret.npy --poses g.npy --out open/out
    failed_cleanly 1 "secret.npy: cannot open: Permission denied"
    report $? "no permission to read"
    mkdir sealed && chmod 555 sealed
    nobody_runs --embeddings z.npy --poses g.npy --out sealed/out
    failed_cleanly 1 "sealed/out: cannot make the folder: Permission denied"
    report $? "no permission to make the folder"
    nobody_runs --embeddings z.npy --poses g.npy --out sealed
    failed_cleanly 1 "sealed: cannot write into the folder: Permission denied"
    report $? "no permission to write into the folder"
else
    skip "no permission" "nobody to run as"
fi
rm -rf secret.npy open sealed

# A limit on the size of files fails a write just as a full disk does. 8 blocks are 4 kB.
full_disk() {
    before=$(snapshot)
    (trap '' XFSZ; ulimit -f 8; exec "$recon" normalize --embeddings z.npy --poses g.npy \
        --family normal --k 50 --out out) >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}
full_disk
failed_cleanly 1 "cannot write: File too large"
report $? "full disk: no folder is left"
so2 --out out
full_disk
failed_cleanly 1 "cannot write: File too large"
report $? "full disk: an earlier result stays as it was"
mkdir -p blocked/score.npy
refused 1 "blocked/score.npy: is a folder, where a file of the result has to go" normalize --embeddings z.npy --poses g.npy \
    --family normal --out blocked
rm -rf out blocked

# --- other groups: nothing takes their poses for angles or rotations --------------------------------
f32 1 0 1 0 2 0 0 1 0 1 0 2 | npy six.npy '<f4' '6, 2'
f32 0 2 0 2 0 2 2 0 2 0 2 0 | npy pairs.npy '<f4' '6, 2'
f32 2 2 2 1 1 1 | npy elements.npy '<f4' '6,'
of() { group=$1 poses=$2 && shift 2 && run normalize --embeddings six.npy --poses "$poses" --group "$group" --k 2 "$@"; }
of torus2 pairs.npy --out torus
[ "$code" -eq 0 ] && grep -q '6 points on T^2' "$scratch/stdout" && grep -q '"group": "torus2"' torus/summary.json &&
    [ "$(head -c 128 torus/gamma.npy | grep -c '6, 2)')" -eq 1 ] &&
    [ "$(head -c 128 torus/normalized.npy | grep -c '6, 2, 2)')" -eq 1 ]
report $? "a torus: arrays have two numbers a pose"
run report torus
[ "$code" -eq 0 ] && grep -q 'T^2, angles that rotate independently' torus/report.html
report $? "its page says which group it is"
of c4 elements.npy --out cyclic
[ "$code" -eq 0 ] && grep -q '6 points on C_4' "$scratch/stdout" && tail -c 24 cyclic/gamma.npy >got &&
    f32 2 2 2 1 1 1 | cmp -s - got
report $? "C_4: the centre is the most frequent element"
no_poses "pairs.npy: float32 6 x 2, but poses are N for C_4" six.npy pairs.npy --k 2 --group c4
no_poses "elements.npy: float32 6, but poses are N x 2 for T^2" six.npy elements.npy --k 2 --group torus2
no_poses "row 0 is 2, not one of 0 .. 1 (in elements.npy)" six.npy elements.npy --k 2 --group c2
no_poses "pairs.npy: float32 6 x 2, but poses are N angles for SO(2)" six.npy pairs.npy --k 2
groups="o2 d4 r2 scale se2 se3 so2*scale so3*r3"
[ "${RECON_BUILD:-build}" = build ] || groups=so3*r3
for group in $groups; do
    mkdir groups && "$simulate" "$group" groups 240 12 8 && run normalize --embeddings groups/z.npy --poses groups/g.npy --group "$group" \
        --k 15 --out groups/out && run report groups/out
    [ "$code" -eq 0 ] && grep -q '"one": \(1.0\|0.[6-9]\)' groups/out/summary.json && grep -q 'natural pose' groups/out/report.html
    report $? "$group: normalize and report"
    rm -rf groups
done

finish
