#!/bin/sh
# Runs the named targets for SECONDS_EACH, two at a time, and shows the last figures of each and
# what was found. Fails where anything was. An input that was found is kept beside the corpus and is
# run again with `PROGRAM --target=NAME FILE`.
set -eu
mkdir -p corpus found log
fuzz_one() {
  mkdir -p "corpus/$1" "found/$1"
  longest=4096
  case $1 in onnx | program) longest=32768 ;; esac
  if "$PROGRAM" "--target=$1" "corpus/$1" "seeds/$1" -max_total_time="$SECONDS_EACH" \
      -max_len=$longest -timeout=20 -rss_limit_mb=2048 -dict=dictionary -seed=1 \
      -artifact_prefix="found/$1/" -print_final_stats=1 >"log/$1" 2>&1; then
    echo "$1: $(grep -E '	DONE ' "log/$1" | tr -s ' \t' ' ')"
  else
    tail -n 60 "log/$1"
    echo "$1: a finding, in $PWD/found/$1"
    return 1
  fi
}
if [ "${1:-}" = --one ]; then
  fuzz_one "$2"
else
  printf '%s\n' "$@" | xargs -P 2 -I{} sh "$0" --one {}
fi
