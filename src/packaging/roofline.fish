# fish completion for roofline and roofline-calibrate. What may stand where, the programs say
# themselves (--complete).

function __roofline_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l word (commandline --current-token --cut-at-cursor)
    set -l previous $words[-1]
    set -l done ""
    if string match --quiet -- '--*=*' $word
        set previous (string replace --regex -- '=.*' '=' $word)
        set done $previous
        set word (string replace --regex -- '^[^=]*=' '' $word)
    end
    # Of a list by commas, the last one.
    if string match --quiet -- '*,*' $word
        set done $done(string replace --regex -- '[^,]*$' '' $word)
        set word (string replace --regex -- '.*,' '' $word)
    end
    for line in ($words[1] --complete=$previous 2>/dev/null)
        if test "$line" = ":files"
            if not string match --quiet -- '-*' $word
                __fish_complete_path $word | string replace --regex -- '^' $done
            end
        else
            echo $done$line
        end
    end
end

complete --command roofline --no-files --arguments '(__roofline_complete)'
complete --command roofline-calibrate --no-files --arguments '(__roofline_complete)'
