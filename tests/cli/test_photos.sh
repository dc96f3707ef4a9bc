#!/bin/sh
# Photographs and scans as people have them: JPEG, TIFF and PNG in one folder, with EXIF, alpha, 16 bits,
# stacks, and a broken file. What is written is held against Pillow, which reads and rotates by itself.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
root=$OLDPWD
python=""
for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
    "$candidate" -c 'import PIL, numpy' 2>/dev/null && python=$candidate && break
done
if [ -z "$python" ]; then
    skip "JPEG and TIFF" "no Pillow (Debian: python3-pil)"
    finish
fi
: >empty.jpg
run info images:.
if said 'libjpeg' || said 'libtiff'; then
    skip "JPEG and TIFF" "built without libjpeg or libtiff"
    finish
fi
rm empty.jpg

cat >make.py <<'END'
import os
import numpy as np
from PIL import Image, ImageDraw
def letter(k, size):
    im = Image.new("L", (8 * size, 8 * size), 0)
    d, s = ImageDraw.Draw(im), size / 3
    d.rectangle([8 * s, 4 * s, 11 * s, 20 * s], fill=250)
    d.rectangle([8 * s, (17 if k % 2 else 4) * s, 17 * s, (20 if k % 2 else 7) * s], fill=250)
    return im.resize((size, size), Image.BOX).rotate(37 * k, Image.BICUBIC)
g = [letter(k, 60) for k in range(12)]
colour = lambda k: Image.merge("RGB", (g[k], g[k].point(lambda v: v // 2), g[k].point(lambda v: v // 3)))
os.makedirs("mixed")
colour(0).save("mixed/a.png")
wide = colour(1).crop((0, 5, 60, 55))
e = Image.Exif(); e[0x0112] = 6; e[0x010f] = "a maker"
wide.transpose(Image.ROTATE_90).save("mixed/b.jpg", quality=97, subsampling=0, exif=e, icc_profile=b"profile" * 40)
wide.save("b-upright.png")
g[2].save("mixed/c.JPEG", quality=97)
Image.fromarray(np.asarray(g[3]).astype("uint16") * 257).save("mixed/d.tif")
rgba = colour(4); rgba.putalpha(g[4].point(lambda v: 255 if v > 30 else 0)); rgba.save("mixed/e.tiff", compression="tiff_lzw")
g[5].save("mixed/f.tif", save_all=True, append_images=g[6:8], compression="tiff_adobe_deflate", dpi=(300, 300), icc_profile=b"profile")
rgba.save("mixed/g.png")
colour(8).save("mixed/h.ppm")
g[9].convert("1").save("mixed/i.tif", compression="group4")
colour(10).save("broken.jpg", quality=97)
open("mixed/x.jpg", "wb").write(open("broken.jpg", "rb").read()[:-300])
b = bytearray(open("mixed/b.jpg", "rb").read()); at = b.index(b"\xff\xc0"); b[at + 5:at + 9] = b"\x17\x70\x17\x70" # 6000 x 6000
os.makedirs("bomb"); open("bomb/b.jpg", "wb").write(b[:1000])
os.makedirs("moving"); g[0].save("moving/a.png", save_all=True, append_images=g[1:3])
os.makedirs("cmyk"); colour(0).convert("CMYK").save("cmyk/a.jpg"); colour(0).convert("CMYK").save("cmyk/b.tif")
END
"$python" make.py || exit 1
model=$root/models/mnist-small.safetensors

refused 1 "mixed/x.jpg: the file is cut short (use --skip-bad to skip such files)" canonicalize --model "$model" --data mixed --out no --quiet
run canonicalize --all --model "$model" --data mixed --out up --skip-bad
[ $code -eq 0 ] && [ "$(grep -c x.jpg "$scratch/stdout")" -eq 1 ] && grep -q 'x.jpg: the file is cut short' "$scratch/stdout"
report $? "a mixed folder: one line about the broken file"
[ "$(ls up | tr '\n' ' ')" = "a.png b.jpg c.JPEG d.tif e.tiff f.tif g.png h.ppm.png i.tif poses.csv " ]
report $? "every other file has its place, in its own format"
[ "$(sed 1d up/poses.csv | cut -d, -f1 | tr -d '"' | tr '\n' ' ')" = "a.png b.jpg c.JPEG d.tif e.tiff f.tif#1 f.tif#2 f.tif#3 g.png h.ppm i.tif " ]
report $? "poses.csv has a line for each picture, and for each page of a stack"

# held.py: what was written is what Pillow makes of the upright picture and the pose.
cat >held.py <<'END'
import csv
import numpy as np
from PIL import Image
def pick(path, page):
    im = Image.open(path)
    if page: im.seek(page - 1)
    return im
for row in csv.DictReader(open("up/poses.csv")):
    name, _, page = row["file"].partition("#")
    page = int(page or 0)
    was = Image.open("b-upright.png") if name == "b.jpg" else pick("mixed/" + name, page)
    now = pick(f"up/{name}" + (".png" if name.endswith("ppm") else ""), page)
    angle = -float(row["angle_deg"])
    deep = was.mode.startswith("I")
    assert now.mode == ("L" if was.mode == "1" else was.mode), (name, was.mode, now.mode)
    if deep: was, scale = Image.fromarray(np.asarray(was).astype("float32")), 257
    elif was.mode == "1": was, scale = was.convert("L"), 1
    else: scale = 1
    a, alpha = np.asarray(now).astype(float) / scale, was.mode == "RGBA"
    assert now.size == was.size, (name, now.size)
    if alpha: continue # Pillow mixes hidden colours in
    want = np.asarray(was.rotate(angle, Image.BILINEAR)).astype(float) / scale
    error = np.abs(a - want)
    assert error.mean() < 2.5, (name, page, angle, error.mean())
    print(name, page, round(angle, 1), round(float(error.mean()), 2))
END
"$python" held.py >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "each picture is rotated by its pose, with its size, channels and depth"

cat >kept.py <<'END'
from PIL import Image
b = Image.open("up/b.jpg")
assert b.getexif()[0x0112] == 1 and b.getexif()[0x010f] == "a maker", dict(b.getexif())
assert b.info["icc_profile"] == b"profile" * 40
f = Image.open("up/f.tif")
assert f.n_frames == 3 and f.info["icc_profile"] == b"profile" and round(f.info["dpi"][0]) == 300, f.info
e = Image.open("up/e.tiff")
assert e.mode == "RGBA" and e.getpixel((0, 0))[3] == 0 and e.info["compression"] == "tiff_lzw"
END
"$python" kept.py >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "EXIF, ICC, resolution and compression are kept, and the orientation is 1"

cat >others.py <<'END'
import os
from PIL import Image
os.makedirs("misnamed"); Image.open("mixed/e.tiff").save("misnamed/a.jpg", "PNG"); Image.open("mixed/c.JPEG").save("misnamed/b.png", "JPEG")
END
"$python" others.py || exit 1
accepted "names that say another format" canonicalize --all --model "$model" --data misnamed --out named --quiet
"$python" -c 'from PIL import Image
a, b = Image.open("named/a.jpg"), Image.open("named/b.png")
assert (a.format, a.mode, b.format) == ("PNG", "RGBA", "JPEG"), (a.format, a.mode, b.format)' >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "a picture keeps its format and its alpha, whatever its name says"

accepted "--keep all and --fill are taken" canonicalize --all --model "$model" --data mixed --out all --skip-bad --keep all --fill white --quiet
cat >larger.py <<'END'
import csv, math
import numpy as np
from PIL import Image
was, turned = {"b.jpg": (60, 50)}, 0
for row in csv.DictReader(open("all/poses.csv")):
    name = row["file"].partition("#")[0]
    if "#" in row["file"] or name == "h.ppm": continue
    w, h = was.get(name, (60, 60))
    angle = math.radians(float(row["angle_deg"]))
    c, s = abs(math.cos(angle)), abs(math.sin(angle))
    im = Image.open("all/" + name)
    want = (math.ceil(w * c + h * s - 1e-6), math.ceil(h * c + w * s - 1e-6))
    assert all(abs(i - k) <= 1 for i, k in zip(im.size, want)), (name, im.size, want)
    if abs(math.sin(2 * angle)) > 0.5:
        turned += 1
        a = np.asarray(im)
        corner = a.reshape(*a.shape[:2], -1)[0, 0]
        assert (corner >= (65000 if a.dtype.itemsize > 1 else 250)).all(), (name, corner)
assert turned > 0
END
"$python" larger.py >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "--keep all enlarges the frame, and --fill white makes its corners white"

accepted "a gate that never opens" canonicalize --model "$model" --data mixed --out same --skip-bad --only-if 1e-300 --quiet
for file in a.png c.JPEG d.tif e.tiff f.tif g.png; do cmp -s "mixed/$file" "same/$file" || echo "$file"; done >"$scratch/stdout"
[ ! -s "$scratch/stdout" ] && "$python" -c 'from PIL import Image; b = Image.open("same/b.jpg"); assert b.size == (60, 50) and b.getexif()[0x0112] == 1'
report $? "files that are not rotated are copied as they are, and one with an orientation is made upright"

refused 1 "bomb/b.jpg: 6000 x 6000 pixels cannot be in 1000 bytes" canonicalize --model "$model" --data bomb --out no --quiet
refused 1 "moving/a.png: an animation (APNG), which is not read" canonicalize --model "$model" --data moving --out no --quiet
refused 1 "cmyk/a.jpg: the colours are CMYK, which is not read: convert it to RGB" canonicalize --model "$model" --data cmyk --out no --quiet
refused 2 "--fill pink: must be zero, edge, white or a colour such as #80c0ff" canonicalize --model "$model" --data mixed --out no --fill pink
refused 2 "--keep applies only to image files: --data images:DIR and --out DIR" canonicalize --model "$model" --data mixed --out no.npy --keep all
refused 2 "--quality 101: must be 1 to 100" canonicalize --model "$model" --data mixed --out no --quality 101
"$recon" canonicalize --all --model "$model" --data mixed --out rough --skip-bad --quality 20 --quiet
[ "$(wc -c <rough/b.jpg)" -lt "$(wc -c <up/b.jpg)" ]
report $? "--quality is heeded"
finish
