#!/bin/sh
# Pictures of one's own: of any size, grey or colour, under any name, from train to upright copies.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"

# picture KIND HEIGHT WIDTH NUMBER: a letter L or T, leaning a little, as text: P2 grey or P3 colour.
picture() {
    LC_ALL=C awk -v kind="$1" -v h="$2" -v w="$3" -v k="$4" 'BEGIN { srand(k); print kind, w, h, 255
        a = (k * 37 % 81 - 40) / 57; s = (h < w ? h : w) / 16
        for (i = 0; i < h; i++) for (j = 0; j < w; j++) {
            x = (j - (w - 1) / 2) / s; y = ((h - 1) / 2 - i) / s
            u = cos(a) * x + sin(a) * y; v = cos(a) * y - sin(a) * x
            on = k % 2 ? (u > -4 && u < -2 && v > -5 && v < 5) || (v > -5 && v < -3 && u > -4 && u < 3) \
                       : (u > -1 && u < 1 && v > -5 && v < 5) || (v > 3 && v < 5 && u > -5 && u < 5)
            grey = int(9 * rand()) + 200 * on
            print kind == "P3" ? grey " " int(grey / 2) " 40" : grey } }'
}
mkdir photos photos/.hidden
k=0
while [ $k -lt 48 ]; do
    case $((k % 4)) in
    0) picture P2 16 16 $k >"photos/a plain $k.pgm" ;;
    1) picture P3 20 16 $k >"photos/grün, \"b\" $k.ppm" ;;
    2) picture P2 16 24 $k >"photos/日本 $k.pgm" ;;
    3) picture P3 31 29 $k >"photos/d$k.ppm" ;;
    esac
    k=$((k + 1))
done
echo "stray" >photos/notes.txt

# --- train: a size is chosen and said ---------------------------------------------------------------
run info photos
[ "$code" -eq 0 ] && grep -q '^images:photos: 48 images of 16 x 16, 3 channels' "$scratch/stdout" &&
    said "photos: pictures of 16 x 16 to 31 x 29 (height x width) are seen at 16 x 16"
report $? "a folder of pictures is told, and the size they are given"
run train --data images:photos --preset small --width 0.25 --code 8 --epochs 2 --threads 2 --out model
[ "$code" -eq 0 ] && said "are seen at 16 x 16" && grep -q '  rotated    natural poses of rotated copies' "$scratch/stdout" &&
    ! grep -q '^  gain ' "$scratch/stdout" && # of four inputs
    grep -q '  verdict    do not use' "$scratch/stdout" && grep -qi 'train longer' "$scratch/stdout" &&
    grep -q '^small: 8 steps' "$scratch/stdout"
report $? "train: no --size, no --batch, and a verdict"
run info model
[ "$code" -eq 0 ] && grep -q 'data  *images:photos' "$scratch/stdout" && grep -q 'channels  *3' "$scratch/stdout" &&
    grep -q 'height  *16' "$scratch/stdout"
report $? "the model says what it was made from"
mkdir named && echo "no picture" >named/x.jpg
refused 1 "named/x.jpg: not a PNG, JPEG, TIFF, PGM or PPM file" info named
: >photos/empty.png
refused 1 "photos/empty.png: not a PNG, JPEG, TIFF, PGM or PPM file (use --skip-bad to skip such files)" \
    train --data images:photos --preset small --epochs 1 --out m --quiet

# --- the model's size holds from here on ------------------------------------------------------------
accepted "discover fits pictures to the model" discover --model model --data images:photos --skip-bad --k 5 --folds 0 --out found --quiet
run info found
[ "$code" -eq 0 ] && grep -q '^found: what `recon discover` found' "$scratch/stdout" &&
    grep -q '  points  *48' "$scratch/stdout" && grep -q ' model.safetensors ' "$scratch/stdout"
report $? "a folder of results is told"
run info found --json
is_json "$scratch/stdout"
report $? "as JSON too"
use="--model found/model.safetensors --data images:photos --skip-bad"
run canonicalize $use --out upright
if [ "$code" -eq 1 ] && said "without libpng"; then
    skip "canonicalize keeps names and sizes" "no libpng"
    finish
fi
[ "$code" -eq 0 ] && grep -q '  skipped    1 that' "$scratch/stdout" && grep -q 'photos/empty.png: not a PNG' "$scratch/stdout"
report $? "what is left out is named"
for name in "a plain 0.pgm" "grün, \"b\" 1.ppm" "日本 2.pgm" "d47.ppm"; do
    [ -s "upright/$name.png" ] || echo "$name"
done >absent
[ ! -s absent ] && [ "$(ls upright | wc -l)" -eq 49 ]
report $? "canonicalized pictures keep their names"
# Width and height are the bytes 16 .. 23 of a PNG; the kind (0 grey, 2 colour) is byte 25.
head_of() { od -A n -t u1 -j 16 -N 10 "$1" | tr -s ' ' ' '; }
[ "$(head_of 'upright/日本 2.pgm.png')" = " 0 0 0 24 0 0 0 16 8 0" ] &&
    [ "$(head_of upright/d47.ppm.png)" = " 0 0 0 29 0 0 0 31 8 2" ]
report $? "and their own size and colours"
[ "$(head -n 1 upright/poses.csv)" = "file,index,angle_deg,score,p_value,p_embedding,verdict,fold,candidates,cluster,rotated" ] &&
    [ "$(wc -l <upright/poses.csv)" -eq 49 ] &&
    grep -qE '^"grün, ""b"" 1.ppm",[0-9]+,-?[0-9]+\.[0-9][0-9],' upright/poses.csv
report $? "poses.csv names the files that they come from, quoted"
refused 1 "photos/upright/: this is the input" canonicalize $use --out photos/upright/ --quiet
run canonicalize $use --out a --threads 1 --quiet
cmp -s upright/poses.csv a/poses.csv && cmp -s upright/d47.ppm.png a/d47.ppm.png
report $? "another number of threads gives the same"
mkdir one one/cats
cp photos/d47.ppm one/cats/
run canonicalize --model found/model.safetensors --data images:one --out sorted --poses g.npy --quiet
[ "$code" -eq 0 ] && cmp -s sorted/cats/d47.ppm.png upright/d47.ppm.png
report $? "classes stay folders, and a picture alone gets what it got among others"
run score $use --out s.npy --limit 9 --false-alarms 0.3
[ "$code" -eq 0 ] && [ "$(grep -c 'degrees  .*\.p[gp]m$' "$scratch/stdout")" -eq 5 ]
report $? "score names files"
row=$(sed -n '/lowest p/{n;s/^ *\([0-9]*\) .*/\1/p;}' "$scratch/stdout")
file=$(sed -n '/lowest p/{n;s/.* degrees  //p;}' "$scratch/stdout")
run distribution $use --index "$row"
[ "$code" -eq 0 ] && grep -qF "image $row of images:photos: $file" "$scratch/stdout"
report $? "distribution --index finds it again ($row: $file)"
run score $use --out s.npy --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q 'photos/empty.png: not a PNG, JPEG, TIFF, PGM or PPM file' "$scratch/stdout" &&
    grep -q '"file": ' "$scratch/stdout"
report $? "--json names all"
accepted "check takes the model's data and size" check model --skip-bad --limit 10 --quiet
refused 1 "images of 20 x 20 x 3, but the model was made for 16 x 16 x 3" score $use --size 20 --out x.npy --quiet
mkdir dark
echo 'P2 9 9 255' $(LC_ALL=C awk 'BEGIN { for (i = 0; i < 81; i++) print 0 }') >dark/a.pgm
run info images:dark
[ "$code" -eq 0 ] && said "1 of 1 picture is blank"
report $? "pictures that show nothing are counted"
mkdir gif
echo x >gif/a.gif
refused 1 "no PNG, JPEG, TIFF, PGM or PPM files: 1 .gif file is not read: convert it first" info images:gif
finish
