#!/bin/sh
# recon upright: a picture, a folder of pictures and molecules, in one command; what it leaves alone is as it was.
here=$(cd "${0%/*}" && pwd)
docs=$PWD/docs
export RECON_DATA="$PWD/data"
. "$here/lib.sh"
mkdir models && cp "$docs/../models/general.safetensors" "$docs/../models/conformers.safetensors" models

# letter DEGREES NUMBER: a T, rotated counter-clockwise, under a little noise.
letter() {
    LC_ALL=C awk -v a="$1" -v k="$2" 'BEGIN { srand(k); print "P2", 48, 48, 255; a /= 57.29578
        for (i = 0; i < 48; i++) for (j = 0; j < 48; j++) {
            x = (j - 23.5) / 3; y = (23.5 - i) / 3; u = cos(a) * x + sin(a) * y; v = cos(a) * y - sin(a) * x
            on = (u > -1 && u < 1 && v > -5 && v < 5) || (v > 3 && v < 5 && u > -5 && u < 5)
            print int(9 * rand()) + 200 * on } }'
}
letter 0 1 >t.pgm
letter 60 1 >t60.pgm

# --- one picture ----------------------------------------------------------------------------------
run upright t.pgm
if [ "$code" -eq 1 ] && said "without libpng"; then
    skip "pictures are written" "no libpng"
    finish
fi
[ "$code" -eq 0 ] && [ "$(tail -n 1 "$scratch/stdout")" = "t.pgm is upright already: see t-upright.pgm.png" ]
report $? "an upright letter is upright"
run upright t60.pgm
[ "$code" -eq 0 ] && tail -n 1 "$scratch/stdout" | grep -qE '^t60.pgm was rotated by -(5[5-9]|6[0-5])\.[0-9] degrees: see t60-upright.pgm.png$' &&
    grep -q "recon canonicalize t60.pgm -m general -o DIR" "$scratch/stdout"
report $? "one that was rotated is put upright, and a command says how"
run upright t60-upright.pgm.png --quiet --out again.png
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && cmp -s t60-upright.pgm.png again.png
report $? "what came out of it is upright, and left byte for byte"
refused 2 "again.png exists: choose another --out" upright t60-upright.pgm.png --out again.png
cp "$docs/tutorial-images.png" page.png
run upright page.png
[ "$code" -eq 3 ] && [ "$(tail -n 1 "$scratch/stdout")" = "page.png is undetermined, and left as it is: see page-upright.png" ] &&
    [ page.png -ef page-upright.png ]
report $? "a picture of anything else is undetermined: exit code 3, and a hard link"
run upright t.pgm page.png --json
[ "$code" -eq 2 ] && said "t-upright.pgm.png exists"
report $? "of several the first that cannot be ends it"

# --- a folder -------------------------------------------------------------------------------------
refused 2 "PATH is required" upright
refused 2 "--out is for one PATH, but there are 2" upright t.pgm page.png --out x
refused 2 ".: say with --out where the result goes" upright .
refused 1 "'nothing': there is no such file or folder" upright nothing
mkdir empty texts
echo "a letter" >texts/letter.txt
refused 1 "empty: no PNG, JPEG, TIFF, PGM or PPM files" upright empty
refused 1 "texts: no PNG, JPEG, TIFF, PGM or PPM files" upright texts
refused 1 "garments: pictures in files are needed" upright garments
mkdir mixed mixed/sub
cp t.pgm mixed && cp t.pgm mixed/sub
refused 1 "mixed: holds pictures and folders of pictures" upright mixed
refused 1 "texts/letter.txt: cannot make the folder" upright mixed/sub --out texts/letter.txt
refused 1 "mixed/sub/in: this is the input" upright mixed/sub --out mixed/sub/in

# Few pictures are judged one by one, here of letters at any angle, a page and a broken file.
mkdir few
for i in 1 2 3 4 5 6; do letter $((i * i * 9)) $i >few/$i.pgm; done
cp page.png few/page.png
echo "no picture" >few/broken.png
echo "notes" >few/notes.txt
run upright few
[ "$code" -eq 0 ] && grep -q "few/broken.png: not a PNG" "$scratch/stdout" && [ ! -e few-upright/notes.txt ] &&
    tail -n 1 "$scratch/stdout" | grep -q '^[0-9]* of 7 were upright already, [0-9]* were rotated, [0-9]* are undetermined: see few-upright$'
report $? "a small folder"
tail -n 1 "$scratch/stdout" | awk '{ exit !($1 + $7 + $10 == 7 && $7 > 0 && $10 > 0) }'
report $? "all of its pictures are counted"
[ "$(ls few-upright)" = "$(printf '%s\n' 1.pgm.png 2.pgm.png 3.pgm.png 4.pgm.png 5.pgm.png 6.pgm.png page.png poses.csv)" ] &&
    cmp -s few/page.png few-upright/page.png
report $? "and are there"
before=$(snapshot)
run upright few --quiet
[ "$code" -eq 0 ] && [ "$(snapshot)" = "$before" ]
report $? "done again, it is the same"
echo "mine" >few-upright/mine.txt && : >few-upright/page.png.txt
letter 5 9 >few/9.pgm && : >few-upright/9.pgm.png
refused 1 "few-upright/9.pgm.png exists, and is not an earlier result of recon" upright few --quiet
rm few/9.pgm few-upright/9.pgm.png

# Where nothing can be written, beside a folder that can be read.
nobody() {
    if [ "$(id -u)" -ne 0 ]; then "$@"; else setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; fi
}
mkdir sealed && cp t.pgm sealed && chmod 555 sealed
if nobody "$recon" --version >/dev/null 2>&1; then
    before=$(snapshot)
    nobody "$recon" upright sealed/t.pgm >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    failed_cleanly 1 "sealed/t-upright.pgm.png.work: cannot make the folder: Permission denied"
    report $? "a folder that cannot be written to"
else
    skip "a folder that cannot be written to" "cannot run as nobody"
fi
chmod 755 sealed

# With a model: what discover finds in them, here with too little training to be of use.
. "$here/tiny.sh"
mkdir letters
i=0
while [ $i -lt 40 ]; do
    { printf 'P5\n16 16\n255\n' && tail -c +$((129 + 256 * i)) images.npy | head -c 256; } >letters/$i.pgm
    i=$((i + 1))
done
run upright letters --model backbone
[ "$code" -eq 3 ] && [ -s letters-upright/found/model.safetensors ] && [ -s letters-upright/report.html ] &&
    [ "$(tail -n 1 "$scratch/stdout")" = "nothing could be determined, 40 of 40 are left as they are: see letters-upright/report.html" ]
report $? "a model that is not to be used rotates nothing"
[ "$(ls letters-upright/*.png | wc -l)" -eq 40 ] && [ "$(cut -d, -f11 letters-upright/poses.csv | sort -u)" = "0
rotated" ]
report $? "the folder is complete, and the table says so"
run upright letters --model backbone --quiet
[ "$code" -eq 3 ] && [ -z "$(find . -name '.*' ! -name .)" ] && [ "$(ls letters-upright | wc -l)" -eq 43 ]
report $? "its own result is replaced"
awk -F, -v OFS=, 'NR == 2 { $NF = 1 } 1' letters-upright/poses.csv >edited.csv
run canonicalize letters --model letters-upright/found --actions edited.csv --out changed
[ "$code" -eq 0 ] && grep -q 'rotated    1 (2.50 %)' "$scratch/stdout"
report $? "the column rotated of its table can be edited"
cp edited.csv letters-upright/poses.csv
run upright letters --model backbone
[ "$code" -eq 1 ] && said "letters-upright/poses.csv was edited, and would be replaced: recon canonicalize letters" &&
    cmp -s edited.csv letters-upright/poses.csv
report $? "and is not replaced then"

# --- molecules ------------------------------------------------------------------------------------
prepare canonicalize conformers/test -m conformers --limit 12 --rotate haar --all --out molecules.xyz --quiet
run upright molecules.xyz --quick --json
{ [ "$code" -eq 0 ] || [ "$code" -eq 3 ]; } && is_json "$scratch/stdout" && [ "$(ls molecules-upright)" = "poses.csv
upright.xyz" ] && [ "$(grep -c Properties molecules-upright/upright.xyz)" -eq 12 ]
report $? "molecules go to an XYZ file"
finish
