# bash completion for roofline and roofline-calibrate. What may stand where, the programs say
# themselves (--complete).

_roofline() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} done= files= line
    # bash takes --option=value for three words.
    if [[ $word == = ]]; then
        previous+== word=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}=
    fi
    # Of a list by commas, the last one.
    if [[ $word == *,* ]]; then
        done=${word%,*},
        word=${word##*,}
    fi
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            files=yes
        elif [[ ${line%%$'\t'*} == "$word"* ]]; then
            COMPREPLY+=("$done${line%%$'\t'*}")
        fi
    done < <("${COMP_WORDS[0]}" "--complete=$previous" 2>/dev/null)
    if [[ $files && $word != -* ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$done$line"); done < <(compgen -f -- "$word")
    fi
}
complete -F _roofline roofline roofline-calibrate
