#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tries an installed Terrace as its users would, in a folder with hello.c and consumer/: programs of
# an MPI, programs of its own, and its library. A line for each thing that works; ends at the first
# that does not.
set -eu

works() {
  echo "works: $1"
}

terrace --version
# Nobody can say here what the doctor finds; 1: there is something.
terrace doctor > doctor.txt || test $? -eq 1
grep -q "kernel" doctor.txt
works "terrace doctor"
terrace cost allreduce.tree 64 --machine westmere-x5650 --ranks 12 > /dev/null
terrace plan allreduce.tree --ranks 4 > /dev/null
works "machine files and plans"

${MPICC:-mpicc} hello.c -o hello
TERRACE_REPORT=1 mpirun -n 2 terrace exec ./hello > report.txt 2>&1 || { cat report.txt; exit 1; }
grep -q "sum 3 of 2 ranks" report.txt
grep -q "allreduce.* ran allreduce" report.txt || { cat report.txt; exit 1; }
works "terrace exec: $(grep 'allreduce .* ran' report.txt | tr -s ' ')"
terrace run -n 2 ./hello | grep -q "sum 3 of 2 ranks"
works "terrace run, a program of another MPI"
terrace cc hello.c -o own
terrace run -n 2 ./own | grep -q "sum 3 of 2 ranks"
works "terrace cc and terrace run"

if command -v pkg-config > /dev/null; then
  ${CC:-cc} consumer/consumer.c -o team $(pkg-config --cflags --libs terrace)
  ./team
  works "the C library by pkg-config"
fi
if command -v cmake > /dev/null; then
  cmake -S consumer -B built > /dev/null
  cmake --build built > /dev/null
  ./built/consumer && ./built/consumer_cpp
  works "the C and C++ libraries by find_package"
fi
if command -v python3 > /dev/null; then
  terrace plot --help > /dev/null
  works "terrace plot, its Python module"
fi
