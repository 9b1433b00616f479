# SPDX-License-Identifier: BSD-3-Clause
"""Terrace from Python: terrace.mpix has communicators that follow the hardware, for mpi4py."""
