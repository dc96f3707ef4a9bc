#!/bin/sh
# The words of the field: pages, help, messages and the Python package say rotate, unusual, training and
# out-of-distribution. Words of older texts that readers had to guess at are refused.
if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # the words are the same in every build"
    exit 0
fi

places="README.md docs/*.md docs/notebook/*.md models/*.md data/*.md cli lab python include src/report man completion"

# Words as the C locale sees them; whatever the case.
words='turn|turns|turned|turning|turn_seed|odd|odder|oddest|oddness|strangers?|lessons?|school|pupils?|twins?'
words="$words|careful|strayed|canonicalis(e|es|ed|ing|ation)|png:[A-Za-z]+"
phrases='for want of|gone on with|lies in a file|its like come|such come|for ever'

# What these words may still mean: a part of a full turn, one after the other, parity.
allowed='(quarter|half|third|full|whole|half a|part of a|quarter of a|one) turns?|in turn|(taking|take) turns'
allowed="$allowed|turns? (it|them|[a-z]+) (into|off)|turns? into|even or odd|odd sizes?|size is odd|odd;|filter, odd|\*odd|odd(->|\)| \?)"

found=$(
    # shellcheck disable=SC2086
    grep -rnIiE --include='*.md' --include='*.[ch]' --include='*.py' --include='*.css' --include='*.js' \
        --include='recon.*' "(^|[^a-z_-])($words|$phrases)([^a-z_]|\$)" $places |
        sed -E "s/($allowed)//g" | grep -iE "(^|[^a-z_-])($words|$phrases)([^a-z_]|\$)"
)
echo "1..1"
if [ -z "$found" ]; then
    echo "ok 1 - pages, help and messages use the words of the field"
else
    echo "not ok 1 - pages, help and messages use the words of the field"
    echo "$found" | cut -c 1-200 | sed 's/^/# /'
    exit 1
fi
