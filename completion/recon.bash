# Completion of recon for bash. Made by tools/make-completion: `make docs`.
_recon_words() {
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "${COMP_WORDS[COMP_CWORD]}")
}

# The word is cut at a colon: behind it come files, as after any other word.
_recon_specs() {
    compopt -o nospace
    _recon_words garments mnist mnist/train mnist/val mnist/test mnist12k mnist12k/train mnist12k/val mnist12k/test fashion fashion/train fashion/val fashion/test cifar10 cifar10/train cifar10/val cifar10/test idx: npy: images: amat: conformers conformers/train conformers/val conformers/test conformers/all xyz: sdf: geom: flat:
}

_recon() {
    COMPREPLY=()
    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        _recon_words upright demo train discover normalize report canonicalize audit score distribution export check classifier reproduce info models help --help --version
        return
    fi
    if [ "$word" = : ]; then
        mapfile -t COMPREPLY < <(compgen -f)
        return
    fi
    [ "$last" = : ] && return

    local command=${COMP_WORDS[1]}
    if [ "$command" = reproduce ]; then
        [ "$COMP_CWORD" -eq 2 ] && { _recon_words mnist mnist12k fashion images molecules estimators groups letters cifar10 words --help; return; }
        command+=" ${COMP_WORDS[2]}"
    fi
    case $command,$last in
    upright,-o | upright,--out) ;;
    upright,-m | upright,--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    upright,--seed) compopt +o default ;;
    upright,--device) _recon_words cpu cuda ref ;;
    demo,-o | demo,--out) ;;
    demo,--limit) compopt +o default ;;
    train,-o | train,--out) ;;
    train,--preset) _recon_words auto fast paper small photo photo-small ;;
    train,--from) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    train,--epochs) compopt +o default ;;
    train,--held) _recon_specs ;;
    train,--every) compopt +o default ;;
    train,--set) compopt +o default ;;
    train,-d | train,--data) _recon_specs ;;
    train,--rotate) ;;
    train,--rotate-seed) compopt +o default ;;
    train,--limit) compopt +o default ;;
    train,--seed) compopt +o default ;;
    train,--size) compopt +o default ;;
    train,--crop) _recon_words none auto ;;
    train,--picture-limit) compopt +o default ;;
    train,--device) _recon_words cpu cuda ref ;;
    train,--precision) _recon_words auto f32 tf32 bf16 ;;
    discover,-m | discover,--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    discover,-o | discover,--out) ;;
    discover,-k | discover,--k) compopt +o default ;;
    discover,--mean) _recon_words auto tukey frechet chordal ;;
    discover,--family) _recon_words auto uniform normal ;;
    discover,--lambda) _recon_words auto neighbours head density ;;
    discover,--heads) _recon_words mlp paper ;;
    discover,--head-epochs) compopt +o default ;;
    discover,--head-rate) compopt +o default ;;
    discover,--folds) compopt +o default ;;
    discover,-d | discover,--data) _recon_specs ;;
    discover,--rotate) ;;
    discover,--rotate-seed) compopt +o default ;;
    discover,--limit) compopt +o default ;;
    discover,--seed) compopt +o default ;;
    discover,--size) compopt +o default ;;
    discover,--crop) _recon_words none auto ;;
    discover,--picture-limit) compopt +o default ;;
    discover,--device) _recon_words cpu cuda ref ;;
    discover,--precision) _recon_words auto f32 tf32 bf16 ;;
    normalize,--embeddings) ;;
    normalize,--poses) ;;
    normalize,-o | normalize,--out) ;;
    normalize,--save-index) ;;
    normalize,--index) ;;
    normalize,--group) ;;
    normalize,--quaternions) _recon_words wxyz xyzw ;;
    normalize,-k | normalize,--k) compopt +o default ;;
    normalize,--query) ;;
    normalize,--mean) _recon_words auto tukey frechet chordal ;;
    normalize,--tukey-c) compopt +o default ;;
    normalize,--classes) ;;
    normalize,--eps) compopt +o default ;;
    normalize,--metric) _recon_words cosine dot euclidean ;;
    normalize,--family) _recon_words auto uniform normal vonmises mixture fisher ;;
    normalize,--labels) ;;
    normalize,--query-labels) ;;
    normalize,--approx) _recon_words auto exact ivf hnsw ;;
    normalize,--device) _recon_words cpu cuda ref ;;
    report,-o | report,--out) ;;
    report,-d | report,--data) _recon_specs ;;
    report,--rotate) ;;
    report,--rotate-seed) compopt +o default ;;
    report,--limit) compopt +o default ;;
    report,--seed) compopt +o default ;;
    report,--size) compopt +o default ;;
    report,--crop) _recon_words none auto ;;
    report,--picture-limit) compopt +o default ;;
    report,--device) _recon_words cpu cuda ref ;;
    report,--precision) _recon_words auto f32 tf32 bf16 ;;
    canonicalize,-m | canonicalize,--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    canonicalize,-o | canonicalize,--out) ;;
    canonicalize,--poses) ;;
    canonicalize,--lambda) _recon_words auto neighbours head density ;;
    canonicalize,--only-if) compopt +o default ;;
    canonicalize,--actions) ;;
    canonicalize,--anchor) compopt +o default ;;
    canonicalize,--examples) _recon_specs ;;
    canonicalize,--prior) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    canonicalize,--spin) ;;
    canonicalize,--spin-from) _recon_specs ;;
    canonicalize,--spin-k) compopt +o default ;;
    canonicalize,--interpolation) _recon_words bilinear bicubic ;;
    canonicalize,--quality) compopt +o default ;;
    canonicalize,--fill) ;;
    canonicalize,--keep) _recon_words size all ;;
    canonicalize,-d | canonicalize,--data) _recon_specs ;;
    canonicalize,--rotate) ;;
    canonicalize,--rotate-seed) compopt +o default ;;
    canonicalize,--limit) compopt +o default ;;
    canonicalize,--seed) compopt +o default ;;
    canonicalize,--size) compopt +o default ;;
    canonicalize,--crop) _recon_words none auto ;;
    canonicalize,--picture-limit) compopt +o default ;;
    canonicalize,--device) _recon_words cpu cuda ref ;;
    canonicalize,--precision) _recon_words auto f32 tf32 bf16 ;;
    audit,-m | audit,--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    audit,-o | audit,--out) ;;
    audit,--fdr) compopt +o default ;;
    audit,-d | audit,--data) _recon_specs ;;
    audit,--rotate) ;;
    audit,--rotate-seed) compopt +o default ;;
    audit,--limit) compopt +o default ;;
    audit,--seed) compopt +o default ;;
    audit,--size) compopt +o default ;;
    audit,--crop) _recon_words none auto ;;
    audit,--picture-limit) compopt +o default ;;
    audit,--device) _recon_words cpu cuda ref ;;
    audit,--precision) _recon_words auto f32 tf32 bf16 ;;
    score,-m | score,--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    score,-o | score,--out) ;;
    score,--rows) ;;
    score,--false-alarms) compopt +o default ;;
    score,-d | score,--data) _recon_specs ;;
    score,--rotate) ;;
    score,--rotate-seed) compopt +o default ;;
    score,--limit) compopt +o default ;;
    score,--seed) compopt +o default ;;
    score,--size) compopt +o default ;;
    score,--crop) _recon_words none auto ;;
    score,--picture-limit) compopt +o default ;;
    score,--device) _recon_words cpu cuda ref ;;
    score,--precision) _recon_words auto f32 tf32 bf16 ;;
    distribution,-m | distribution,--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    distribution,--index) compopt +o default ;;
    distribution,--svg) ;;
    distribution,-d | distribution,--data) _recon_specs ;;
    distribution,--rotate) ;;
    distribution,--rotate-seed) compopt +o default ;;
    distribution,--limit) compopt +o default ;;
    distribution,--seed) compopt +o default ;;
    distribution,--size) compopt +o default ;;
    distribution,--crop) _recon_words none auto ;;
    distribution,--picture-limit) compopt +o default ;;
    distribution,--device) _recon_words cpu cuda ref ;;
    distribution,--precision) _recon_words auto f32 tf32 bf16 ;;
    export,-m | export,--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    export,-o | export,--out) ;;
    export,--what) _recon_words pose canonicalize score classifier ;;
    export,--lambda) _recon_words auto neighbours head density ;;
    export,--licence) ;;
    check,--svg) ;;
    check,-d | check,--data) _recon_specs ;;
    check,--rotate) ;;
    check,--rotate-seed) compopt +o default ;;
    check,--limit) compopt +o default ;;
    check,--seed) compopt +o default ;;
    check,--size) compopt +o default ;;
    check,--crop) _recon_words none auto ;;
    check,--picture-limit) compopt +o default ;;
    check,--device) _recon_words cpu cuda ref ;;
    check,--precision) _recon_words auto f32 tf32 bf16 ;;
    classifier,-o | classifier,--out) ;;
    classifier,-m | classifier,--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    classifier,--net) _recon_words small resnet18 ;;
    classifier,--width) compopt +o default ;;
    classifier,--shift) compopt +o default ;;
    classifier,--epochs) compopt +o default ;;
    classifier,--batch) compopt +o default ;;
    classifier,--rate) compopt +o default ;;
    classifier,--decay) compopt +o default ;;
    classifier,--held) _recon_specs ;;
    classifier,--every) compopt +o default ;;
    classifier,--weights) _recon_words f32 bf16 ;;
    classifier,-d | classifier,--data) _recon_specs ;;
    classifier,--rotate) ;;
    classifier,--rotate-seed) compopt +o default ;;
    classifier,--limit) compopt +o default ;;
    classifier,--seed) compopt +o default ;;
    classifier,--size) compopt +o default ;;
    classifier,--crop) _recon_words none auto ;;
    classifier,--picture-limit) compopt +o default ;;
    classifier,--device) _recon_words cpu cuda ref ;;
    classifier,--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce mnist",-m | "reproduce mnist",--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce mnist",--classifier) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce mnist",--figures) ;;
    "reproduce mnist",--images) compopt +o default ;;
    "reproduce mnist",--limit) compopt +o default ;;
    "reproduce mnist",-o | "reproduce mnist",--out) ;;
    "reproduce mnist",--epochs) compopt +o default ;;
    "reproduce mnist",--seed) compopt +o default ;;
    "reproduce mnist",--seeds) compopt +o default ;;
    "reproduce mnist",--preset) _recon_words fast paper small ;;
    "reproduce mnist",--backbone) _recon_words all plain terms density ;;
    "reproduce mnist",--embeddings) ;;
    "reproduce mnist",--rival) _recon_words all augmented escnn equiadapt partial_gcnn sgm ;;
    "reproduce mnist",--device) _recon_words cpu cuda ref ;;
    "reproduce mnist",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce mnist12k",-m | "reproduce mnist12k",--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce mnist12k",--classifier) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce mnist12k",--figures) ;;
    "reproduce mnist12k",--images) compopt +o default ;;
    "reproduce mnist12k",--limit) compopt +o default ;;
    "reproduce mnist12k",-o | "reproduce mnist12k",--out) ;;
    "reproduce mnist12k",--epochs) compopt +o default ;;
    "reproduce mnist12k",--seed) compopt +o default ;;
    "reproduce mnist12k",--seeds) compopt +o default ;;
    "reproduce mnist12k",--preset) _recon_words fast paper small ;;
    "reproduce mnist12k",--backbone) _recon_words all plain terms density ;;
    "reproduce mnist12k",--embeddings) ;;
    "reproduce mnist12k",--rival) _recon_words all augmented escnn equiadapt partial_gcnn sgm ;;
    "reproduce mnist12k",--device) _recon_words cpu cuda ref ;;
    "reproduce mnist12k",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce fashion",-m | "reproduce fashion",--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce fashion",--classifier) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce fashion",--figures) ;;
    "reproduce fashion",--images) compopt +o default ;;
    "reproduce fashion",--limit) compopt +o default ;;
    "reproduce fashion",-o | "reproduce fashion",--out) ;;
    "reproduce fashion",--epochs) compopt +o default ;;
    "reproduce fashion",--seed) compopt +o default ;;
    "reproduce fashion",--seeds) compopt +o default ;;
    "reproduce fashion",--preset) _recon_words fast paper small ;;
    "reproduce fashion",--backbone) _recon_words all plain terms density ;;
    "reproduce fashion",--embeddings) ;;
    "reproduce fashion",--rival) _recon_words all augmented escnn equiadapt partial_gcnn sgm ;;
    "reproduce fashion",--device) _recon_words cpu cuda ref ;;
    "reproduce fashion",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce images",-m | "reproduce images",--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce images",--classifier) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce images",--figures) ;;
    "reproduce images",--images) compopt +o default ;;
    "reproduce images",-d | "reproduce images",--data) _recon_specs ;;
    "reproduce images",--rotate) ;;
    "reproduce images",--device) _recon_words cpu cuda ref ;;
    "reproduce images",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce molecules",-m | "reproduce molecules",--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce molecules",--classifier) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce molecules",--figures) ;;
    "reproduce molecules",-o | "reproduce molecules",--out) ;;
    "reproduce molecules",--epochs) compopt +o default ;;
    "reproduce molecules",--seed) compopt +o default ;;
    "reproduce molecules",--seeds) compopt +o default ;;
    "reproduce molecules",-d | "reproduce molecules",--data) _recon_specs ;;
    "reproduce molecules",--preset) _recon_words fast paper small ;;
    "reproduce molecules",--rival) _recon_words all equiadapt segnn ;;
    "reproduce molecules",--device) _recon_words cpu cuda ref ;;
    "reproduce molecules",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce estimators",--figures) ;;
    "reproduce estimators",--seed) compopt +o default ;;
    "reproduce estimators",--device) _recon_words cpu cuda ref ;;
    "reproduce estimators",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce groups",--seed) compopt +o default ;;
    "reproduce groups",--device) _recon_words cpu cuda ref ;;
    "reproduce groups",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce letters",--fonts) ;;
    "reproduce letters",--size) compopt +o default ;;
    "reproduce letters",-o | "reproduce letters",--out) ;;
    "reproduce letters",--epochs) compopt +o default ;;
    "reproduce letters",--seed) compopt +o default ;;
    "reproduce letters",--seeds) compopt +o default ;;
    "reproduce letters",-m | "reproduce letters",--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce letters",--laws) ;;
    "reproduce letters",--draws) compopt +o default ;;
    "reproduce letters",--crop) _recon_words none auto ;;
    "reproduce letters",--preset) _recon_words fast paper small ;;
    "reproduce letters",--device) _recon_words cpu cuda ref ;;
    "reproduce letters",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce cifar10",-m | "reproduce cifar10",--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce cifar10",--classifier) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce cifar10",--images) compopt +o default ;;
    "reproduce cifar10",--limit) compopt +o default ;;
    "reproduce cifar10",-o | "reproduce cifar10",--out) ;;
    "reproduce cifar10",--epochs) compopt +o default ;;
    "reproduce cifar10",--seed) compopt +o default ;;
    "reproduce cifar10",--augmented) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce cifar10",--preset) _recon_words photo photo-small ;;
    "reproduce cifar10",--device) _recon_words cpu cuda ref ;;
    "reproduce cifar10",--precision) _recon_words auto f32 tf32 bf16 ;;
    "reproduce words",-m | "reproduce words",--model) _recon_words $(recon models 2>/dev/null | awk "NR > 1 { print \$1 }") ;;
    "reproduce words",--fonts) ;;
    "reproduce words",--images) compopt +o default ;;
    "reproduce words",--limit) compopt +o default ;;
    "reproduce words",--size) compopt +o default ;;
    "reproduce words",--epochs) compopt +o default ;;
    "reproduce words",--seed) compopt +o default ;;
    "reproduce words",-o | "reproduce words",--out) ;;
    "reproduce words",--preset) _recon_words fast paper small photo photo-small ;;
    "reproduce words",--reader) _recon_words all ppocr tesseract ;;
    "reproduce words",--device) _recon_words cpu cuda ref ;;
    "reproduce words",--precision) _recon_words auto f32 tf32 bf16 ;;
    info,--crop) _recon_words none auto ;;
    info,--picture-limit) compopt +o default ;;
    *,--threads) compopt +o default ;;
    help,help) _recon_words upright demo train discover normalize report canonicalize audit score distribution export check classifier reproduce info models ;;
    *) _recon_else "$command" "$word" ;;
    esac
}

# What stands where no value is due: an option, or an argument.
_recon_else() {
    case $1,$2 in
    upright,-*) _recon_words --out --quick --model --seed --device --threads --json --quiet --help ;;
    demo,-*) _recon_words --out --limit --threads --json --quiet --help ;;
    train,-*) _recon_words --out --preset --from --mask --epochs --plain --held --every --resume --overwrite --set --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    discover,-*) _recon_words --model --out --k --mean --family --lambda --heads --head-epochs --head-rate --half --folds --keep-embeddings --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    normalize,-*) _recon_words --embeddings --poses --out --save-index --index --group --quaternions --k --query --mean --tukey-c --classes --eps --metric --include-self --family --labels --query-labels --approx --device --threads --json --quiet --help ;;
    report,-*) _recon_words --out --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    canonicalize,-*) _recon_words --model --out --poses --lambda --only-if --only-one --all --actions --anchor --examples --prior --spin --spin-from --spin-k --interpolation --quality --fill --keep --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    audit,-*) _recon_words --model --out --fdr --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    score,-*) _recon_words --model --out --rows --false-alarms --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    distribution,-*) _recon_words --model --index --svg --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    export,-*) _recon_words --model --out --what --lambda --licence --threads --json --quiet --help ;;
    check,-*) _recon_words --svg --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    classifier,-*) _recon_words --out --model --net --width --shift --flip --epochs --batch --rate --decay --held --every --weights --resume --overwrite --data --rotate --rotate-seed --limit --seed --skip-bad --size --crop --picture-limit --device --deterministic --strict --precision --threads --json --quiet --help ;;
    "reproduce mnist",-*) _recon_words --quick --model --classifier --figures --images --limit --train --resume --overwrite --out --epochs --seed --seeds --preset --backbone --embeddings --resample --baselines --rival --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce mnist12k",-*) _recon_words --quick --model --classifier --figures --images --limit --train --resume --overwrite --out --epochs --seed --seeds --preset --backbone --embeddings --resample --baselines --rival --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce fashion",-*) _recon_words --quick --model --classifier --figures --images --limit --train --resume --overwrite --out --epochs --seed --seeds --preset --backbone --embeddings --resample --baselines --rival --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce images",-*) _recon_words --quick --model --classifier --figures --images --data --rotate --resample --baselines --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce molecules",-*) _recon_words --quick --model --classifier --figures --train --resume --overwrite --out --epochs --seed --seeds --data --preset --baselines --rival --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce estimators",-*) _recon_words --figures --seed --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce groups",-*) _recon_words --quick --seed --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce letters",-*) _recon_words --quick --fonts --size --out --epochs --seed --seeds --model --laws --draws --crop --preset --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce cifar10",-*) _recon_words --quick --model --classifier --images --limit --train --resume --overwrite --out --epochs --seed --augmented --preset --device --precision --deterministic --threads --json --quiet --help ;;
    "reproduce words",-*) _recon_words --quick --model --fonts --images --limit --size --train --resume --overwrite --epochs --seed --out --preset --reader --device --precision --deterministic --threads --json --quiet --help ;;
    info,-*) _recon_words --skip-bad --crop --picture-limit --features --threads --json --quiet --help ;;
    models,-*) _recon_words --threads --json --quiet --help ;;
    classifier,*) _recon_words train eval ;;
    esac
}

complete -o default -F _recon recon
