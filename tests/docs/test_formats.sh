#!/bin/sh
# docs/formats.md and the public headers describe all that --data takes.
if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # the pages are the same in every build"
    exit 0
fi

names=$(build/recon help --help-table | grep -m1 -o 'images: garments.*flat:DIR' | tr ',;' '\n\n' |
    sed -E 's/ *(images: |molecules: )?//' | sed -E 's/(:|[/|]).*/\1/; s/[/|]$//')
missing=""
for name in $names; do
    for page in docs/formats.md include/recon/data; do
        grep -rqE "(\`|\* +|, |  )$name" "$page" || missing="$missing $page:$name"
    done
done
echo "1..1"
if [ -n "$names" ] && [ -z "$missing" ]; then
    echo "ok 1 - every known set and format of data is described"
else
    echo "not ok 1 - every known set and format of data is described"
    echo "# missing:$missing"
    exit 1
fi
