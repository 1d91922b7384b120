#!/bin/sh
# bare_root.sh SUITE COMMAND...: runs a command in what is committed, in a root of Debian SUITE (bookworm, trixie) that has git and
# nothing else. Run by hand, as root. A machine that somebody has worked on hides missing packages and leftovers in the environment.
#
#   tests/package/bare_root.sh trixie ./bootstrap demo
set -u
[ $# -ge 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
suite=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/syncopate-bare-XXXXXX")
root=$work/root
cleanup() {
    umount -l "$root/proc" "$root/sys" "$root/dev/shm" 2>/dev/null
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT
mirror=$("$here/../debian_mirror.sh")
mmdebstrap --variant=minbase --include=git,ca-certificates --dpkgopt=force-unsafe-io "$suite" "$root" ${mirror:+"$mirror"} \
    >"$work/log" 2>&1 || { grep '^E:' "$work/log"; exit 2; }
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mkdir -p "$root/dev/shm"
mount -t proc proc "$root/proc" && mount --bind /sys "$root/sys" && mount -t tmpfs tmpfs "$root/dev/shm" || exit 2
git clone -q "$here/../.." "$root/src" || exit 2
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" /bin/sh -c "cd /src && $*" </dev/null
