#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs within a fresh Debian, where /try has packages and tests: installs each kind, tries it,
# removes it, and looks for what is left.
set -eu
export DEBIAN_FRONTEND=noninteractive XDG_CACHE_HOME=/try/cache XDG_CONFIG_HOME=/try/config
export HOME=/try HYDRA_LAUNCHER=fork LC_ALL=C.UTF-8

# Without what package managers note down.
files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /try -o -path /tmp \
    -o -path /run -o -path /var/cache -o -path /var/log -o -path /var/lib/apt \
    -o -path /var/lib/dpkg -o -path /var/lib/rpm \) -prune -o -print | sort
}

nothing_is_left() {
  files > /try/after
  if ! diff /try/before /try/after; then
    echo "the above is not as it was before $1 was installed and removed"
    exit 1
  fi
  echo "works: nothing of $1 is left"
}

try_it() {
  mkdir -p /try/work
  (cd /try/work && cp -r /try/hello.c /try/consumer . && sh /try/try_installed.sh)
  rm -rf /try/work
}

try_deb() {
  apt-get install --quiet --yes --no-install-recommends /try/*.deb
  try_it
  apt-get purge --quiet --yes --auto-remove terrace-mpi terrace-mpi-dev
}

# rpm knows of no package here: what the package needs is looked at, not looked for.
try_rpm() {
  rpm --query --requires --package /try/terrace-mpi-[0-9]*.rpm | grep -q 'libhwloc.so.15()'
  if rpm --query --provides --package /try/*.rpm | grep 'libmpi'; then
    echo "the package seems to provide another MPI's libraries"
    exit 1
  fi
  rpm --install --nodeps /try/*.rpm
  # Fedora's programs look there by themselves.
  export LD_LIBRARY_PATH=/usr/lib64 PKG_CONFIG_PATH=/usr/lib64/pkgconfig
  export terrace_DIR=/usr/lib64/cmake/terrace
  try_it
  rpm --erase terrace-mpi terrace-mpi-devel
  unset LD_LIBRARY_PATH PKG_CONFIG_PATH terrace_DIR
}

# What both need is there before, so that only they come and go; and the folders that Fedora has.
apt-get install --quiet --yes --no-install-recommends libhwloc15 libgomp1
mkdir -p /usr/lib64/cmake /usr/lib64/pkgconfig /usr/share/modulefiles /usr/libexec \
  /usr/share/bash-completion/completions /usr/share/zsh/site-functions \
  "$(python3 -c 'import sys; print("/usr/lib/python3.%d/site-packages" % sys.version_info[1])')"
for kind in "$@"; do
  files > /try/before
  "try_$kind"
  nothing_is_left "the $kind"
done
