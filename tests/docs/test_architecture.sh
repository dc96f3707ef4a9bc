#!/bin/sh
# docs/architecture.md and docs/extending.md are true: every file that they name exists, every function is
# in the sources (but those that a macro makes), in the first, where a table's row names one file for one
# function, in that file, and their lists of folders are the Makefile's.
if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # the pages are the same in every build"
    exit 0
fi
page=docs/architecture.md number=0 status=0

report() { # STATUS TEXT
    number=$((number + 1))
    [ "$1" -eq 0 ] && echo "ok $number - $2" || { echo "not ok $number - $2"; status=1; }
}

for of in "$page" docs/extending.md; do
    names=$(grep -oE '`[^`]+`' "$of" | tr -d '`' | sort -u)

    missing="" count=0
    for file in $(echo "$names" | grep -E '^(src|include|lab|examples|tests|cli|python|tools|models)/[a-z0-9_/]+(\.[a-z]+)?$'); do
        count=$((count + 1))
        [ -e "$file" ] || missing="$missing $file"
    done
    [ -z "$missing" ] && [ $count -gt 20 ]
    report $? "$of: $count files and folders exist$missing"

    missing="" count=0
    for name in $(echo "$names" | grep -E '^(recon|cli)_[a-z0-9_]+$' | grep -vE '_(ref|cpu)_'); do
        count=$((count + 1))
        grep -rqE "\b$name(\(|;|\b)" include src cli || missing="$missing $name"
    done
    [ -z "$missing" ] && [ $count -gt 15 ]
    report $? "$of: $count functions and types exist$missing"
done

listed=$(sed -n 's/^ *\(core .* report\)  *and, above.*/\1/p' docs/extending.md)
[ "$listed" = "$(sed -n 's/^LAYERS := //p' Makefile)" ]
report $? "docs/extending.md: the order of folders is the Makefile's: $listed"

# | step | `f`, `g` | `a.c`, `b.c` |: each function is defined in one of the files of its row.
wrong=$(grep -E '^\| [^|]* \| `recon_[^|]* \| `src/[^|]* \|$' "$page" | while IFS='|' read -r _ _ functions files _; do
    for f in $(echo "$functions" | tr -d '`,'); do
        # shellcheck disable=SC2046
        grep -qE "^[a-z].* \**$f\(" $(echo "$files" | tr -d '`,') || echo "$f"
    done
done)
[ -z "$wrong" ]
report $? "functions are defined where the tables say $wrong"

listed=$(sed -n '/^    src\/$/,/^    lab/s/^      \([a-z]*\) .*/\1/p' "$page" | tr '\n' ' ')
layers=$(sed -n 's/^LAYERS := //p' Makefile)
[ "$listed" = "$layers " ]
report $? "the tree is the Makefile's: $layers"

for anchor in $(grep -oE 'extending\.md#[a-z-]+' "$page" | sed 's/.*#//'); do
    grep -E '^## ' docs/extending.md | sed 's/^## //' | tr 'A-Z ' 'a-z-' | grep -qx -e "$anchor"
    report $? "extending.md has $anchor"
done
echo "1..$number"
exit $status
