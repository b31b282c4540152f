# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For scripts of the rig that fetch Debian's packages: an apt that installs nothing and has a state of its own
# below VM_HOME, with the mirror that this machine uses already (or DEBIAN_MIRROR). Sourced, never run.

# The address only: where, by which key, is a matter of one line below.
mirror()
{
	local sites

	if [ -n "${DEBIAN_MIRROR:-}" ]; then
		echo "$DEBIAN_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # apt expands $(SITE)
	sites=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null)
	grep -m1 -E '/debian/?$' <<<"$sites"
}

# scratch_apt SUITE [ARCHITECTURE]: options of apt for it, in apt_options
scratch_apt()
{
	local suite=$1 site key=/usr/share/keyrings/debian-archive-keyring.gpg with=

	site=$(mirror) || die 'no Debian mirror among the apt sources: run apt-get update, or set DEBIAN_MIRROR'
	site=${site%/}
	[ ! -f $key ] || with="[signed-by=$key]"
	apt=$VM_HOME/apt/$suite${2:+-$2}
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	echo "deb $with $site $suite main" >"$apt/sources.list"
	case $suite in
	*-backports) ;;
	*) echo "deb $with $site-security $suite-security main" >>"$apt/sources.list" ;;
	esac
	apt_options=(
		-qq
		-o Acquire::Retries=3
		-o APT::Sandbox::User=
		-o Dir::State="$apt"
		-o Dir::State::lists="$apt/lists"
		-o Dir::State::status="$apt/status"
		-o Dir::Cache="$apt/cache"
		-o Dir::Etc::sourcelist="$apt/sources.list"
		-o Dir::Etc::sourceparts=/dev/null
	)
	[ -z "${2:-}" ] || apt_options+=(-o APT::Architecture="$2" -o APT::Architectures::="$2")
	apt-get "${apt_options[@]}" update && return
	# A suite that moved on loses its security part first.
	without_security "$suite"
}

# without_security SUITE: the same without its updates
without_security()
{
	sed -i 2d "$apt/sources.list"
	apt-get "${apt_options[@]}" update || die "cannot read the package lists of $1"
}
