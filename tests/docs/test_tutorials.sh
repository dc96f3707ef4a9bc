#!/bin/sh
# The blocks of README and of the tutorials, run in order as a reader would run them, each page in a folder of its own. A
# block is run when the line above its fence says so:
#   <!-- run -->                      a shell block
#   <!-- run: python -->              a Python block
#   <!-- run, with s/FROM/TO/ -->     changed by sed first: what takes long is made short
# What a page quotes behind a block is what the block prints, within the tolerance of compare_quotes.py. On a page where
# something is made short only the labels of lines are compared; with RECON_SLOW=1, in make check-slow, nothing is made
# short, and all is.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/../python/python.sh"
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # the same words in every build
fi
if [ -z "$python" ] || [ ! -e "$root/build/librecon.so" ]; then
    skip "tutorials" "no python3 with NumPy, or no build/librecon.so"
    finish
fi
mkdir "$scratch/bin" && ln -s "$python" "$scratch/bin/python3"
export RECON="$root" RECON_DATA="$root/data" PATH="$root/build:$scratch/bin:$PATH"

# blocks FILE: each marked block to N.sh or N.py, its line to N.line; in the working folder.
blocks() {
    awk '
        /^<!-- run.* -->$/ { mark = $0; next }
        mark && /^```/ {
            n++
            file = sprintf("%02d.%s", n, mark ~ /python/ ? "py" : "sh")
            change = mark ~ /, with / ? mark : ""
            sub(/.*, with /, "", change)
            sub(/ -->$/, "", change)
            printf "%s\n%s\n", NR, change > (file ".about")
            mark = ""
            inside = 1
            next
        }
        inside && /^```/ { inside = 0; next }
        inside { print > file }' "$1"
}

page() { # PAGE
    compared=full name=${1##*/}
    mkdir blocks && (cd blocks && blocks "$root/$1")
    for block in blocks/*.sh blocks/*.py; do
        [ -e "$block" ] || continue
        change=$(sed -n 2p "$block.about")
        [ -z "$change" ] || [ -n "${RECON_SLOW:-}" ] || { sed -i "$change" "$block" && compared=labels; }
    done
    for about in blocks/*.about; do
        block=${about%.about}
        case $block in *.py) shell=python3 ;; *) shell="sh -eu" ;; esac
        $shell "$block" >"$scratch/stdout" 2>"$scratch/stderr"
        code=$?
        where="$name, line $(sed -n 1p "$about")"
        report $code "$where: $(grep -m 1 . "$block" | cut -c 1-60)"
        python3 "$here/compare_quotes.py" "$root/$1" "$(sed -n 1p "$about")" $compared \
            "$scratch/stderr" "$scratch/stdout" 2>"$scratch/apart"
        code=$?
        mv "$scratch/apart" "$scratch/stderr"
        [ $code -eq 3 ] || report $code "$where: what is quoted is what is printed ($compared)"
    done
}

mkdir readme && cd readme && mkdir examples && cp -r "$root"/examples/album "$root"/examples/*.npy examples || exit 1
page README.md
marked=$(grep -A 1 '^<!-- run' "$root/README.md" | grep -cE '^```(sh|python)$')
[ "$(grep -cE '^```(sh|python)$' "$root/README.md")" -eq "$marked" ]
report $? "README.md: every block of commands is run"
for topic in embeddings images molecules photos; do
    mkdir "../$topic" && cd "../$topic" && page "docs/tutorial-$topic.md"
done
finish
