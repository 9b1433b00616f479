! SPDX-License-Identifier: BSD-3-Clause
! What the operator of both Fortran tests does: x -> a x + b after another such map.
    second = cmplx(real(first) * real(second), real(first) * aimag(second) + aimag(first), &
                   kind(0d0))
