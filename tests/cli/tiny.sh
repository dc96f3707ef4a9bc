# tiny.sh - images and a model for the commands that take one, made in seconds: letters L and T of
# 16 x 16 pixels, and what `recon train` and `recon discover` make of them when they are rotated by up
# to 40 degrees. To be sourced behind lib.sh.

# letters N: upright, under a little noise, as bytes (0 is left out: awk's printf cannot).
letters() {
    LC_ALL=C awk -v n="$1" 'BEGIN { srand(3); for (k = 0; k < n; k++) for (i = 0; i < 16; i++)
        for (j = 0; j < 16; j++) { t = k % 2; stem = i > 2 && i < 13 && (j == 5 + 2 * t || j == 6 + 2 * t)
            bar = t ? (i == 3 || i == 4) && j > 2 && j < 13 : (i == 11 || i == 12) && j > 4 && j < 11
            printf "%c", 1 + int(9 * rand()) + 115 * (stem || bar) } }'
}
letters 120 | npy images.npy '|u1' '120, 16, 16'
LC_ALL=C awk 'BEGIN { for (k = 0; k < 120; k++) printf "%d", k % 2 }' | tr 01 '\000\001' |
    npy labels.npy '|u1' '120,'
echo '{ "default": { "uniform": 40 } }' >rule.json
letters="--data npy:images.npy --rotate rule.json --threads 2"

prepare train $letters --preset small --width 0.25 --code 8 --epochs 2 --batch 22 --out backbone --quiet
report "$code" "train"
