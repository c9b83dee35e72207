#!/usr/bin/env bash
# Compares a model at commit BASE with the checked-out one and appends a table to the job's summary.
# From the environment: MODEL_FILE or MODEL_COMMAND (which writes to $MODEL), GPU, OPTIONS, FAIL_IF,
# ROOFLINE, BASE, GITHUB_STEP_SUMMARY. Exits with 3 if FAIL_IF holds, with 1 or 2 on errors.
set -euo pipefail

fail() {
  echo "compare: $1" >&2
  exit 2
}
[ -n "${GPU:-}" ] || fail "expected a GPU, got none: set the input gpu"
[ -n "${MODEL_FILE:-}" ] || [ -n "${MODEL_COMMAND:-}" ] || fail "expected the input model or command, got neither"
[ -n "${BASE:-}" ] || fail "expected the commit to compare with, got none: the action is for pull requests and pushes"
roofline=${ROOFLINE:-roofline}
summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
read -r -a options <<<"${OPTIONS:-}"

work=$(mktemp -d)
clean() {
  git worktree remove --force "$work/tree" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
if ! git cat-file -e "$BASE^{commit}" 2>/dev/null; then
  git fetch --quiet --depth=1 origin "$BASE" || fail "expected commit $BASE, found none of that name"
fi
git worktree add --quiet --detach "$work/tree" "$BASE"

# $1: a tree; $2: base or head. Prints the path of its model; nothing where the tree has none.
model_of() {
  local file=${MODEL_FILE:-model} copy
  copy=$work/$2/$(basename "$file")
  mkdir -p "$work/$2"
  if [ -n "${MODEL_FILE:-}" ]; then
    [ ! -e "$1/$MODEL_FILE" ] || cp "$1/$MODEL_FILE" "$copy"
  else
    (cd "$1" && MODEL=$copy bash -c "$MODEL_COMMAND" >&2)
  fi
  [ ! -e "$copy" ] || echo "$copy"
}
head=$(model_of . head)
[ -n "$head" ] || fail "expected the model ${MODEL_FILE:-of the command}, found none"
base=$(model_of "$work/tree" base)

if [ -n "$base" ]; then
  "$roofline" "$base" "$head" --gpu "$GPU" "${options[@]}" --compare --format markdown >>"$summary"
else
  echo "${MODEL_FILE:-The model} is new: commit $BASE has none." >>"$summary"
  "$roofline" "$head" --gpu "$GPU" "${options[@]}" --format markdown >>"$summary"
fi
[ -z "${FAIL_IF:-}" ] || "$roofline" "$head" --gpu "$GPU" "${options[@]}" --fail-if "$FAIL_IF" >/dev/null
