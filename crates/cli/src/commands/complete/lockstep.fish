# Completion of lockstep for fish. The program itself finds the words: see `lockstep complete`.
function __lockstep_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c lockstep -f -a '(__lockstep_complete)'
