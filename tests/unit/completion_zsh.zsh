# SPDX-License-Identifier: GPL-2.0-or-later
# zsh -f completion_zsh.zsh DIRECTORY LINES: what the completion in that directory offers for each
# line of the file, sorted, a line each. A shell with a terminal of its own completes them.
zmodload zsh/zpty
dir=$1 lines=$2
zpty -b shell "PS1= zsh -f -i"
zpty -w shell "fpath=(${(q)dir} \$fpath); autoload -U compinit; compinit -u -D
compadd() {
	local -a hits
	if [[ \"\${@[1,(i)(-|--)]}\" != *-[OAD]\\ * ]]; then
		builtin compadd -A hits \"\$@\"
		offered+=(\$hits)
	fi
	builtin compadd \"\$@\"
}
all=()
answer() {
	local line
	for line in \${(f)\"\$(<${(q)lines})\"}; do
		offered=() BUFFER=\$line CURSOR=\$#line
		zle complete-word
		print -r -- \${(ou)offered} >>answers
	done
	: >finished
	BUFFER=
}
zle -C complete-word complete-word _main_complete
zle -N answer
bindkey '^T' answer
zstyle ':completion:*' completer _complete
: >ready"
repeat 600; do [[ -e ready ]] && break; sleep 0.1; zpty -rt shell rest; done
sleep 0.2
zpty -wn shell $'\C-t'
repeat 600; do [[ -e finished ]] && break; sleep 0.1; zpty -rt shell rest; done
zpty -d shell
cat answers
