#!/usr/bin/env bash
# speed.sh PROGRAM [--rewrite]: the instructions of starts, records, a network and a ranking, as
# valgrind counts them, against the rows of speed.tsv. They are the same on each run of one build,
# which times are not. PROGRAM is README's build. --rewrite writes what was counted into the table.
set -euo pipefail
shopt -s inherit_errexit
program=$(realpath "${1:?usage: speed.sh PROGRAM [--rewrite]}")
table=$(dirname "$(realpath "$0")")/speed.tsv
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Without the user's files and variables.
count() {
  if ! env -i PATH="$PATH" HOME="$folder" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    --log-file=log "$program" "$@" --jobs 1 >/dev/null; then
    echo "speed.sh: expected a run without errors of: roofline $*" >&2
    return 1
  fi
  sed -n 's/.*Collected *: *//p' log
}

# One record: of two streams, the longer one's instructions for each that it has more.
record() {
  local kind=$1 lines fewer more
  shift
  for lines in 100 200; do
    for ((i = 0; i < lines; ++i)); do echo "${kind//SIZE/$((64 + i % 64))}"; done >"$lines.ndjson"
  done
  fewer=$(count 100.ndjson --format ndjson "$@")
  more=$(count 200.ndjson --format ndjson "$@")
  echo $(((more - fewer) / 100))
}

convolution='{"type": "conv", "input": [8, 64, 56, 56], "out_channels": SIZE, "kernel_size": 3, "padding": 1}'
product='{"type": "linear", "input": [512, 1024], "out_features": SIZE}'
sum='{"type": "add", "inputs": [[8, SIZE, 56, 56], [8, SIZE, 56, 56]]}'
echo "${convolution//SIZE/64}" >one.json

row() {
  local instructions
  instructions=$("${@:2}")
  printf '%s\t%s\n' "$1" "$instructions" | tee -a counted.tsv
}
for gpu in v100 h200 mi300x; do row "a start, $gpu" count one.json --gpu "$gpu"; done
row "a record of a convolution, v100" record "$convolution" --gpu v100
row "a record of a product, h200 in fp16" record "$product" --gpu h200 --dtype fp16
row "a record of a sum, mi300x" record "$sum" --gpu mi300x
row "resnet50, h200 in fp16" count resnet50 --gpu h200 --dtype fp16 --batch 32 --json
row "a ranking of resnet18 on three GPUs at two batches" \
  count resnet18 --gpu v100,h200,mi300x --batch 1,8 --json

if [ "${2:-}" = --rewrite ]; then
  { printf 'run\tinstructions\n'; cat counted.tsv; } >"$table"
  exit
fi
awk -F '\t' -v program="$1" '
  FNR == 1 { ++file }
  file == 1 { if (FNR > 1) stated[$1] = $2; next }
  !($1 in stated) { printf "%s: speed.tsv has no such row\n", $1; bad = 1; next }
  {
    change = 100 * ($2 / stated[$1] - 1)
    if (change > 3 || change < -3) printf "%s: %+.1f %% against speed.tsv\n", $1, change
    if (change > 3) bad = 1
    if (change < -3) faster = 1
  }
  END {
    rewrite = "bash tests/speed.sh " program " --rewrite"
    if (bad) print "speed.sh: more than 3 % over a row. If that is meant, say why in the commit and run: " rewrite
    else if (faster) print "speed.sh: more than 3 % below a row, which would hide as much of a loss. Run: " rewrite
    exit bad
  }' "$table" counted.tsv
