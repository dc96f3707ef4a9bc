#!/bin/sh
# The package's type hints: mypy --strict has nothing to say. Where torch is not installed its module is left out.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
if ! command -v mypy >/dev/null; then
    skip "type hints" "no mypy"
    finish
fi
# Of torch what the package uses, tensors and modules: to read all of it takes five times as long.
for part in ao cuda distributed distributions fx jit onnx package quantization testing utils; do
    printf '[mypy-torch.%s.*]\nfollow_imports = skip\n' $part
done >mypy.ini
strict() { # ARGS
    (cd "$root" && mypy --strict --config-file "$work/mypy.ini" --cache-dir "$work/cache" "$@") >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}
"$python" -c 'import torch' 2>/dev/null && all="" || all="--exclude torch\.py"
strict $all python/recon
report $code "mypy --strict $all python/recon"
printf 'import recon\nsize: tuple[int, int, int] = recon.ImageModel.load("fashion").size\n' >narrow.py
strict "$work/narrow.py"
report $code "ImageModel.load is of one kind"
printf 'import recon\nupright: int = recon.load("fashion").path\n' >wrong.py
strict "$work/wrong.py"
[ $code -eq 1 ] && grep -q 'has type "str", variable has type "int"' "$scratch/stdout"
report $? "and a program that uses it wrongly is told so"
finish
