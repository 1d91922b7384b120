#!/bin/sh
# Makes DIR a system root of another architecture: the present Debian's packages, with all that they need, downloaded
# and unpacked. Needs no root and no foreign architecture in dpkg: apt is asked as if it were on an empty machine of that kind.
# usage: sysroot.sh ARCH DIR PACKAGE...        (sysroot.sh arm64 build/cross/arm64 libc6-dev libmpich-dev)
# SYN_SYSROOT_SUITE: another release than this machine's, by its name. Nothing is done where DIR has these packages already. Exit status 0, or 1 with the reason on stderr.
set -eu
[ $# -ge 3 ] || { sed -n '4s/^# //p' "$0" >&2; exit 2; }
arch=$1 root=$2
shift 2

die() { echo "sysroot.sh: $*" >&2; exit 1; }
[ "$(cat "$root/.packages" 2>/dev/null)" = "$*" ] && exit 0
command -v apt-get >/dev/null 2>&1 && command -v dpkg-deb >/dev/null 2>&1 || die "not a Debian system: no apt-get"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial"
: >"$work/state/status"
sources=
[ -z "${SYN_SYSROOT_SUITE-}" ] || {
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    mirror=$("$(dirname "$0")/../debian_mirror.sh") || die "no Debian mirror among apt's sources"
    echo "deb [signed-by=$key] $mirror $SYN_SYSROOT_SUITE main" >"$work/sources.list"
    sources="-o Dir::Etc::SourceList=$work/sources.list -o Dir::Etc::SourceParts=-"
}
# shellcheck disable=SC2086
foreign_apt() {
    apt-get -qq $sources -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$work/state" \
        -o Dir::State::status="$work/state/status" -o Dir::Cache="$work/cache" -o Debug::NoLocking=1 \
        -o APT::Sandbox::User= "$@" >"$work/log" 2>&1
}
# A mirror may lack one of the lists for a while; whether the others do is seen then.
foreign_apt update || :
foreign_apt install -y --no-install-recommends --download-only "$@" || die "apt-get: $(grep '^[EW]:' "$work/log" | head -n 1)"

rm -rf "$root"
mkdir -p "$root"
# Debian has /lib in /usr; packages of that release still say /lib.
for directory in bin lib sbin; do
    mkdir -p "$root/usr/$directory"
    ln -s "usr/$directory" "$root/$directory"
done
for package in "$work"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --no-same-owner --exclude=./dev \
        --exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./usr/share/locale || die "cannot unpack ${package##*/}"
done
# A link to /usr/lib/x would lead out of the root.
find "$root" -type l -lname '/*' -printf '%P\t%l\n' | while IFS="$(printf '\t')" read -r link target; do
    up=$(printf '%s' "$link" | sed 's|[^/]*$||; s|[^/]*/|../|g')
    ln -sfn "$up${target#/}" "$root/$link"
done
printf '%s\n' "$*" >"$root/.packages"
