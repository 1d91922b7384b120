#!/bin/sh
# completion.sh SHELL - the shell completes `syncopate` after the line that docs/install.md gives for it: $SYNCOPATE_CLI.
. "$(dirname "$0")/../plain_tmpdir.sh"
. "$(dirname "$0")/record_lib.sh"
command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; exit 77; }
PATH=$(dirname "$SYNCOPATE_CLI"):$PATH
case $1 in
bash)
    run bash -c 'eval "$(syncopate help --completion bash)"; complete -p syncopate'
    expect "completion for bash" "$(cat out)$(cat err)" "complete -o filenames -F _syncopate syncopate"
    ;;
zsh)
    run zsh -fc 'autoload -U compinit; compinit -u -D; eval "$(syncopate help --completion zsh)"; echo $_comps[syncopate]'
    expect "completion for zsh" "$(cat out)$(cat err)" _syncopate
    ;;
*) fail "no check for $1" ;;
esac
finish
