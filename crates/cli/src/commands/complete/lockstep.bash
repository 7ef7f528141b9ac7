# Completion of lockstep for bash. The program itself finds the words: see `lockstep complete`.
_lockstep() {
    local line="${COMP_LINE:0:COMP_POINT}" words=() word files=() IFS=$' \t\n'
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    # Bash splits words at colons and other characters; the replies must not repeat what stands before them.
    local current="${words[-1]}" piece="${COMP_WORDS[COMP_CWORD]}"
    [[ $COMP_WORDBREAKS == *"${piece:0:1}"* ]] && piece=""
    local before="${current%"$piece"}"
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        if [[ $word == :files ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t files < <(compgen -f -- "$piece")
            COMPREPLY+=("${files[@]}")
        else
            COMPREPLY+=("${word#"$before"}")
        fi
    done < <("$1" complete -- "${words[@]}" 2>/dev/null)
    # More follows a family, a node of a link, and an option with a value.
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=,-] ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F _lockstep lockstep
