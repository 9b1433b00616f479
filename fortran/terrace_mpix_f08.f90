! SPDX-License-Identifier: BSD-3-Clause
! What <terrace/mpix.h> has, for Fortran programs that say `use mpi_f08`: handles are of types. It
! is compiled with the MPI and the compiler of the program, behind terrace_mpix.f90:
!
!   mpifort -c terrace_mpix.f90 terrace_mpix_f08.f90
!   mpifort program.f90 terrace_mpix.o terrace_mpix_f08.o -lterrace-communicators
!
! The header describes each function. Arguments have its names and its order, with the error code
! behind them, which may be left out. So may be what C takes a null address for. A `type` is filled
! with blanks, and cut off where it is too short.
module terrace_mpix_f08
  use mpi_f08, only: MPI_Comm, MPI_Info
  use terrace_mpix, only: MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, MPIX_COMM_TYPE_HW_GUIDED, &
      MPIX_COMM_TYPE_HW_UNGUIDED, MPIX_COMM_TYPE_RESOURCE_GUIDED, MPIX_MAX_HLEVEL_TYPE, &
      plain_split_type => MPIX_Comm_split_type, &
      plain_hsplit_with_roots => MPIX_Comm_hsplit_with_roots, &
      plain_hsplit_all => MPIX_Comm_hsplit_all, &
      plain_get_hlevel_info => MPIX_Comm_get_hlevel_info, &
      plain_get_info => MPIX_Comm_get_info, &
      plain_get_hw_resource_info => MPIX_Get_hw_resource_info, &
      plain_get_min_hlevel => MPIX_Comm_get_min_hlevel, &
      plain_distance => MPIX_Comm_distance, &
      plain_get_hcoords => MPIX_Comm_get_hcoords
  implicit none
  private

  public :: MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, MPIX_COMM_TYPE_HW_GUIDED, &
            MPIX_COMM_TYPE_HW_UNGUIDED, MPIX_COMM_TYPE_RESOURCE_GUIDED, MPIX_MAX_HLEVEL_TYPE
  public :: MPIX_Comm_split_type, MPIX_Comm_hsplit_with_roots, MPIX_Comm_hsplit_all, &
            MPIX_Comm_get_hlevel_info, MPIX_Comm_get_info, MPIX_Get_hw_resource_info, &
            MPIX_Comm_get_min_hlevel, MPIX_Comm_distance, MPIX_Comm_get_hcoords

contains

  subroutine MPIX_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: split_type, key
    type(MPI_Info), intent(in) :: info
    type(MPI_Comm), intent(out) :: newcomm
    integer, optional, intent(out) :: ierror
    call plain_split_type(comm%MPI_VAL, split_type, key, info%MPI_VAL, newcomm%MPI_VAL, ierror)
  end subroutine

  subroutine MPIX_Comm_hsplit_with_roots(oldcomm, info, newcomm, rootscomm, ierror)
    type(MPI_Comm), intent(in) :: oldcomm
    type(MPI_Info), intent(in) :: info
    type(MPI_Comm), intent(out) :: newcomm, rootscomm
    integer, optional, intent(out) :: ierror
    call plain_hsplit_with_roots(oldcomm%MPI_VAL, info%MPI_VAL, newcomm%MPI_VAL, &
                                 rootscomm%MPI_VAL, ierror)
  end subroutine

  subroutine MPIX_Comm_hsplit_all(oldcomm, info, most_levels, levels, newcomms, rootscomms, &
                                  types, ierror)
    type(MPI_Comm), intent(in) :: oldcomm
    type(MPI_Info), intent(in) :: info
    integer, intent(in) :: most_levels
    integer, intent(out) :: levels
    type(MPI_Comm), intent(out) :: newcomms(most_levels)
    type(MPI_Comm), optional, intent(out) :: rootscomms(most_levels)
    character(len=*), optional, intent(out) :: types(most_levels)
    integer, optional, intent(out) :: ierror
    integer :: comms(max(most_levels, 0)), roots(max(most_levels, 0))
    if (present(rootscomms)) then
      call plain_hsplit_all(oldcomm%MPI_VAL, info%MPI_VAL, most_levels, levels, comms, roots, &
                            types, ierror)
      rootscomms%MPI_VAL = roots
    else
      call plain_hsplit_all(oldcomm%MPI_VAL, info%MPI_VAL, most_levels, levels, comms, &
                            types=types, ierror=ierror)
    end if
    newcomms%MPI_VAL = comms
  end subroutine

  subroutine MPIX_Comm_get_hlevel_info(comm, num_comms, index, type, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: num_comms, index
    character(len=*), optional, intent(out) :: type
    integer, optional, intent(out) :: ierror
    call plain_get_hlevel_info(comm%MPI_VAL, num_comms, index, type, ierror)
  end subroutine

  subroutine MPIX_Comm_get_info(comm, info_used, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Info), intent(out) :: info_used
    integer, optional, intent(out) :: ierror
    call plain_get_info(comm%MPI_VAL, info_used%MPI_VAL, ierror)
  end subroutine

  subroutine MPIX_Get_hw_resource_info(hw_info, ierror)
    type(MPI_Info), intent(out) :: hw_info
    integer, optional, intent(out) :: ierror
    call plain_get_hw_resource_info(hw_info%MPI_VAL, ierror)
  end subroutine

  subroutine MPIX_Comm_get_min_hlevel(comm, nranks, ranks, type, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: nranks, ranks(nranks)
    character(len=*), intent(out) :: type
    integer, optional, intent(out) :: ierror
    call plain_get_min_hlevel(comm%MPI_VAL, nranks, ranks, type, ierror)
  end subroutine

  subroutine MPIX_Comm_distance(comm, rank_a, rank_b, levels, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank_a, rank_b
    integer, intent(out) :: levels
    integer, optional, intent(out) :: ierror
    call plain_distance(comm%MPI_VAL, rank_a, rank_b, levels, ierror)
  end subroutine

  ! What is beyond `levels` stays as it was.
  subroutine MPIX_Comm_get_hcoords(comm, rank, most_levels, levels, sizes, coordinates, types, &
                                   ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, most_levels
    integer, intent(out) :: levels
    integer, optional, intent(inout) :: sizes(most_levels), coordinates(most_levels)
    character(len=*), optional, intent(inout) :: types(most_levels)
    integer, optional, intent(out) :: ierror
    call plain_get_hcoords(comm%MPI_VAL, rank, most_levels, levels, sizes, coordinates, types, &
                           ierror)
  end subroutine

end module
