#!/bin/sh
# docs/architecture.md is true: every file that it names exists, every function is declared or defined in
# the sources, where a table's row names one file for one function also in that file, and its list of
# folders is the Makefile's.
if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # the pages are the same in every build"
    exit 0
fi
page=docs/architecture.md number=0 status=0

report() { # STATUS TEXT
    number=$((number + 1))
    [ "$1" -eq 0 ] && echo "ok $number - $2" || { echo "not ok $number - $2"; status=1; }
}

names=$(grep -oE '`[^`]+`' "$page" | tr -d '`' | sort -u)

missing="" count=0
for file in $(echo "$names" | grep -E '^(src|include|lab|examples|tests|cli|python)/[a-z0-9_/]+(\.[a-z]+)?$'); do
    count=$((count + 1))
    [ -e "$file" ] || missing="$missing $file"
done
[ -z "$missing" ] && [ $count -gt 20 ]
report $? "$count files and folders exist$missing"

missing="" count=0
for name in $(echo "$names" | grep -E '^recon_[a-z0-9_]+$'); do
    count=$((count + 1))
    grep -rqE "\b$name(\(|;|\b)" include src || missing="$missing $name"
done
[ -z "$missing" ] && [ $count -gt 15 ]
report $? "$count functions and types exist$missing"

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
