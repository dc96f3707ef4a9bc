#!/bin/sh
# recon reproduce words: options; the table with readers that are scripts; and the small version before the real
# readers, where they are installed.
. "${0%/*}/lib.sh"
root=$OLDPWD
refused 2 "--seed needs --train" reproduce words --seed 2
refused 2 "--train needs --out DIR" reproduce words --train
refused 2 "--model is given twice" reproduce words --model a --model b

# Readers that are scripts, and read nothing: the table is made of what they say.
mkdir -p bin lab none
printf '#!/bin/sh\nwhile read -r file; do echo "{ \\"text\\": \\"\\", \\"own\\": \\"\\" }"; done\n' >bin/node
cat >bin/tesseract <<'END'
#!/bin/sh
[ "$4" = 7 ] || { sed 's/.*/Rotate: 0/' "$1"; exit; }
sed '$d' "$1" | while read -r file; do printf '\f'; done
END
chmod +x bin/node bin/tesseract
PATH=$PWD/bin:$PATH
run reproduce words --quick --fonts none
if said "without FreeType"; then
    skip "words" "no FreeType"
    finish
fi
[ "$code" -eq 1 ] && said "\`tools/setup fonts\` installs more"
report $? "without fonts the remedy is said"
mkdir models # where a program of build/debug finds them
ln -s "$root/models/words.safetensors" models/
ln -s "$root/lab/words_read.js" lab/
run reproduce words --quick --images 8 --json --out kept
if said "different fonts with these letters"; then
    skip "words" "too few fonts: tools/setup words"
    finish
fi
if said "american-english is not there"; then
    skip "words" "no dictionary: tools/setup words"
    finish
fi
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"upright": 0.0' "$scratch/stdout" &&
    grep -q '"upright_gated": 0.0' "$scratch/stdout" && grep -q '"own_remedy": 0.0' "$scratch/stdout"
report $? "readers that read nothing have read no word"
[ "$(ls kept/seed-1/rotated/*.pgm | wc -l)" -eq 8 ] && [ "$(ls kept/seed-1/upright/*.pgm | wc -l)" -eq 8 ]
report $? "--out keeps the pictures"
printf '#!/bin/sh\necho "a model is broken" >&2; exit 1\n' >bin/node
run reproduce words --quick --images 8 --json
[ "$code" -eq 0 ] && grep -q '"ppocr": null' "$scratch/stdout" && grep -q 'a model is broken' "$scratch/stdout" &&
    said "PP-OCRv4 is skipped: "
report $? "a reader that does not work is skipped, and said to be"
refused 1 "a model is broken" reproduce words --quick --reader ppocr
rm bin/node bin/tesseract

if [ "${RECON_BUILD:-build}" != build ]; then
    finish # long under sanitizers
fi
cd "$root" || exit 1
run reproduce words --quick --json
if [ "$code" -ne 0 ] || grep -q ': null' "$scratch/stdout"; then
    skip "words before the real readers" "a reader is missing: tools/setup words"
    finish
fi
is_json "$scratch/stdout"
report $? "a whole run"
cp "$scratch/stdout" "$work/result.json"
# The number of a key of an object: the first behind that object's beginning.
value() { # OBJECT KEY
    awk -v object="\"$1\":" -v key="\"$2\":" '$1 == object { within = 1 }
        within && $1 == key { sub(",$", "", $2); print $2; exit }' "$work/result.json"
}
holds() { # VALUE BOUND TEXT
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 >= b) }'
    report $? "$3: $1, must be $2 or more"
}
for reader in ppocr tesseract; do
    holds "$(value $reader upright)" 80 "$reader reads upright words"
    holds "$(value $reader recon)" "$(value $reader own_remedy)" "$reader, rotated words: more than by its own remedy"
done
finish
