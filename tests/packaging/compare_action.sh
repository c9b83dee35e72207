#!/usr/bin/env bash
# The script of .github/actions/compare on a repository of two commits: compare_action.sh PROGRAM.
set -euo pipefail
program=$1
script=$(cd "$(dirname "$0")/../../.github/actions/compare" && pwd)/compare.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/repo"
cd "$work/repo"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q .
layer() { echo "[{\"name\": \"conv\", \"input\": [64,56,56], \"out_channels\": $1, \"kernel_size\": 3}]"; }
git commit -q --allow-empty -m none
layer 64 >model.json
git add model.json
git commit -q -m base
layer 128 >model.json
git add model.json
git commit -q -m head

expect() { # CODE TEXT, of the last run
  [ "$code" = "$1" ] || { echo "expected exit code $1, got $code: $(cat "$work/out")" >&2; exit 1; }
  grep -qF -- "$2" "$work/out" || { echo "expected '$2' in: $(cat "$work/out")" >&2; exit 1; }
}
run() { # VARIABLE=VALUE...
  code=0
  : >"$work/out"
  env ROOFLINE="$program" GITHUB_STEP_SUMMARY="$work/out" "$@" bash "$script" 2>>"$work/out" || code=$?
}
run MODEL_FILE=model.json GPU=v100 BASE=HEAD~1
expect 0 "| in all | before | after | change | ratio |"
run MODEL_FILE=model.json GPU=v100 BASE=HEAD~1 OPTIONS='--dtype fp16 --batch 8' FAIL_IF='expected_ms > 100'
expect 0 "fp16, batch 8"
run MODEL_FILE=model.json GPU=v100 BASE=HEAD~1 FAIL_IF='expected_us > 1'
expect 3 "expected_us"
run MODEL_FILE=model.json GPU=v100 BASE=HEAD~2
expect 0 "model.json is new: commit HEAD~2 has none."
run MODEL_COMMAND='cp model.json "$MODEL"' GPU=v100 BASE=HEAD~1
expect 0 "| in all | before | after | change | ratio |"
run MODEL_FILE=model.json BASE=HEAD~1 GPU=
expect 2 "compare: expected a GPU, got none: set the input gpu"
run MODEL_FILE=other.json GPU=v100 BASE=HEAD~1
expect 2 "compare: expected the model other.json, found none"
[ -z "$(git worktree list | sed 1d)" ] || { echo "a worktree was left behind" >&2; exit 1; }
