# Completes words in a real shell, as a person who presses Tab:
#   completion.sh FOLDER_OF_THE_PROGRAM FOLDER_OF_THE_SCRIPTS bash|zsh|fish
set -u
export PATH=$1:$PATH LC_ALL=C.UTF-8
scripts=$2 shell=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work/config
cd "$work" || exit 1
touch my_layers.json my_gpu.json

# What each shell makes of a line: candidates, one a line; of zsh, the line's last word completed.
complete_in_bash() {
  (
    source "$scripts/roofline.bash"
    # As bash splits a line: "=" is a word.
    read -ra COMP_WORDS <<<"${1//=/ = }"
    [[ $1 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _roofline
    printf '%s\n' "${COMPREPLY[@]}"
  )
}
complete_in_fish() {
  fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$scripts/roofline.fish" "$1" |
    cut -f1 | sed 's/^--format=//'
}
complete_in_zsh() {
  zsh -f -c '
    zmodload zsh/zpty
    zpty terminal zsh -f -i
    zpty -w terminal "PS1= ; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
    zpty -w terminal "stty columns 200"
    zpty -w terminal "show() { print -r -- \"<\$BUFFER>\"; BUFFER=; zle accept-line }; zle -N show"
    zpty -w terminal "bindkey \"^I\" complete-word; bindkey \"^X\" show; print ready"
    zpty -r terminal text "*ready*ready*"
    zpty -w -n terminal "$2"$'"'\t\x18'"'
    zpty -r terminal text "*<roofline*>*"
    text=${text##*<}
    print -r -- ${${text%%>*}%% }' zsh "$scripts" "$1" | sed 's/.*[ =]//'
}

failures=0
# check LINE CANDIDATE...: these are the candidates, in any order.
check() {
  local line=$1 found expected
  shift
  [[ $shell == zsh && $# -ne 1 ]] && return  # which completes nothing yet
  found=$("complete_in_$shell" "$line" | sort)
  expected=$(printf '%s\n' "$@" | sort)
  if [[ $found != "$expected" ]]; then
    echo "$line: expected" $expected "; got" $found
    failures=$((failures + 1))
  fi
}

check "roofline --assume eng" engine=auto engine=vector engine=tensor engine=tf32 engine=fp16-accumulate
check "roofline resnet50 --form" --format
check "roofline resnet50 --format nd" ndjson
check "roofline resnet1" resnet18 resnet101
check "roofline resnet10" resnet101
check "roofline resnet50 --gpu rtx409" rtx4090
check "roofline resnet50 --gpu t4,rtx409" t4,rtx4090
check "roofline resnet50 --dtype fp" fp64 fp32 fp16 fp8 fp6 fp4
check "roofline resnet50 --dtype fp16,bf" fp16,bf16
check "roofline gpus rtx409" rtx4090
check "roofline-calibrate model rtx409" rtx4090
check "roofline-calibrate my_layers.json --const" --constants
[[ $shell == bash ]] && check "roofline resnet50 --kernel algorithm=winograd_5" winograd_5x5_nonfused
[[ $shell == bash ]] && check "roofline resnet50 --assume cache=cold,host-copies=pag" pageable
check "roofline resnet50 --pass tr" training
check "roofline resnet50 --chart sw" sweep
check "roofline resnet50 --format=nd" ndjson
check "roofline my_l" my_layers.json
check "roofline resnet50 --gpu my_g" my_gpu.json
check "roofline resnet50 --measured my_l" my_layers.json

# Every option of the help is offered, and values that are offered are taken.
if [[ $shell == bash ]]; then
  options=$(roofline --help all | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -e '--[a-z-]+' | sort)
  [[ $(complete_in_bash "roofline --" | sort) == "$options" ]] ||
    { echo "the options that are offered are not those of --help"; failures=$((failures + 1)); }
  for option in $options; do
    for value in $(roofline "--complete=$option=" | grep -v '^:files' | cut -f1 | head -n 20); do
      message=$(roofline alexnet --gpu v100 "$option=$value" 2>&1 >/dev/null)
      if [[ $message =~ expected\ one\ of|\ not\ in\ |unknown ]]; then
        echo "$option offers $value: $message"
        failures=$((failures + 1))
      fi
    done
  done
fi
exit $((failures > 0))
