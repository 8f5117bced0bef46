# Bash completion of antbench: source this file, or let `make install` put it where bash looks. It asks the program for
# everything: tables by --tables, options by --help, implementations by --list.

_antbench()
{
    local program=$1 word=$2 before=$3 table=${COMP_WORDS[1]} words=
    COMPREPLY=()
    # The word may be the value of an option: --backend=cu and --backend cu.
    if [ "$word" = = ]; then word=; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if [ "$COMP_CWORD" = 1 ]; then
        words="$("$program" --tables 2>/dev/null | awk -F'\t' 'NR > 1 && !told[$1]++ { print $1 }') $(_antbench_options "$program" --help)"
    else
        case $before in
        --backend) words="auto cuda host cpu" ;;
        --profile) words="smoke quick thesis" ;;
        --out | --save | --verified) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
        --implementations) words=$("$program" "$table" --list 2>/dev/null | awk -F'\t' 'NR > 1 && !told[$1]++ { print $1 }') ;;
        --rows)
            words=$("$program" --rows 2>/dev/null |
                awk -F, -v driver="$table" '$1 == driver { gsub(/{[^}]*}/, "*", $3); print $2 "/" $3 }' | sort -u)
            ;;
        --set)
            compopt -o nospace 2>/dev/null
            words=$("$program" "$table" --help 2>/dev/null | awk '/^parameters of|^of all rows/ { on = 1; next } !NF { on = 0 } on { print $1 "=" }')
            ;;
        *) words=$(_antbench_options "$program" "$table" --help) ;;
        esac
    fi
    # In a list such as a,b,c the last name is completed.
    local head=
    [[ $before =~ ^--(implementations|rows)$ && $word == *,* ]] && head=${word%,*},
    mapfile -t COMPREPLY < <(compgen -W "$words" -P "$head" -- "${word#"$head"}")
}

_antbench_options()
{
    "$@" 2>/dev/null | LC_ALL=C grep -oE '^  (antbench )?--[a-z-]+' | LC_ALL=C grep -oE -e '--[a-z-]+'
}

complete -F _antbench antbench
