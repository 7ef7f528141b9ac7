#compdef lockstep
# Completion of lockstep for zsh. The program itself finds the words: see `lockstep complete`.
_lockstep() {
    local line word about
    local -a words_found texts
    local files=0
    for line in "${(@f)$("${words[1]}" complete -- "${(@)words[1,CURRENT]}" 2>/dev/null)}"; do
        if [[ $line == :files ]]; then
            files=1
        elif [[ -n $line ]]; then
            word="${line%%$'\t'*}" about="${line#*$'\t'}"
            words_found+=("$word")
            [[ $word == $line ]] && texts+=("$word") || texts+=("$word  -- $about")
        fi
    done
    # More follows a family, a node of a link, and an option with a value: no space behind it.
    local -a more
    (( ${#words_found} == 1 )) && [[ $words_found[1] == *[:=,-] ]] && more=(-S '')
    (( ${#words_found} )) && compadd "${more[@]}" -l -d texts -- "${words_found[@]}"
    (( files )) && _files
    return 0
}
if [[ $funcstack[1] == _lockstep ]]; then _lockstep "$@"; else compdef _lockstep lockstep; fi
