# fish completion for kindred, which says itself what may stand there
function __kindred_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l current (string unescape -- $typed)
    set -l lines ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
    if test "$lines[1]" = :files
        complete -C "'' $typed"  # __fish_complete_path of fish 4 wants it as typed, that of 3 does not
    else
        printf '%s\n' $lines
    end
end
complete -c kindred -f -a '(__kindred_complete)'
