#!/bin/sh
# The Debian package in a root that has nothing else: made by mmdebstrap, the packages installed by apt with what they
# depend on, a program recorded and reported.
#
#   clean_root.sh BUILD_DIRECTORY PROGRAM      exit status 77, with a line, where such a root cannot be made
set -u
build=$1 program=$2
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "a root directory of its own needs the user root"
for tool in mmdebstrap dpkg-shlibdeps cpack; do
    command -v $tool >/dev/null || skip "there is no $tool"
done
work=$(mktemp -d "${TMPDIR:-/var/tmp}/syncopate-root-XXXXXX")
root=$work/root
cleanup() {
    umount -l "$root/proc" "$root/dev/shm" 2>/dev/null
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT

(cd "$build" && cpack -G DEB -B "$work/packages") >"$work/cpack" 2>&1 || { cat "$work/cpack"; exit 1; }
mirror=$("$(dirname "$0")/../debian_mirror.sh")
# The package depends on libraries of the release that it was built on.
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "${VERSION_CODENAME-bookworm}")
# (Thrown away in a minute: nothing has to be on the disk.)
mmdebstrap --variant=minbase --include=ca-certificates --dpkgopt=force-unsafe-io "$suite" "$root" ${mirror:+"$mirror"} \
    >"$work/mmdebstrap" 2>&1 || skip "mmdebstrap: $(grep '^E:' "$work/mmdebstrap" | head -n 1)"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
mkdir -p "$root/dev/shm"
mount -t proc proc "$root/proc" && mount -t tmpfs tmpfs "$root/dev/shm" || skip "nothing can be mounted"
cp "$work"/packages/*.deb "$root/tmp/"

# (Programs of Open MPI 5 fail without HOME.)
inside() {
    env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
        DEBIAN_FRONTEND=noninteractive chroot "$root" /bin/sh -ec "$1" >"$work/out" 2>&1 </dev/null
}
fail() { echo "FAILED: $*"; tail -n 30 "$work/out"; exit 1; }

inside 'apt-get update -qq' || skip "no packages: $(tail -n 1 "$work/out")"
inside 'apt-get install -y -qq --no-install-recommends /tmp/syncopate_*.deb openmpi-bin' ||
    fail "installing the package"
cp "$program" "$root/tmp/program"
inside 'cd /tmp && syncopate record -o trace -- mpirun -n 2 ./program' || fail "recording"
inside 'cd /tmp && syncopate check trace && syncopate report trace' || fail "reading"
grep -q '^Allreduce ' "$work/out" || fail "a report without collectives"
inside 'cd /tmp && syncopate export --format otf2 -o archive trace' || fail "the libraries that it depends on"
[ -f "$root/usr/share/man/man1/syncopate-report.1.gz" ] || [ -f "$root/usr/share/man/man1/syncopate-report.1" ] || fail "no manual page"
grep -q libRmath "$root/usr/share/doc/syncopate/copyright" || fail "the copyright file does not name libRmath"
inside 'apt-get remove -y -qq syncopate && ! command -v syncopate' || fail "removing the package"
echo "installed, recorded, reported and removed in a clean root"
