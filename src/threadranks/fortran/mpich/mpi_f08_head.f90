! SPDX-License-Identifier: BSD-3-Clause
! The module mpi_f08, which `terrace fc` compiles for the compiler that it calls. Its functions are
! in our library for Fortran, under the names of MPI 5.0, table 20.1. Written by
! tools/fortran_module.py.
module mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  private :: c_ptr

  type, bind(C) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Datatype
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Errhandler
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_File
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Group
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Info
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Message
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Op
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Request
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Session
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Win
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Status
    integer, private :: bytes = 0, bytes_and_cancelled = 0
    integer :: MPI_SOURCE = 0, MPI_TAG = 0, MPI_ERROR = 0
  end type

! (The constants.)
  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.
  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.
  integer(MPI_OFFSET_KIND), parameter :: MPI_DISPLACEMENT_CURRENT = -54278278

  ! Constants that MPI knows by their address.
  integer, bind(C, name='terrace_f08_bottom'), target :: MPI_BOTTOM
  integer, bind(C, name='terrace_f08_in_place'), target :: MPI_IN_PLACE
  integer, bind(C, name='terrace_f08_buffer_automatic'), target :: MPI_BUFFER_AUTOMATIC
  integer, bind(C, name='terrace_f08_unweighted'), target :: MPI_UNWEIGHTED(1)
  integer, bind(C, name='terrace_f08_weights_empty'), target :: MPI_WEIGHTS_EMPTY(1)
  integer, bind(C, name='terrace_f08_errcodes_ignore'), target :: MPI_ERRCODES_IGNORE(1)
  character, bind(C, name='terrace_f08_argv_null'), target :: MPI_ARGV_NULL(1)
  character, bind(C, name='terrace_f08_argvs_null'), target :: MPI_ARGVS_NULL(1, 1)
  type(MPI_Status), bind(C, name='terrace_f08_status_ignore'), target :: MPI_STATUS_IGNORE
  type(MPI_Status), bind(C, name='terrace_f08_statuses_ignore'), target :: MPI_STATUSES_IGNORE(1)

  ! Functions of the program.
  abstract interface
    subroutine MPI_User_function(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer(MPI_COUNT_KIND) :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_Comm_copy_attr_function(oldcomm, comm_keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      type(MPI_Comm) :: oldcomm
      integer :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Comm_delete_attr_function(comm, comm_keyval, attribute_val, &
        extra_state, ierror)
      import
      type(MPI_Comm) :: comm
      integer :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Type_copy_attr_function(oldtype, type_keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      type(MPI_Datatype) :: oldtype
      integer :: type_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Type_delete_attr_function(datatype, type_keyval, attribute_val, &
        extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer :: type_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Win_copy_attr_function(oldwin, win_keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      type(MPI_Win) :: oldwin
      integer :: win_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Win_delete_attr_function(win, win_keyval, attribute_val, &
        extra_state, ierror)
      import
      type(MPI_Win) :: win
      integer :: win_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Comm_errhandler_function(comm, error_code)
      import
      type(MPI_Comm) :: comm
      integer :: error_code
    end subroutine
    subroutine MPI_File_errhandler_function(file, error_code)
      import
      type(MPI_File) :: file
      integer :: error_code
    end subroutine
    subroutine MPI_Session_errhandler_function(session, error_code)
      import
      type(MPI_Session) :: session
      integer :: error_code
    end subroutine
    subroutine MPI_Win_errhandler_function(win, error_code)
      import
      type(MPI_Win) :: win
      integer :: error_code
    end subroutine
    subroutine MPI_Grequest_query_function(extra_state, status, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_free_function(extra_state, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      logical :: complete
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer(MPI_ADDRESS_KIND) :: extent, extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, &
        position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: count
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_conversion_function_c(userbuf, datatype, count, filebuf, &
        position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
  end interface

  ! MPI's own.
  procedure(MPI_Comm_copy_attr_function) :: MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN
  procedure(MPI_Comm_delete_attr_function) :: MPI_COMM_NULL_DELETE_FN
  procedure(MPI_Type_copy_attr_function) :: MPI_TYPE_DUP_FN, MPI_TYPE_NULL_COPY_FN
  procedure(MPI_Type_delete_attr_function) :: MPI_TYPE_NULL_DELETE_FN
  procedure(MPI_Win_copy_attr_function) :: MPI_WIN_DUP_FN, MPI_WIN_NULL_COPY_FN
  procedure(MPI_Win_delete_attr_function) :: MPI_WIN_NULL_DELETE_FN
  procedure(MPI_Datarep_conversion_function) :: MPI_CONVERSION_FN_NULL
  procedure(MPI_Datarep_conversion_function_c) :: MPI_CONVERSION_FN_NULL_C

  ! Comparisons of handles.
  interface operator(==)
    elemental logical function MPI_Comm_equals(one, other)
      import
      type(MPI_Comm), intent(in) :: one, other
    end function
    elemental logical function MPI_Datatype_equals(one, other)
      import
      type(MPI_Datatype), intent(in) :: one, other
    end function
    elemental logical function MPI_Errhandler_equals(one, other)
      import
      type(MPI_Errhandler), intent(in) :: one, other
    end function
    elemental logical function MPI_File_equals(one, other)
      import
      type(MPI_File), intent(in) :: one, other
    end function
    elemental logical function MPI_Group_equals(one, other)
      import
      type(MPI_Group), intent(in) :: one, other
    end function
    elemental logical function MPI_Info_equals(one, other)
      import
      type(MPI_Info), intent(in) :: one, other
    end function
    elemental logical function MPI_Message_equals(one, other)
      import
      type(MPI_Message), intent(in) :: one, other
    end function
    elemental logical function MPI_Op_equals(one, other)
      import
      type(MPI_Op), intent(in) :: one, other
    end function
    elemental logical function MPI_Request_equals(one, other)
      import
      type(MPI_Request), intent(in) :: one, other
    end function
    elemental logical function MPI_Session_equals(one, other)
      import
      type(MPI_Session), intent(in) :: one, other
    end function
    elemental logical function MPI_Win_equals(one, other)
      import
      type(MPI_Win), intent(in) :: one, other
    end function
  end interface
  interface operator(/=)
    elemental logical function MPI_Comm_differs(one, other)
      import
      type(MPI_Comm), intent(in) :: one, other
    end function
    elemental logical function MPI_Datatype_differs(one, other)
      import
      type(MPI_Datatype), intent(in) :: one, other
    end function
    elemental logical function MPI_Errhandler_differs(one, other)
      import
      type(MPI_Errhandler), intent(in) :: one, other
    end function
    elemental logical function MPI_File_differs(one, other)
      import
      type(MPI_File), intent(in) :: one, other
    end function
    elemental logical function MPI_Group_differs(one, other)
      import
      type(MPI_Group), intent(in) :: one, other
    end function
    elemental logical function MPI_Info_differs(one, other)
      import
      type(MPI_Info), intent(in) :: one, other
    end function
    elemental logical function MPI_Message_differs(one, other)
      import
      type(MPI_Message), intent(in) :: one, other
    end function
    elemental logical function MPI_Op_differs(one, other)
      import
      type(MPI_Op), intent(in) :: one, other
    end function
    elemental logical function MPI_Request_differs(one, other)
      import
      type(MPI_Request), intent(in) :: one, other
    end function
    elemental logical function MPI_Session_differs(one, other)
      import
      type(MPI_Session), intent(in) :: one, other
    end function
    elemental logical function MPI_Win_differs(one, other)
      import
      type(MPI_Win), intent(in) :: one, other
    end function
  end interface

  ! Functions that C does not have, or with other arguments. What begins MPI has a name that only
  ! our library knows: those of other MPIs may describe arrays in another way.
  interface MPI_Init
    subroutine MPI_Init_f08(ierror) bind(C, name='terrace_f08_init')
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface PMPI_Init
    subroutine PMPI_Init_f08(ierror)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface MPI_Init_thread
    subroutine MPI_Init_thread_f08(required, provided, ierror) &
        bind(C, name='terrace_f08_init_thread')
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface PMPI_Init_thread
    subroutine PMPI_Init_thread_f08(required, provided, ierror)
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface MPI_Pcontrol
    subroutine MPI_Pcontrol_f08(level)
      import
      integer, intent(in) :: level
    end subroutine
  end interface
  procedure(MPI_Pcontrol_f08) :: PMPI_Pcontrol_f08
  interface PMPI_Pcontrol
    procedure PMPI_Pcontrol_f08
  end interface
  interface MPI_Wtick
    double precision function MPI_Wtick_f08()
    end function
  end interface
  procedure(MPI_Wtick_f08) :: PMPI_Wtick_f08
  interface PMPI_Wtick
    procedure PMPI_Wtick_f08
  end interface
  interface MPI_Wtime
    double precision function MPI_Wtime_f08()
    end function
  end interface
  procedure(MPI_Wtime_f08) :: PMPI_Wtime_f08
  interface PMPI_Wtime
    procedure PMPI_Wtime_f08
  end interface
  interface MPI_Aint_add
    integer(MPI_ADDRESS_KIND) function MPI_Aint_add_f08(base, disp)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: base, disp
    end function
  end interface
  procedure(MPI_Aint_add_f08) :: PMPI_Aint_add_f08
  interface PMPI_Aint_add
    procedure PMPI_Aint_add_f08
  end interface
  interface MPI_Aint_diff
    integer(MPI_ADDRESS_KIND) function MPI_Aint_diff_f08(addr1, addr2)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
    end function
  end interface
  procedure(MPI_Aint_diff_f08) :: PMPI_Aint_diff_f08
  interface PMPI_Aint_diff
    procedure PMPI_Aint_diff_f08
  end interface
  interface MPI_Info_create_env
    subroutine MPI_Info_create_env_f08(info, ierror)
      import
      type(MPI_Info), intent(out) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_create_env_f08) :: PMPI_Info_create_env_f08
  interface PMPI_Info_create_env
    procedure PMPI_Info_create_env_f08
  end interface
  interface MPI_Status_f2f08
    subroutine MPI_Status_f2f08_f08(f_status, f08_status, ierror)
      import
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status), intent(out) :: f08_status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_f2f08_f08) :: PMPI_Status_f2f08_f08
  interface PMPI_Status_f2f08
    procedure PMPI_Status_f2f08_f08
  end interface
  interface MPI_Status_f082f
    subroutine MPI_Status_f082f_f08(f08_status, f_status, ierror)
      import
      type(MPI_Status), intent(in) :: f08_status
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_f082f_f08) :: PMPI_Status_f082f_f08
  interface PMPI_Status_f082f
    procedure PMPI_Status_f082f_f08
  end interface
  interface MPI_Comm_spawn
    subroutine MPI_Comm_spawn_f08(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      character(len=*), intent(in) :: command, argv(*)
      integer, intent(in) :: maxprocs, root
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_spawn_f08) :: PMPI_Comm_spawn_f08
  interface PMPI_Comm_spawn
    procedure PMPI_Comm_spawn_f08
  end interface
  interface MPI_Comm_spawn_multiple
    subroutine MPI_Comm_spawn_multiple_f08(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      integer, intent(in) :: count, array_of_maxprocs(*), root
      character(len=*), intent(in) :: array_of_commands(*), array_of_argv(count, *)
      type(MPI_Info), intent(in) :: array_of_info(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_spawn_multiple_f08) :: PMPI_Comm_spawn_multiple_f08
  interface PMPI_Comm_spawn_multiple
    procedure PMPI_Comm_spawn_multiple_f08
  end interface
  interface MPI_F_sync_reg
    subroutine MPI_F_sync_reg_f08ts(buf)
      import
      type(*), dimension(..), asynchronous :: buf
    end subroutine
  end interface
  procedure(MPI_F_sync_reg_f08ts) :: PMPI_F_sync_reg_f08ts
  interface PMPI_F_sync_reg
    procedure PMPI_F_sync_reg_f08ts
  end interface
  interface MPI_Sizeof
    subroutine MPI_Sizeof_f08ts(x, size, ierror)
      import
      type(*), dimension(..), intent(in) :: x
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Sizeof_f08ts) :: PMPI_Sizeof_f08ts
  interface PMPI_Sizeof
    procedure PMPI_Sizeof_f08ts
  end interface
