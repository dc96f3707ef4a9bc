#!/bin/sh
# The help, and what is made of it: CLI reference, manual page, shell completion; and the C API
# reference, made of the headers.
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # the same tables in every build
fi
version=$(sed -n 's/^VERSION := //p' "$root/Makefile")
code=0

# --- help ---------------------------------------------------------------------------------------

fits() { # LINES: standard output does, in 80 columns
    [ "$(wc -l <"$scratch/stdout")" -le "$1" ] && ! grep -qE '^.{81}' "$scratch/stdout"
}
run --help
fits 23
report $? "recon --help fits a screen of 80 x 24, prompt included"
commands=$(sed -n 's/^  \([a-z]*\)  *.*/\1/p' "$scratch/stdout")
[ "$(echo "$commands" | wc -l)" -ge 10 ]
report $? "and lists the commands: $(echo $commands)"
bad=""
for command in $commands; do
    run "$command" --help
    grep -q "^  recon $command" "$scratch/stdout" && sed -n '1,/^example:/p' "$scratch/stdout" >options &&
        ! grep -qE '^.{81}' options || bad="$bad $command"
done
rm options
[ -z "$bad" ]
report $? "each explains itself with an example, its options in 80 columns$bad"
bad=""
for command in $commands; do
    run "$command" --help
    [ "$(wc -l <"$scratch/stdout")" -le 46 ] || bad="$bad $command"
done
[ -z "$bad" ]
report $? "in one screen$bad"
run train --help all
[ "$(wc -l <"$scratch/stdout")" -gt 100 ] && grep -q '^--set for images' "$scratch/stdout" && cp "$scratch/stdout" all &&
    run help train all && cmp -s all "$scratch/stdout" && rm all
report $? "--help all has the rest, and so has recon help train all"
run export --what posse --model mnist --out m.onnx
[ "$code" -eq 2 ] && grep -q 'did you mean pose?' "$scratch/stderr"
report $? "a mistyped choice is named"
if command -v script >/dev/null; then
    for no in "" NO_COLOR=1; do
        env TERM=xterm $no script -qec "'$recon' audit '$root/examples/album' --model general" /dev/null </dev/null >typed"$no" 2>&1
    done
    esc=$(printf '\033')
    grep -q "^$esc\[33m  warning " typed && grep -q "^$esc\[1m  verdict " typed && ! grep -q "^$esc\[[0-9]" typedNO_COLOR=1
    report $? "on a terminal warnings and verdicts are coloured, unless NO_COLOR says no"
    rm typed*
fi
run help --help-table
[ "$code" -eq 0 ] && [ "$(sed -n 's/^command\t\([a-z]*\)[ \t].*/\1/p' "$scratch/stdout" | uniq)" = "$commands" ] &&
    ! awk -F'\t' '$1 == "option" && NF != 6' "$scratch/stdout" | grep -q .
report $? "the table behind it has the same commands, and six fields an option"

# --- what is made of it is as it was committed --------------------------------------------------

"$root/tools/make-docs" "$recon" "$version" "$work" >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "make docs makes"
for file in $(find . -type f | sed 's|^\./||' | sort); do
    diff "$root/$file" "$file" >"$scratch/stdout" 2>&1
    code=$?
    report $code "$file is up to date (else: make docs, and commit it)"
done
(cd "$root" && tools/make-api --check) >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "$(head -n 1 "$scratch/stdout")"
[ "$(grep -o '`recon_[a-z0-9_]*()`' docs/api.md | sort -u | wc -l)" -eq \
    "$("$root/tools/list-api" functions | wc -l)" ]
report $? "docs/api.md has every public function"
! grep -q '| fields |\|| values |' docs/api.md && grep -q '`recon_frames`.*`gamma`.*`recall`' docs/api.md
report $? "docs/api.md names the fields of structures and the values of enumerations"

# --- the manual page ----------------------------------------------------------------------------

if command -v man >/dev/null && command -v groff >/dev/null; then
    MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l man/recon.1 >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    [ $code -eq 0 ] && [ ! -s "$scratch/stderr" ] && grep -q 'recon - natural poses' "$scratch/stdout" &&
        grep -q -e '--skip-bad' "$scratch/stdout"
    report $? "man/recon.1 is set without a warning"
else
    skip "man/recon.1 is set without a warning" "no man"
fi
if command -v mandoc >/dev/null; then
    mandoc -Tlint -W warning man/recon.1 | grep -v 'missing date' >"$scratch/stdout"
    [ ! -s "$scratch/stdout" ]
    report $? "mandoc finds nothing"
else
    skip "mandoc finds nothing" "no mandoc"
fi

# --- completion ---------------------------------------------------------------------------------

mkdir own && cd own && touch mine.xyz || exit 1
cat >../ask.bash <<'END'
source ../completion/recon.bash
compopt() { :; } # outside of a completion there is none
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_recon
echo "${COMPREPLY[*]}"
END
completes() { # ANSWER WORDS...
    answer=$1
    shift
    [ "$(bash ../ask.bash "$@" 2>"$scratch/stderr")" = "$answer" ]
    report $? "bash: $* -> ${answer:-files}"
}
if command -v bash >/dev/null; then
    completes normalize recon norm
    completes "--preset" recon train --prese
    completes "garments" recon score -d gar
    completes "photo photo-small" recon train --preset pho
    completes "garments" recon score --data gar
    completes "conformers conformers/train conformers/val conformers/test conformers/all" recon score --data con
    completes "xyz:" recon score --data xy
    completes "fashion fashion/train fashion/val fashion/test" recon score --data fas
    completes "train eval" recon classifier ""
    completes "sdf:" recon train --data sd
    completes "mine.xyz" recon train --data xyz :
    completes "" recon score --out mi
    completes "discover distribution" recon help dis
    completes "mnist mnist12k molecules" recon reproduce m
    completes "photo photo-small" recon reproduce cifar10 --preset ph
    completes "--rotate" recon reproduce images --rot
else
    skip "bash completes" "no bash"
fi
if command -v fish >/dev/null; then
    fish -c 'source ../completion/recon.fish; complete -C "recon train --preset pho"; complete -C "recon classifier tr"
             complete -C "recon reproduce est"; complete -C "recon train --data xyz:mi"' 2>"$scratch/stderr" | cut -f1 >"$scratch/stdout"
    [ "$(tr '\n' ' ' <"$scratch/stdout")" = "photo photo-small train estimators xyz:mine.xyz " ]
    report $? "fish completes choices, arguments and files"
else
    skip "fish completes choices, arguments and files" "no fish"
fi
if command -v zsh >/dev/null; then
    zsh -n ../completion/recon.zsh 2>"$scratch/stderr"
    report $? "zsh reads its own"
else
    skip "zsh reads its own" "no zsh"
fi
finish
