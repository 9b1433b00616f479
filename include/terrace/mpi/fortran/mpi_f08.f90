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

  integer, parameter :: MPI_STATUS_SIZE = 5
  integer, parameter :: MPI_MAX_PORT_NAME = 255
  integer, parameter :: MPI_MAX_OBJECT_NAME = 127
  integer, parameter :: MPI_MAX_INFO_KEY = 254
  integer, parameter :: MPI_MAX_INFO_VAL = 1023
  integer, parameter :: MPI_MAX_DATAREP_STRING = 127
  integer, parameter :: MPI_MAX_STRINGTAG_LEN = 255
  integer, parameter :: MPI_MAX_PSET_NAME_LEN = 255
  integer, parameter :: MPI_BSEND_OVERHEAD = 96
  integer, parameter :: MPI_VERSION = 5
  integer, parameter :: MPI_SUBVERSION = 0
  integer, parameter :: MPI_ADDRESS_KIND = 8
  integer, parameter :: MPI_OFFSET_KIND = 8
  integer, parameter :: MPI_COUNT_KIND = 8
  integer, parameter :: MPI_INTEGER_KIND = 4
  integer, parameter :: MPI_MAX_ERROR_STRING = 511
  integer, parameter :: MPI_MAX_PROCESSOR_NAME = 127
  integer, parameter :: MPI_MAX_LIBRARY_VERSION_STRING = 8191
  integer, parameter :: MPI_SOURCE = 3
  integer, parameter :: MPI_TAG = 4
  integer, parameter :: MPI_ERROR = 5
  integer, parameter :: MPI_SUCCESS = 0
  integer, parameter :: MPI_ERR_UNSUPPORTED_DATAREP = 43
  integer, parameter :: MPI_ERR_DIMS = 11
  integer, parameter :: MPI_ERR_QUOTA = 39
  integer, parameter :: MPI_ERR_NAME = 33
  integer, parameter :: MPI_ERR_INFO_VALUE = 30
  integer, parameter :: MPI_ERR_RMA_ATTACH = 56
  integer, parameter :: MPI_ERR_SESSION = 75
  integer, parameter :: MPI_ERR_NO_SUCH_FILE = 37
  integer, parameter :: MPI_ERR_TRUNCATE = 14
  integer, parameter :: MPI_ERR_RMA_FLAVOR = 58
  integer, parameter :: MPI_ERR_TYPE = 3
  integer, parameter :: MPI_ERR_VALUE_TOO_LARGE = 77
  integer, parameter :: MPI_ERR_TAG = 4
  integer, parameter :: MPI_ERR_FILE_EXISTS = 25
  integer, parameter :: MPI_ERR_WIN = 45
  integer, parameter :: MPI_ERR_LOCKTYPE = 47
  integer, parameter :: MPI_ERR_INFO_KEY = 29
  integer, parameter :: MPI_ERR_INFO_NOKEY = 31
  integer, parameter :: MPI_ERR_BUFFER = 1
  integer, parameter :: MPI_ERR_SPAWN = 42
  integer, parameter :: MPI_ERR_OP = 9
  integer, parameter :: MPI_ERR_NO_SPACE = 36
  integer, parameter :: MPI_ERR_GROUP = 8
  integer, parameter :: MPI_ERR_RMA_RANGE = 55
  integer, parameter :: MPI_ERR_RANK = 6
  integer, parameter :: MPI_ERR_IO = 32
  integer, parameter :: MPI_ERR_PORT = 38
  integer, parameter :: MPI_ERR_LASTCODE = 1073741823
  integer, parameter :: MPI_ERR_ARG = 12
  integer, parameter :: MPI_ERR_TOPOLOGY = 10
  integer, parameter :: MPI_ERR_AMODE = 21
  integer, parameter :: MPI_ERR_PENDING = 18
  integer, parameter :: MPI_ERR_COUNT = 2
  integer, parameter :: MPI_ERR_RMA_SHARED = 57
  integer, parameter :: MPI_ERR_FILE = 27
  integer, parameter :: MPI_ERR_BASE = 46
  integer, parameter :: MPI_ERR_DUP_DATAREP = 24
  integer, parameter :: MPI_ERR_PROC_ABORTED = 76
  integer, parameter :: MPI_ERR_INFO = 28
  integer, parameter :: MPI_ERR_ASSERT = 53
  integer, parameter :: MPI_ERR_KEYVAL = 48
  integer, parameter :: MPI_ERR_SERVICE = 41
  integer, parameter :: MPI_ERR_READ_ONLY = 40
  integer, parameter :: MPI_ERR_RMA_SYNC = 50
  integer, parameter :: MPI_ERR_ROOT = 7
  integer, parameter :: MPI_ERR_ACCESS = 20
  integer, parameter :: MPI_ERR_COMM = 5
  integer, parameter :: MPI_ERR_RMA_CONFLICT = 49
  integer, parameter :: MPI_ERR_INTERN = 16
  integer, parameter :: MPI_ERR_UNKNOWN = 13
  integer, parameter :: MPI_ERR_BAD_FILE = 22
  integer, parameter :: MPI_ERR_REQUEST = 19
  integer, parameter :: MPI_ERR_FILE_IN_USE = 26
  integer, parameter :: MPI_ERR_OTHER = 15
  integer, parameter :: MPI_ERR_UNSUPPORTED_OPERATION = 44
  integer, parameter :: MPI_ERR_CONVERSION = 23
  integer, parameter :: MPI_ERR_NOT_SAME = 35
  integer, parameter :: MPI_ERR_SIZE = 51
  integer, parameter :: MPI_ERR_NO_MEM = 34
  integer, parameter :: MPI_ERR_DISP = 52
  integer, parameter :: MPI_ERR_IN_STATUS = 17
  integer, parameter :: MPI_ERR_ABI = 81
  integer, parameter :: MPI_ERR_ERRHANDLER = 80
  type(MPI_Errhandler), parameter :: MPI_ERRORS_ARE_FATAL = MPI_Errhandler(1409286144)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_RETURN = MPI_Errhandler(1409286145)
  type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(1140850688)
  type(MPI_Comm), parameter :: MPI_COMM_SELF = MPI_Comm(1140850689)
  type(MPI_Group), parameter :: MPI_GROUP_EMPTY = MPI_Group(1207959552)
  type(MPI_Comm), parameter :: MPI_COMM_NULL = MPI_Comm(67108864)
  type(MPI_Win), parameter :: MPI_WIN_NULL = MPI_Win(536870912)
  type(MPI_File), parameter :: MPI_FILE_NULL = MPI_File(0)
  type(MPI_Group), parameter :: MPI_GROUP_NULL = MPI_Group(134217728)
  type(MPI_Op), parameter :: MPI_OP_NULL = MPI_Op(402653184)
  type(MPI_Datatype), parameter :: MPI_DATATYPE_NULL = MPI_Datatype(201326592)
  type(MPI_Request), parameter :: MPI_REQUEST_NULL = MPI_Request(738197504)
  type(MPI_Errhandler), parameter :: MPI_ERRHANDLER_NULL = MPI_Errhandler(335544320)
  type(MPI_Info), parameter :: MPI_INFO_NULL = MPI_Info(469762048)
  type(MPI_Info), parameter :: MPI_INFO_ENV = MPI_Info(1543503873)
  integer, parameter :: MPI_PROC_NULL = -1
  type(MPI_Message), parameter :: MPI_MESSAGE_NULL = MPI_Message(738197504)
  type(MPI_Message), parameter :: MPI_MESSAGE_NO_PROC = MPI_Message(1811939328)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_ABORT = MPI_Errhandler(1409286147)
  type(MPI_Session), parameter :: MPI_SESSION_NULL = MPI_Session(939524096)
  integer, parameter :: MPI_TAG_UB = 1681915906
  integer, parameter :: MPI_HOST = 1681915908
  integer, parameter :: MPI_IO = 1681915910
  integer, parameter :: MPI_WTIME_IS_GLOBAL = 1681915912
  integer, parameter :: MPI_UNIVERSE_SIZE = 1681915914
  integer, parameter :: MPI_LASTUSEDCODE = 1681915916
  integer, parameter :: MPI_APPNUM = 1681915918
  integer, parameter :: MPI_WIN_BASE = 1711276034
  integer, parameter :: MPI_WIN_SIZE = 1711276036
  integer, parameter :: MPI_WIN_DISP_UNIT = 1711276038
  integer, parameter :: MPI_WIN_CREATE_FLAVOR = 1711276040
  integer, parameter :: MPI_WIN_MODEL = 1711276042
  integer, parameter :: MPI_KEYVAL_INVALID = 603979776
  type(MPI_Op), parameter :: MPI_MAX = MPI_Op(1476395009)
  type(MPI_Op), parameter :: MPI_MIN = MPI_Op(1476395010)
  type(MPI_Op), parameter :: MPI_SUM = MPI_Op(1476395011)
  type(MPI_Op), parameter :: MPI_PROD = MPI_Op(1476395012)
  type(MPI_Op), parameter :: MPI_LAND = MPI_Op(1476395013)
  type(MPI_Op), parameter :: MPI_BAND = MPI_Op(1476395014)
  type(MPI_Op), parameter :: MPI_LOR = MPI_Op(1476395015)
  type(MPI_Op), parameter :: MPI_BOR = MPI_Op(1476395016)
  type(MPI_Op), parameter :: MPI_LXOR = MPI_Op(1476395017)
  type(MPI_Op), parameter :: MPI_BXOR = MPI_Op(1476395018)
  type(MPI_Op), parameter :: MPI_MINLOC = MPI_Op(1476395019)
  type(MPI_Op), parameter :: MPI_MAXLOC = MPI_Op(1476395020)
  type(MPI_Op), parameter :: MPI_REPLACE = MPI_Op(1476395021)
  type(MPI_Op), parameter :: MPI_NO_OP = MPI_Op(1476395022)
  integer, parameter :: MPI_UNDEFINED = -32766
  integer, parameter :: MPI_ANY_SOURCE = -2
  integer, parameter :: MPI_ANY_TAG = -1
  integer, parameter :: MPI_ROOT = -3
  integer, parameter :: MPI_THREAD_SINGLE = 0
  integer, parameter :: MPI_THREAD_FUNNELED = 1
  integer, parameter :: MPI_THREAD_SERIALIZED = 2
  integer, parameter :: MPI_THREAD_MULTIPLE = 3
  integer, parameter :: MPI_IDENT = 0
  integer, parameter :: MPI_CONGRUENT = 1
  integer, parameter :: MPI_SIMILAR = 2
  integer, parameter :: MPI_UNEQUAL = 3
  integer, parameter :: MPI_GRAPH = 1
  integer, parameter :: MPI_CART = 2
  integer, parameter :: MPI_DIST_GRAPH = 3
  integer, parameter :: MPI_COMBINER_NAMED = 1
  integer, parameter :: MPI_COMBINER_DUP = 2
  integer, parameter :: MPI_COMBINER_CONTIGUOUS = 3
  integer, parameter :: MPI_COMBINER_VECTOR = 4
  integer, parameter :: MPI_COMBINER_HVECTOR = 6
  integer, parameter :: MPI_COMBINER_INDEXED = 7
  integer, parameter :: MPI_COMBINER_HINDEXED = 9
  integer, parameter :: MPI_COMBINER_INDEXED_BLOCK = 10
  integer, parameter :: MPI_COMBINER_STRUCT = 12
  integer, parameter :: MPI_COMBINER_SUBARRAY = 13
  integer, parameter :: MPI_COMBINER_DARRAY = 14
  integer, parameter :: MPI_COMBINER_F90_REAL = 15
  integer, parameter :: MPI_COMBINER_F90_COMPLEX = 16
  integer, parameter :: MPI_COMBINER_F90_INTEGER = 17
  integer, parameter :: MPI_COMBINER_RESIZED = 18
  integer, parameter :: MPI_COMBINER_HINDEXED_BLOCK = 19
  integer, parameter :: MPI_TYPECLASS_REAL = 1
  integer, parameter :: MPI_TYPECLASS_INTEGER = 2
  integer, parameter :: MPI_TYPECLASS_COMPLEX = 3
  integer, parameter :: MPI_COMM_TYPE_SHARED = 1
  integer, parameter :: MPI_ORDER_C = 56
  integer, parameter :: MPI_ORDER_FORTRAN = 57
  integer, parameter :: MPI_DISTRIBUTE_BLOCK = 121
  integer, parameter :: MPI_DISTRIBUTE_CYCLIC = 122
  integer, parameter :: MPI_DISTRIBUTE_NONE = 123
  integer, parameter :: MPI_DISTRIBUTE_DFLT_DARG = -49767
  integer, parameter :: MPI_COMM_TYPE_HW_GUIDED = 2
  integer, parameter :: MPI_COMM_TYPE_HW_UNGUIDED = 3
  integer, parameter :: MPI_COMM_TYPE_RESOURCE_GUIDED = 4
  integer, parameter :: MPI_COMBINER_VALUE_INDEX = 20
  integer, parameter :: MPI_WIN_FLAVOR_CREATE = 1
  integer, parameter :: MPI_WIN_FLAVOR_ALLOCATE = 2
  integer, parameter :: MPI_WIN_FLAVOR_DYNAMIC = 3
  integer, parameter :: MPI_WIN_FLAVOR_SHARED = 4
  integer, parameter :: MPI_WIN_SEPARATE = 1
  integer, parameter :: MPI_WIN_UNIFIED = 2
  integer, parameter :: MPI_LOCK_EXCLUSIVE = 234
  integer, parameter :: MPI_LOCK_SHARED = 235
  integer, parameter :: MPI_MODE_NOCHECK = 1024
  integer, parameter :: MPI_MODE_NOSTORE = 2048
  integer, parameter :: MPI_MODE_NOPUT = 4096
  integer, parameter :: MPI_MODE_NOPRECEDE = 8192
  integer, parameter :: MPI_MODE_NOSUCCEED = 16384
  integer, parameter :: MPI_MODE_RDONLY = 2
  integer, parameter :: MPI_MODE_RDWR = 8
  integer, parameter :: MPI_MODE_WRONLY = 4
  integer, parameter :: MPI_MODE_DELETE_ON_CLOSE = 16
  integer, parameter :: MPI_MODE_UNIQUE_OPEN = 32
  integer, parameter :: MPI_MODE_CREATE = 1
  integer, parameter :: MPI_MODE_EXCL = 64
  integer, parameter :: MPI_MODE_APPEND = 128
  integer, parameter :: MPI_MODE_SEQUENTIAL = 256
  integer, parameter :: MPI_SEEK_SET = 600
  integer, parameter :: MPI_SEEK_CUR = 602
  integer, parameter :: MPI_SEEK_END = 604
  type(MPI_Datatype), parameter :: MPI_COMPLEX4 = MPI_Datatype(1275069486)
  type(MPI_Datatype), parameter :: MPI_REAL2 = MPI_Datatype(1275068966)
  type(MPI_Datatype), parameter :: MPI_INTEGER16 = MPI_Datatype(1275072562)
  type(MPI_Datatype), parameter :: MPI_LOGICAL16 = MPI_Datatype(1275072587)
  type(MPI_Datatype), parameter :: MPI_LOGICAL8 = MPI_Datatype(1275070538)
  type(MPI_Datatype), parameter :: MPI_LOGICAL4 = MPI_Datatype(1275069513)
  type(MPI_Datatype), parameter :: MPI_LOGICAL2 = MPI_Datatype(1275069000)
  type(MPI_Datatype), parameter :: MPI_LOGICAL1 = MPI_Datatype(1275068743)
  type(MPI_Datatype), parameter :: MPI_COMPLEX = MPI_Datatype(1275070494)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_COMPLEX = MPI_Datatype(1275072546)
  type(MPI_Datatype), parameter :: MPI_LOGICAL = MPI_Datatype(1275069469)
  type(MPI_Datatype), parameter :: MPI_REAL = MPI_Datatype(1275069468)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_PRECISION = MPI_Datatype(1275070495)
  type(MPI_Datatype), parameter :: MPI_INTEGER = MPI_Datatype(1275069467)
  type(MPI_Datatype), parameter :: MPI_2INTEGER = MPI_Datatype(1275070496)
  type(MPI_Datatype), parameter :: MPI_2DOUBLE_PRECISION = MPI_Datatype(1275072547)
  type(MPI_Datatype), parameter :: MPI_2REAL = MPI_Datatype(1275070497)
  type(MPI_Datatype), parameter :: MPI_CHARACTER = MPI_Datatype(1275068698)
  type(MPI_Datatype), parameter :: MPI_BYTE = MPI_Datatype(1275068685)
  type(MPI_Datatype), parameter :: MPI_PACKED = MPI_Datatype(1275068687)
  type(MPI_Datatype), parameter :: MPI_INTEGER1 = MPI_Datatype(1275068717)
  type(MPI_Datatype), parameter :: MPI_INTEGER2 = MPI_Datatype(1275068975)
  type(MPI_Datatype), parameter :: MPI_INTEGER4 = MPI_Datatype(1275069488)
  type(MPI_Datatype), parameter :: MPI_INTEGER8 = MPI_Datatype(1275070513)
  type(MPI_Datatype), parameter :: MPI_REAL4 = MPI_Datatype(1275069479)
  type(MPI_Datatype), parameter :: MPI_REAL8 = MPI_Datatype(1275070505)
  type(MPI_Datatype), parameter :: MPI_REAL16 = MPI_Datatype(1275072555)
  type(MPI_Datatype), parameter :: MPI_COMPLEX8 = MPI_Datatype(1275070504)
  type(MPI_Datatype), parameter :: MPI_COMPLEX16 = MPI_Datatype(1275072554)
  type(MPI_Datatype), parameter :: MPI_COMPLEX32 = MPI_Datatype(1275076652)
  type(MPI_Datatype), parameter :: MPI_CHAR = MPI_Datatype(1275068673)
  type(MPI_Datatype), parameter :: MPI_SIGNED_CHAR = MPI_Datatype(1275068696)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_CHAR = MPI_Datatype(1275068674)
  type(MPI_Datatype), parameter :: MPI_WCHAR = MPI_Datatype(1275069454)
  type(MPI_Datatype), parameter :: MPI_SHORT = MPI_Datatype(1275068931)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_SHORT = MPI_Datatype(1275068932)
  type(MPI_Datatype), parameter :: MPI_INT = MPI_Datatype(1275069445)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED = MPI_Datatype(1275069446)
  type(MPI_Datatype), parameter :: MPI_LONG = MPI_Datatype(1275070471)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG = MPI_Datatype(1275070472)
  type(MPI_Datatype), parameter :: MPI_FLOAT = MPI_Datatype(1275069450)
  type(MPI_Datatype), parameter :: MPI_DOUBLE = MPI_Datatype(1275070475)
  type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE = MPI_Datatype(1275072524)
  type(MPI_Datatype), parameter :: MPI_LONG_LONG_INT = MPI_Datatype(1275070473)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG_LONG = MPI_Datatype(1275070489)
  type(MPI_Datatype), parameter :: MPI_LONG_LONG = MPI_Datatype(1275070473)
  type(MPI_Datatype), parameter :: MPI_FLOAT_INT = MPI_Datatype(-1946157056)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_INT = MPI_Datatype(-1946157055)
  type(MPI_Datatype), parameter :: MPI_LONG_INT = MPI_Datatype(-1946157054)
  type(MPI_Datatype), parameter :: MPI_SHORT_INT = MPI_Datatype(-1946157053)
  type(MPI_Datatype), parameter :: MPI_2INT = MPI_Datatype(1275070486)
  type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE_INT = MPI_Datatype(-1946157052)
  type(MPI_Datatype), parameter :: MPI_INT8_T = MPI_Datatype(1275068727)
  type(MPI_Datatype), parameter :: MPI_INT16_T = MPI_Datatype(1275068984)
  type(MPI_Datatype), parameter :: MPI_INT32_T = MPI_Datatype(1275069497)
  type(MPI_Datatype), parameter :: MPI_INT64_T = MPI_Datatype(1275070522)
  type(MPI_Datatype), parameter :: MPI_UINT8_T = MPI_Datatype(1275068731)
  type(MPI_Datatype), parameter :: MPI_UINT16_T = MPI_Datatype(1275068988)
  type(MPI_Datatype), parameter :: MPI_UINT32_T = MPI_Datatype(1275069501)
  type(MPI_Datatype), parameter :: MPI_UINT64_T = MPI_Datatype(1275070526)
  type(MPI_Datatype), parameter :: MPI_C_BOOL = MPI_Datatype(1275068735)
  type(MPI_Datatype), parameter :: MPI_C_FLOAT_COMPLEX = MPI_Datatype(1275070528)
  type(MPI_Datatype), parameter :: MPI_C_COMPLEX = MPI_Datatype(1275070528)
  type(MPI_Datatype), parameter :: MPI_C_DOUBLE_COMPLEX = MPI_Datatype(1275072577)
  type(MPI_Datatype), parameter :: MPI_C_LONG_DOUBLE_COMPLEX = MPI_Datatype(1275076674)
  type(MPI_Datatype), parameter :: MPI_AINT = MPI_Datatype(1275070531)
  type(MPI_Datatype), parameter :: MPI_OFFSET = MPI_Datatype(1275070532)
  type(MPI_Datatype), parameter :: MPI_COUNT = MPI_Datatype(1275070533)
  type(MPI_Datatype), parameter :: MPI_CXX_BOOL = MPI_Datatype(1275068723)
  type(MPI_Datatype), parameter :: MPI_CXX_FLOAT_COMPLEX = MPI_Datatype(1275070516)
  type(MPI_Datatype), parameter :: MPI_CXX_DOUBLE_COMPLEX = MPI_Datatype(1275072565)
  type(MPI_Datatype), parameter :: MPI_CXX_LONG_DOUBLE_COMPLEX = MPI_Datatype(1275076662)
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

  interface MPI_Abort
    subroutine MPI_Abort_f08(comm, errorcode, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Abort_f08) :: PMPI_Abort_f08
  interface PMPI_Abort
    procedure PMPI_Abort_f08
  end interface

  interface MPI_Accumulate
    subroutine MPI_Accumulate_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Accumulate_f08ts) :: PMPI_Accumulate_f08ts
  procedure(MPI_Accumulate_c_f08ts) :: PMPI_Accumulate_c_f08ts
  interface PMPI_Accumulate
    procedure PMPI_Accumulate_f08ts
    procedure PMPI_Accumulate_c_f08ts
  end interface

  interface MPI_Add_error_class
    subroutine MPI_Add_error_class_f08(errorclass, ierror)
      import
      integer, intent(out) :: errorclass
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Add_error_class_f08) :: PMPI_Add_error_class_f08
  interface PMPI_Add_error_class
    procedure PMPI_Add_error_class_f08
  end interface

  interface MPI_Add_error_code
    subroutine MPI_Add_error_code_f08(errorclass, errorcode, ierror)
      import
      integer, intent(in) :: errorclass
      integer, intent(out) :: errorcode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Add_error_code_f08) :: PMPI_Add_error_code_f08
  interface PMPI_Add_error_code
    procedure PMPI_Add_error_code_f08
  end interface

  interface MPI_Add_error_string
    subroutine MPI_Add_error_string_f08(errorcode, string, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*), intent(in) :: string
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Add_error_string_f08) :: PMPI_Add_error_string_f08
  interface PMPI_Add_error_string
    procedure PMPI_Add_error_string_f08
  end interface

  interface MPI_Allgather
    subroutine MPI_Allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Allgather_f08ts) :: PMPI_Allgather_f08ts
  procedure(MPI_Allgather_c_f08ts) :: PMPI_Allgather_c_f08ts
  interface PMPI_Allgather
    procedure PMPI_Allgather_f08ts
    procedure PMPI_Allgather_c_f08ts
  end interface

  interface MPI_Allgather_init
    subroutine MPI_Allgather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allgather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Allgather_init_f08ts) :: PMPI_Allgather_init_f08ts
  procedure(MPI_Allgather_init_c_f08ts) :: PMPI_Allgather_init_c_f08ts
  interface PMPI_Allgather_init
    procedure PMPI_Allgather_init_f08ts
    procedure PMPI_Allgather_init_c_f08ts
  end interface

  interface MPI_Allgatherv
    subroutine MPI_Allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcounts(*), displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcounts(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: displs(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Allgatherv_f08ts) :: PMPI_Allgatherv_f08ts
  procedure(MPI_Allgatherv_c_f08ts) :: PMPI_Allgatherv_c_f08ts
  interface PMPI_Allgatherv
    procedure PMPI_Allgatherv_f08ts
    procedure PMPI_Allgatherv_c_f08ts
  end interface

  interface MPI_Allgatherv_init
    subroutine MPI_Allgatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in), asynchronous :: recvcounts(*), displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allgatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Allgatherv_init_f08ts) :: PMPI_Allgatherv_init_f08ts
  procedure(MPI_Allgatherv_init_c_f08ts) :: PMPI_Allgatherv_init_c_f08ts
  interface PMPI_Allgatherv_init
    procedure PMPI_Allgatherv_init_f08ts
    procedure PMPI_Allgatherv_init_c_f08ts
  end interface

  interface MPI_Alloc_mem
    subroutine MPI_Alloc_mem_f08(size, info, baseptr, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      type(MPI_Info), intent(in) :: info
      type(c_ptr), intent(out) :: baseptr
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Alloc_mem_f08) :: PMPI_Alloc_mem_f08
  interface PMPI_Alloc_mem
    procedure PMPI_Alloc_mem_f08
  end interface

  interface MPI_Allreduce
    subroutine MPI_Allreduce_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allreduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Allreduce_f08ts) :: PMPI_Allreduce_f08ts
  procedure(MPI_Allreduce_c_f08ts) :: PMPI_Allreduce_c_f08ts
  interface PMPI_Allreduce
    procedure PMPI_Allreduce_f08ts
    procedure PMPI_Allreduce_c_f08ts
  end interface

  interface MPI_Allreduce_init
    subroutine MPI_Allreduce_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allreduce_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Allreduce_init_f08ts) :: PMPI_Allreduce_init_f08ts
  procedure(MPI_Allreduce_init_c_f08ts) :: PMPI_Allreduce_init_c_f08ts
  interface PMPI_Allreduce_init
    procedure PMPI_Allreduce_init_f08ts
    procedure PMPI_Allreduce_init_c_f08ts
  end interface

  interface MPI_Alltoall
    subroutine MPI_Alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Alltoall_f08ts) :: PMPI_Alltoall_f08ts
  procedure(MPI_Alltoall_c_f08ts) :: PMPI_Alltoall_c_f08ts
  interface PMPI_Alltoall
    procedure PMPI_Alltoall_f08ts
    procedure PMPI_Alltoall_c_f08ts
  end interface

  interface MPI_Alltoall_init
    subroutine MPI_Alltoall_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoall_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Alltoall_init_f08ts) :: PMPI_Alltoall_init_f08ts
  procedure(MPI_Alltoall_init_c_f08ts) :: PMPI_Alltoall_init_c_f08ts
  interface PMPI_Alltoall_init
    procedure PMPI_Alltoall_init_f08ts
    procedure PMPI_Alltoall_init_c_f08ts
  end interface

  interface MPI_Alltoallv
    subroutine MPI_Alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Alltoallv_f08ts) :: PMPI_Alltoallv_f08ts
  procedure(MPI_Alltoallv_c_f08ts) :: PMPI_Alltoallv_c_f08ts
  interface PMPI_Alltoallv
    procedure PMPI_Alltoallv_f08ts
    procedure PMPI_Alltoallv_c_f08ts
  end interface

  interface MPI_Alltoallv_init
    subroutine MPI_Alltoallv_init_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), &
          rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoallv_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Alltoallv_init_f08ts) :: PMPI_Alltoallv_init_f08ts
  procedure(MPI_Alltoallv_init_c_f08ts) :: PMPI_Alltoallv_init_c_f08ts
  interface PMPI_Alltoallv_init
    procedure PMPI_Alltoallv_init_f08ts
    procedure PMPI_Alltoallv_init_c_f08ts
  end interface

  interface MPI_Alltoallw
    subroutine MPI_Alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Alltoallw_f08ts) :: PMPI_Alltoallw_f08ts
  procedure(MPI_Alltoallw_c_f08ts) :: PMPI_Alltoallw_c_f08ts
  interface PMPI_Alltoallw
    procedure PMPI_Alltoallw_f08ts
    procedure PMPI_Alltoallw_c_f08ts
  end interface

  interface MPI_Alltoallw_init
    subroutine MPI_Alltoallw_init_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), &
          rdispls(*)
      type(MPI_Datatype), intent(in), asynchronous :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoallw_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in), asynchronous :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Alltoallw_init_f08ts) :: PMPI_Alltoallw_init_f08ts
  procedure(MPI_Alltoallw_init_c_f08ts) :: PMPI_Alltoallw_init_c_f08ts
  interface PMPI_Alltoallw_init
    procedure PMPI_Alltoallw_init_f08ts
    procedure PMPI_Alltoallw_init_c_f08ts
  end interface

  interface MPI_Barrier
    subroutine MPI_Barrier_f08(comm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Barrier_f08) :: PMPI_Barrier_f08
  interface PMPI_Barrier
    procedure PMPI_Barrier_f08
  end interface

  interface MPI_Barrier_init
    subroutine MPI_Barrier_init_f08(comm, info, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Barrier_init_f08) :: PMPI_Barrier_init_f08
  interface PMPI_Barrier_init
    procedure PMPI_Barrier_init_f08
  end interface

  interface MPI_Bcast
    subroutine MPI_Bcast_f08ts(buffer, count, datatype, root, comm, ierror)
      import
      type(*), dimension(..) :: buffer
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Bcast_c_f08ts(buffer, count, datatype, root, comm, ierror)
      import
      type(*), dimension(..) :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Bcast_f08ts) :: PMPI_Bcast_f08ts
  procedure(MPI_Bcast_c_f08ts) :: PMPI_Bcast_c_f08ts
  interface PMPI_Bcast
    procedure PMPI_Bcast_f08ts
    procedure PMPI_Bcast_c_f08ts
  end interface

  interface MPI_Bcast_init
    subroutine MPI_Bcast_init_f08ts(buffer, count, datatype, root, comm, info, request, &
        ierror)
      import
      type(*), dimension(..), asynchronous :: buffer
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Bcast_init_c_f08ts(buffer, count, datatype, root, comm, info, request, &
        ierror)
      import
      type(*), dimension(..), asynchronous :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Bcast_init_f08ts) :: PMPI_Bcast_init_f08ts
  procedure(MPI_Bcast_init_c_f08ts) :: PMPI_Bcast_init_c_f08ts
  interface PMPI_Bcast_init
    procedure PMPI_Bcast_init_f08ts
    procedure PMPI_Bcast_init_c_f08ts
  end interface

  interface MPI_Bsend
    subroutine MPI_Bsend_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Bsend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Bsend_f08ts) :: PMPI_Bsend_f08ts
  procedure(MPI_Bsend_c_f08ts) :: PMPI_Bsend_c_f08ts
  interface PMPI_Bsend
    procedure PMPI_Bsend_f08ts
    procedure PMPI_Bsend_c_f08ts
  end interface

  interface MPI_Bsend_init
    subroutine MPI_Bsend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Bsend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Bsend_init_f08ts) :: PMPI_Bsend_init_f08ts
  procedure(MPI_Bsend_init_c_f08ts) :: PMPI_Bsend_init_c_f08ts
  interface PMPI_Bsend_init
    procedure PMPI_Bsend_init_f08ts
    procedure PMPI_Bsend_init_c_f08ts
  end interface

  interface MPI_Buffer_attach
    subroutine MPI_Buffer_attach_f08ts(buffer, size, ierror)
      import
      type(*), dimension(..), asynchronous :: buffer
      integer, intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Buffer_attach_c_f08ts(buffer, size, ierror)
      import
      type(*), dimension(..), asynchronous :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Buffer_attach_f08ts) :: PMPI_Buffer_attach_f08ts
  procedure(MPI_Buffer_attach_c_f08ts) :: PMPI_Buffer_attach_c_f08ts
  interface PMPI_Buffer_attach
    procedure PMPI_Buffer_attach_f08ts
    procedure PMPI_Buffer_attach_c_f08ts
  end interface

  interface MPI_Buffer_detach
    subroutine MPI_Buffer_detach_f08(buffer_addr, size, ierror)
      import
      type(c_ptr), intent(out) :: buffer_addr
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Buffer_detach_c_f08(buffer_addr, size, ierror)
      import
      type(c_ptr), intent(out) :: buffer_addr
      integer(MPI_COUNT_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Buffer_detach_f08) :: PMPI_Buffer_detach_f08
  procedure(MPI_Buffer_detach_c_f08) :: PMPI_Buffer_detach_c_f08
  interface PMPI_Buffer_detach
    procedure PMPI_Buffer_detach_f08
    procedure PMPI_Buffer_detach_c_f08
  end interface

  interface MPI_Buffer_flush
    subroutine MPI_Buffer_flush_f08(ierror)
      import
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Buffer_flush_f08) :: PMPI_Buffer_flush_f08
  interface PMPI_Buffer_flush
    procedure PMPI_Buffer_flush_f08
  end interface

  interface MPI_Buffer_iflush
    subroutine MPI_Buffer_iflush_f08(request, ierror)
      import
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Buffer_iflush_f08) :: PMPI_Buffer_iflush_f08
  interface PMPI_Buffer_iflush
    procedure PMPI_Buffer_iflush_f08
  end interface

  interface MPI_Cancel
    subroutine MPI_Cancel_f08(request, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cancel_f08) :: PMPI_Cancel_f08
  interface PMPI_Cancel
    procedure PMPI_Cancel_f08
  end interface

  interface MPI_Cart_coords
    subroutine MPI_Cart_coords_f08(comm, rank, maxdims, coords, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank, maxdims
      integer, intent(out) :: coords(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cart_coords_f08) :: PMPI_Cart_coords_f08
  interface PMPI_Cart_coords
    procedure PMPI_Cart_coords_f08
  end interface

  interface MPI_Cart_create
    subroutine MPI_Cart_create_f08(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: ndims, dims(*)
      logical, intent(in) :: periods(*), reorder
      type(MPI_Comm), intent(out) :: comm_cart
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cart_create_f08) :: PMPI_Cart_create_f08
  interface PMPI_Cart_create
    procedure PMPI_Cart_create_f08
  end interface

  interface MPI_Cart_get
    subroutine MPI_Cart_get_f08(comm, maxdims, dims, periods, coords, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxdims
      integer, intent(out) :: dims(*), coords(*)
      logical, intent(out) :: periods(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cart_get_f08) :: PMPI_Cart_get_f08
  interface PMPI_Cart_get
    procedure PMPI_Cart_get_f08
  end interface

  interface MPI_Cart_map
    subroutine MPI_Cart_map_f08(comm, ndims, dims, periods, newrank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: ndims, dims(*)
      logical, intent(in) :: periods(*)
      integer, intent(out) :: newrank
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cart_map_f08) :: PMPI_Cart_map_f08
  interface PMPI_Cart_map
    procedure PMPI_Cart_map_f08
  end interface

  interface MPI_Cart_rank
    subroutine MPI_Cart_rank_f08(comm, coords, rank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: coords(*)
      integer, intent(out) :: rank
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cart_rank_f08) :: PMPI_Cart_rank_f08
  interface PMPI_Cart_rank
    procedure PMPI_Cart_rank_f08
  end interface

  interface MPI_Cart_shift
    subroutine MPI_Cart_shift_f08(comm, direction, disp, rank_source, rank_dest, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: direction, disp
      integer, intent(out) :: rank_source, rank_dest
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cart_shift_f08) :: PMPI_Cart_shift_f08
  interface PMPI_Cart_shift
    procedure PMPI_Cart_shift_f08
  end interface

  interface MPI_Cart_sub
    subroutine MPI_Cart_sub_f08(comm, remain_dims, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      logical, intent(in) :: remain_dims(*)
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cart_sub_f08) :: PMPI_Cart_sub_f08
  interface PMPI_Cart_sub
    procedure PMPI_Cart_sub_f08
  end interface

  interface MPI_Cartdim_get
    subroutine MPI_Cartdim_get_f08(comm, ndims, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: ndims
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Cartdim_get_f08) :: PMPI_Cartdim_get_f08
  interface PMPI_Cartdim_get
    procedure PMPI_Cartdim_get_f08
  end interface

  interface MPI_Close_port
    subroutine MPI_Close_port_f08(port_name, ierror)
      import
      character(len=*), intent(in) :: port_name
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Close_port_f08) :: PMPI_Close_port_f08
  interface PMPI_Close_port
    procedure PMPI_Close_port_f08
  end interface

  interface MPI_Comm_accept
    subroutine MPI_Comm_accept_f08(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*), intent(in) :: port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_accept_f08) :: PMPI_Comm_accept_f08
  interface PMPI_Comm_accept
    procedure PMPI_Comm_accept_f08
  end interface

  interface MPI_Comm_attach_buffer
    subroutine MPI_Comm_attach_buffer_f08ts(comm, buffer, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(*), dimension(..), asynchronous :: buffer
      integer, intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_attach_buffer_c_f08ts(comm, buffer, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(*), dimension(..), asynchronous :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_attach_buffer_f08ts) :: PMPI_Comm_attach_buffer_f08ts
  procedure(MPI_Comm_attach_buffer_c_f08ts) :: PMPI_Comm_attach_buffer_c_f08ts
  interface PMPI_Comm_attach_buffer
    procedure PMPI_Comm_attach_buffer_f08ts
    procedure PMPI_Comm_attach_buffer_c_f08ts
  end interface

  interface MPI_Comm_call_errhandler
    subroutine MPI_Comm_call_errhandler_f08(comm, errorcode, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_call_errhandler_f08) :: PMPI_Comm_call_errhandler_f08
  interface PMPI_Comm_call_errhandler
    procedure PMPI_Comm_call_errhandler_f08
  end interface

  interface MPI_Comm_compare
    subroutine MPI_Comm_compare_f08(comm1, comm2, result, ierror)
      import
      type(MPI_Comm), intent(in) :: comm1, comm2
      integer, intent(out) :: result
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_compare_f08) :: PMPI_Comm_compare_f08
  interface PMPI_Comm_compare
    procedure PMPI_Comm_compare_f08
  end interface

  interface MPI_Comm_connect
    subroutine MPI_Comm_connect_f08(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*), intent(in) :: port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_connect_f08) :: PMPI_Comm_connect_f08
  interface PMPI_Comm_connect
    procedure PMPI_Comm_connect_f08
  end interface

  interface MPI_Comm_create
    subroutine MPI_Comm_create_f08(comm, group, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_create_f08) :: PMPI_Comm_create_f08
  interface PMPI_Comm_create
    procedure PMPI_Comm_create_f08
  end interface

  interface MPI_Comm_create_errhandler
    subroutine MPI_Comm_create_errhandler_f08(comm_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Comm_errhandler_function) :: comm_errhandler_fn
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_create_errhandler_f08) :: PMPI_Comm_create_errhandler_f08
  interface PMPI_Comm_create_errhandler
    procedure PMPI_Comm_create_errhandler_f08
  end interface

  interface MPI_Comm_create_from_group
    subroutine MPI_Comm_create_from_group_f08(group, stringtag, info, errhandler, newcomm, &
        ierror)
      import
      type(MPI_Group), intent(in) :: group
      character(len=*), intent(in) :: stringtag
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_create_from_group_f08) :: PMPI_Comm_create_from_group_f08
  interface PMPI_Comm_create_from_group
    procedure PMPI_Comm_create_from_group_f08
  end interface

  interface MPI_Comm_create_group
    subroutine MPI_Comm_create_group_f08(comm, group, tag, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: tag
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_create_group_f08) :: PMPI_Comm_create_group_f08
  interface PMPI_Comm_create_group
    procedure PMPI_Comm_create_group_f08
  end interface

  interface MPI_Comm_create_keyval
    subroutine MPI_Comm_create_keyval_f08(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Comm_copy_attr_function) :: comm_copy_attr_fn
      procedure(MPI_Comm_delete_attr_function) :: comm_delete_attr_fn
      integer, intent(out) :: comm_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_create_keyval_f08) :: PMPI_Comm_create_keyval_f08
  interface PMPI_Comm_create_keyval
    procedure PMPI_Comm_create_keyval_f08
  end interface

  interface MPI_Comm_delete_attr
    subroutine MPI_Comm_delete_attr_f08(comm, comm_keyval, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_delete_attr_f08) :: PMPI_Comm_delete_attr_f08
  interface PMPI_Comm_delete_attr
    procedure PMPI_Comm_delete_attr_f08
  end interface

  interface MPI_Comm_detach_buffer
    subroutine MPI_Comm_detach_buffer_f08(comm, buffer_addr, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: buffer_addr
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_detach_buffer_c_f08(comm, buffer_addr, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: buffer_addr
      integer(MPI_COUNT_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_detach_buffer_f08) :: PMPI_Comm_detach_buffer_f08
  procedure(MPI_Comm_detach_buffer_c_f08) :: PMPI_Comm_detach_buffer_c_f08
  interface PMPI_Comm_detach_buffer
    procedure PMPI_Comm_detach_buffer_f08
    procedure PMPI_Comm_detach_buffer_c_f08
  end interface

  interface MPI_Comm_disconnect
    subroutine MPI_Comm_disconnect_f08(comm, ierror)
      import
      type(MPI_Comm), intent(inout) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_disconnect_f08) :: PMPI_Comm_disconnect_f08
  interface PMPI_Comm_disconnect
    procedure PMPI_Comm_disconnect_f08
  end interface

  interface MPI_Comm_dup
    subroutine MPI_Comm_dup_f08(comm, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_dup_f08) :: PMPI_Comm_dup_f08
  interface PMPI_Comm_dup
    procedure PMPI_Comm_dup_f08
  end interface

  interface MPI_Comm_dup_with_info
    subroutine MPI_Comm_dup_with_info_f08(comm, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_dup_with_info_f08) :: PMPI_Comm_dup_with_info_f08
  interface PMPI_Comm_dup_with_info
    procedure PMPI_Comm_dup_with_info_f08
  end interface

  interface MPI_Comm_flush_buffer
    subroutine MPI_Comm_flush_buffer_f08(comm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_flush_buffer_f08) :: PMPI_Comm_flush_buffer_f08
  interface PMPI_Comm_flush_buffer
    procedure PMPI_Comm_flush_buffer_f08
  end interface

  interface MPI_Comm_free
    subroutine MPI_Comm_free_f08(comm, ierror)
      import
      type(MPI_Comm), intent(inout) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_free_f08) :: PMPI_Comm_free_f08
  interface PMPI_Comm_free
    procedure PMPI_Comm_free_f08
  end interface

  interface MPI_Comm_free_keyval
    subroutine MPI_Comm_free_keyval_f08(comm_keyval, ierror)
      import
      integer, intent(inout) :: comm_keyval
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_free_keyval_f08) :: PMPI_Comm_free_keyval_f08
  interface PMPI_Comm_free_keyval
    procedure PMPI_Comm_free_keyval_f08
  end interface

  interface MPI_Comm_get_attr
    subroutine MPI_Comm_get_attr_f08(comm, comm_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_get_attr_f08) :: PMPI_Comm_get_attr_f08
  interface PMPI_Comm_get_attr
    procedure PMPI_Comm_get_attr_f08
  end interface

  interface MPI_Comm_get_errhandler
    subroutine MPI_Comm_get_errhandler_f08(comm, errhandler, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_get_errhandler_f08) :: PMPI_Comm_get_errhandler_f08
  interface PMPI_Comm_get_errhandler
    procedure PMPI_Comm_get_errhandler_f08
  end interface

  interface MPI_Comm_get_info
    subroutine MPI_Comm_get_info_f08(comm, info_used, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(out) :: info_used
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_get_info_f08) :: PMPI_Comm_get_info_f08
  interface PMPI_Comm_get_info
    procedure PMPI_Comm_get_info_f08
  end interface

  interface MPI_Comm_get_name
    subroutine MPI_Comm_get_name_f08(comm, comm_name, resultlen, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*), intent(out) :: comm_name
      integer, intent(out) :: resultlen
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_get_name_f08) :: PMPI_Comm_get_name_f08
  interface PMPI_Comm_get_name
    procedure PMPI_Comm_get_name_f08
  end interface

  interface MPI_Comm_get_parent
    subroutine MPI_Comm_get_parent_f08(parent, ierror)
      import
      type(MPI_Comm), intent(out) :: parent
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_get_parent_f08) :: PMPI_Comm_get_parent_f08
  interface PMPI_Comm_get_parent
    procedure PMPI_Comm_get_parent_f08
  end interface

  interface MPI_Comm_group
    subroutine MPI_Comm_group_f08(comm, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(out) :: group
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_group_f08) :: PMPI_Comm_group_f08
  interface PMPI_Comm_group
    procedure PMPI_Comm_group_f08
  end interface

  interface MPI_Comm_idup
    subroutine MPI_Comm_idup_f08(comm, newcomm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out), asynchronous :: newcomm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_idup_f08) :: PMPI_Comm_idup_f08
  interface PMPI_Comm_idup
    procedure PMPI_Comm_idup_f08
  end interface

  interface MPI_Comm_idup_with_info
    subroutine MPI_Comm_idup_with_info_f08(comm, info, newcomm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(out), asynchronous :: newcomm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_idup_with_info_f08) :: PMPI_Comm_idup_with_info_f08
  interface PMPI_Comm_idup_with_info
    procedure PMPI_Comm_idup_with_info_f08
  end interface

  interface MPI_Comm_iflush_buffer
    subroutine MPI_Comm_iflush_buffer_f08(comm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_iflush_buffer_f08) :: PMPI_Comm_iflush_buffer_f08
  interface PMPI_Comm_iflush_buffer
    procedure PMPI_Comm_iflush_buffer_f08
  end interface

  interface MPI_Comm_join
    subroutine MPI_Comm_join_f08(fd, intercomm, ierror)
      import
      integer, intent(in) :: fd
      type(MPI_Comm), intent(out) :: intercomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_join_f08) :: PMPI_Comm_join_f08
  interface PMPI_Comm_join
    procedure PMPI_Comm_join_f08
  end interface

  interface MPI_Comm_rank
    subroutine MPI_Comm_rank_f08(comm, rank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: rank
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_rank_f08) :: PMPI_Comm_rank_f08
  interface PMPI_Comm_rank
    procedure PMPI_Comm_rank_f08
  end interface

  interface MPI_Comm_remote_group
    subroutine MPI_Comm_remote_group_f08(comm, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(out) :: group
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_remote_group_f08) :: PMPI_Comm_remote_group_f08
  interface PMPI_Comm_remote_group
    procedure PMPI_Comm_remote_group_f08
  end interface

  interface MPI_Comm_remote_size
    subroutine MPI_Comm_remote_size_f08(comm, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_remote_size_f08) :: PMPI_Comm_remote_size_f08
  interface PMPI_Comm_remote_size
    procedure PMPI_Comm_remote_size_f08
  end interface

  interface MPI_Comm_set_attr
    subroutine MPI_Comm_set_attr_f08(comm, comm_keyval, attribute_val, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_set_attr_f08) :: PMPI_Comm_set_attr_f08
  interface PMPI_Comm_set_attr
    procedure PMPI_Comm_set_attr_f08
  end interface

  interface MPI_Comm_set_errhandler
    subroutine MPI_Comm_set_errhandler_f08(comm, errhandler, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_set_errhandler_f08) :: PMPI_Comm_set_errhandler_f08
  interface PMPI_Comm_set_errhandler
    procedure PMPI_Comm_set_errhandler_f08
  end interface

  interface MPI_Comm_set_info
    subroutine MPI_Comm_set_info_f08(comm, info, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_set_info_f08) :: PMPI_Comm_set_info_f08
  interface PMPI_Comm_set_info
    procedure PMPI_Comm_set_info_f08
  end interface

  interface MPI_Comm_set_name
    subroutine MPI_Comm_set_name_f08(comm, comm_name, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*), intent(in) :: comm_name
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_set_name_f08) :: PMPI_Comm_set_name_f08
  interface PMPI_Comm_set_name
    procedure PMPI_Comm_set_name_f08
  end interface

  interface MPI_Comm_size
    subroutine MPI_Comm_size_f08(comm, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_size_f08) :: PMPI_Comm_size_f08
  interface PMPI_Comm_size
    procedure PMPI_Comm_size_f08
  end interface

  interface MPI_Comm_split
    subroutine MPI_Comm_split_f08(comm, color, key, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: color, key
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_split_f08) :: PMPI_Comm_split_f08
  interface PMPI_Comm_split
    procedure PMPI_Comm_split_f08
  end interface

  interface MPI_Comm_split_type
    subroutine MPI_Comm_split_type_f08(comm, split_type, key, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: split_type, key
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(out) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_split_type_f08) :: PMPI_Comm_split_type_f08
  interface PMPI_Comm_split_type
    procedure PMPI_Comm_split_type_f08
  end interface

  interface MPI_Comm_test_inter
    subroutine MPI_Comm_test_inter_f08(comm, flag, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_test_inter_f08) :: PMPI_Comm_test_inter_f08
  interface PMPI_Comm_test_inter
    procedure PMPI_Comm_test_inter_f08
  end interface

  interface MPI_Compare_and_swap
    subroutine MPI_Compare_and_swap_f08ts(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr, compare_addr
      type(*), dimension(..), asynchronous :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Compare_and_swap_f08ts) :: PMPI_Compare_and_swap_f08ts
  interface PMPI_Compare_and_swap
    procedure PMPI_Compare_and_swap_f08ts
  end interface

  interface MPI_Dims_create
    subroutine MPI_Dims_create_f08(nnodes, ndims, dims, ierror)
      import
      integer, intent(in) :: nnodes, ndims
      integer, intent(inout) :: dims(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Dims_create_f08) :: PMPI_Dims_create_f08
  interface PMPI_Dims_create
    procedure PMPI_Dims_create_f08
  end interface

  interface MPI_Dist_graph_create
    subroutine MPI_Dist_graph_create_f08(comm_old, n, sources, degrees, destinations, weights, &
        info, reorder, comm_dist_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: n, sources(*), degrees(*), destinations(*), weights(*)
      type(MPI_Info), intent(in) :: info
      logical, intent(in) :: reorder
      type(MPI_Comm), intent(out) :: comm_dist_graph
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Dist_graph_create_f08) :: PMPI_Dist_graph_create_f08
  interface PMPI_Dist_graph_create
    procedure PMPI_Dist_graph_create_f08
  end interface

  interface MPI_Dist_graph_create_adjacent
    subroutine MPI_Dist_graph_create_adjacent_f08(comm_old, indegree, sources, sourceweights, &
        outdegree, destinations, destweights, info, reorder, comm_dist_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: indegree, sources(*), sourceweights(*), outdegree, &
          destinations(*), destweights(*)
      type(MPI_Info), intent(in) :: info
      logical, intent(in) :: reorder
      type(MPI_Comm), intent(out) :: comm_dist_graph
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Dist_graph_create_adjacent_f08) :: PMPI_Dist_graph_create_adjacent_f08
  interface PMPI_Dist_graph_create_adjacent
    procedure PMPI_Dist_graph_create_adjacent_f08
  end interface

  interface MPI_Dist_graph_neighbors
    subroutine MPI_Dist_graph_neighbors_f08(comm, maxindegree, sources, sourceweights, &
        maxoutdegree, destinations, destweights, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxindegree, maxoutdegree
      integer, intent(out) :: sources(*), destinations(*)
      integer :: sourceweights(*), destweights(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Dist_graph_neighbors_f08) :: PMPI_Dist_graph_neighbors_f08
  interface PMPI_Dist_graph_neighbors
    procedure PMPI_Dist_graph_neighbors_f08
  end interface

  interface MPI_Dist_graph_neighbors_count
    subroutine MPI_Dist_graph_neighbors_count_f08(comm, indegree, outdegree, weighted, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: indegree, outdegree
      logical, intent(out) :: weighted
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Dist_graph_neighbors_count_f08) :: PMPI_Dist_graph_neighbors_count_f08
  interface PMPI_Dist_graph_neighbors_count
    procedure PMPI_Dist_graph_neighbors_count_f08
  end interface

  interface MPI_Errhandler_free
    subroutine MPI_Errhandler_free_f08(errhandler, ierror)
      import
      type(MPI_Errhandler), intent(inout) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Errhandler_free_f08) :: PMPI_Errhandler_free_f08
  interface PMPI_Errhandler_free
    procedure PMPI_Errhandler_free_f08
  end interface

  interface MPI_Error_class
    subroutine MPI_Error_class_f08(errorcode, errorclass, ierror)
      import
      integer, intent(in) :: errorcode
      integer, intent(out) :: errorclass
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Error_class_f08) :: PMPI_Error_class_f08
  interface PMPI_Error_class
    procedure PMPI_Error_class_f08
  end interface

  interface MPI_Error_string
    subroutine MPI_Error_string_f08(errorcode, string, resultlen, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*), intent(out) :: string
      integer, intent(out) :: resultlen
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Error_string_f08) :: PMPI_Error_string_f08
  interface PMPI_Error_string
    procedure PMPI_Error_string_f08
  end interface

  interface MPI_Exscan
    subroutine MPI_Exscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Exscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Exscan_f08ts) :: PMPI_Exscan_f08ts
  procedure(MPI_Exscan_c_f08ts) :: PMPI_Exscan_c_f08ts
  interface PMPI_Exscan
    procedure PMPI_Exscan_f08ts
    procedure PMPI_Exscan_c_f08ts
  end interface

  interface MPI_Exscan_init
    subroutine MPI_Exscan_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Exscan_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Exscan_init_f08ts) :: PMPI_Exscan_init_f08ts
  procedure(MPI_Exscan_init_c_f08ts) :: PMPI_Exscan_init_c_f08ts
  interface PMPI_Exscan_init
    procedure PMPI_Exscan_init_f08ts
    procedure PMPI_Exscan_init_c_f08ts
  end interface

  interface MPI_Fetch_and_op
    subroutine MPI_Fetch_and_op_f08ts(origin_addr, result_addr, datatype, target_rank, &
        target_disp, op, win, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      type(*), dimension(..), asynchronous :: result_addr
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Fetch_and_op_f08ts) :: PMPI_Fetch_and_op_f08ts
  interface PMPI_Fetch_and_op
    procedure PMPI_Fetch_and_op_f08ts
  end interface

  interface MPI_File_call_errhandler
    subroutine MPI_File_call_errhandler_f08(fh, errorcode, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: errorcode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_call_errhandler_f08) :: PMPI_File_call_errhandler_f08
  interface PMPI_File_call_errhandler
    procedure PMPI_File_call_errhandler_f08
  end interface

  interface MPI_File_close
    subroutine MPI_File_close_f08(fh, ierror)
      import
      type(MPI_File), intent(inout) :: fh
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_close_f08) :: PMPI_File_close_f08
  interface PMPI_File_close
    procedure PMPI_File_close_f08
  end interface

  interface MPI_File_create_errhandler
    subroutine MPI_File_create_errhandler_f08(file_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_File_errhandler_function) :: file_errhandler_fn
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_create_errhandler_f08) :: PMPI_File_create_errhandler_f08
  interface PMPI_File_create_errhandler
    procedure PMPI_File_create_errhandler_f08
  end interface

  interface MPI_File_delete
    subroutine MPI_File_delete_f08(filename, info, ierror)
      import
      character(len=*), intent(in) :: filename
      type(MPI_Info), intent(in) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_delete_f08) :: PMPI_File_delete_f08
  interface PMPI_File_delete
    procedure PMPI_File_delete_f08
  end interface

  interface MPI_File_get_amode
    subroutine MPI_File_get_amode_f08(fh, amode, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, intent(out) :: amode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_amode_f08) :: PMPI_File_get_amode_f08
  interface PMPI_File_get_amode
    procedure PMPI_File_get_amode_f08
  end interface

  interface MPI_File_get_atomicity
    subroutine MPI_File_get_atomicity_f08(fh, flag, ierror)
      import
      type(MPI_File), intent(in) :: fh
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_atomicity_f08) :: PMPI_File_get_atomicity_f08
  interface PMPI_File_get_atomicity
    procedure PMPI_File_get_atomicity_f08
  end interface

  interface MPI_File_get_byte_offset
    subroutine MPI_File_get_byte_offset_f08(fh, offset, disp, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer(MPI_OFFSET_KIND), intent(out) :: disp
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_byte_offset_f08) :: PMPI_File_get_byte_offset_f08
  interface PMPI_File_get_byte_offset
    procedure PMPI_File_get_byte_offset_f08
  end interface

  interface MPI_File_get_errhandler
    subroutine MPI_File_get_errhandler_f08(file, errhandler, ierror)
      import
      type(MPI_File), intent(in) :: file
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_errhandler_f08) :: PMPI_File_get_errhandler_f08
  interface PMPI_File_get_errhandler
    procedure PMPI_File_get_errhandler_f08
  end interface

  interface MPI_File_get_group
    subroutine MPI_File_get_group_f08(fh, group, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Group), intent(out) :: group
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_group_f08) :: PMPI_File_get_group_f08
  interface PMPI_File_get_group
    procedure PMPI_File_get_group_f08
  end interface

  interface MPI_File_get_info
    subroutine MPI_File_get_info_f08(fh, info_used, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Info), intent(out) :: info_used
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_info_f08) :: PMPI_File_get_info_f08
  interface PMPI_File_get_info
    procedure PMPI_File_get_info_f08
  end interface

  interface MPI_File_get_position
    subroutine MPI_File_get_position_f08(fh, offset, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(out) :: offset
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_position_f08) :: PMPI_File_get_position_f08
  interface PMPI_File_get_position
    procedure PMPI_File_get_position_f08
  end interface

  interface MPI_File_get_position_shared
    subroutine MPI_File_get_position_shared_f08(fh, offset, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(out) :: offset
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_position_shared_f08) :: PMPI_File_get_position_shared_f08
  interface PMPI_File_get_position_shared
    procedure PMPI_File_get_position_shared_f08
  end interface

  interface MPI_File_get_size
    subroutine MPI_File_get_size_f08(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_size_f08) :: PMPI_File_get_size_f08
  interface PMPI_File_get_size
    procedure PMPI_File_get_size_f08
  end interface

  interface MPI_File_get_type_extent
    subroutine MPI_File_get_type_extent_f08(fh, datatype, extent, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(out) :: extent
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_type_extent_f08) :: PMPI_File_get_type_extent_f08
  interface PMPI_File_get_type_extent
    procedure PMPI_File_get_type_extent_f08
  end interface

  interface MPI_File_get_view
    subroutine MPI_File_get_view_f08(fh, disp, etype, filetype, datarep, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(out) :: disp
      type(MPI_Datatype), intent(out) :: etype, filetype
      character(len=*), intent(out) :: datarep
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_get_view_f08) :: PMPI_File_get_view_f08
  interface PMPI_File_get_view
    procedure PMPI_File_get_view_f08
  end interface

  interface MPI_File_iread
    subroutine MPI_File_iread_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_c_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iread_f08ts) :: PMPI_File_iread_f08ts
  procedure(MPI_File_iread_c_f08ts) :: PMPI_File_iread_c_f08ts
  interface PMPI_File_iread
    procedure PMPI_File_iread_f08ts
    procedure PMPI_File_iread_c_f08ts
  end interface

  interface MPI_File_iread_all
    subroutine MPI_File_iread_all_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_all_c_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iread_all_f08ts) :: PMPI_File_iread_all_f08ts
  procedure(MPI_File_iread_all_c_f08ts) :: PMPI_File_iread_all_c_f08ts
  interface PMPI_File_iread_all
    procedure PMPI_File_iread_all_f08ts
    procedure PMPI_File_iread_all_c_f08ts
  end interface

  interface MPI_File_iread_at
    subroutine MPI_File_iread_at_f08ts(fh, offset, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_at_c_f08ts(fh, offset, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iread_at_f08ts) :: PMPI_File_iread_at_f08ts
  procedure(MPI_File_iread_at_c_f08ts) :: PMPI_File_iread_at_c_f08ts
  interface PMPI_File_iread_at
    procedure PMPI_File_iread_at_f08ts
    procedure PMPI_File_iread_at_c_f08ts
  end interface

  interface MPI_File_iread_at_all
    subroutine MPI_File_iread_at_all_f08ts(fh, offset, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_at_all_c_f08ts(fh, offset, buf, count, datatype, request, &
        ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iread_at_all_f08ts) :: PMPI_File_iread_at_all_f08ts
  procedure(MPI_File_iread_at_all_c_f08ts) :: PMPI_File_iread_at_all_c_f08ts
  interface PMPI_File_iread_at_all
    procedure PMPI_File_iread_at_all_f08ts
    procedure PMPI_File_iread_at_all_c_f08ts
  end interface

  interface MPI_File_iread_shared
    subroutine MPI_File_iread_shared_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_shared_c_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iread_shared_f08ts) :: PMPI_File_iread_shared_f08ts
  procedure(MPI_File_iread_shared_c_f08ts) :: PMPI_File_iread_shared_c_f08ts
  interface PMPI_File_iread_shared
    procedure PMPI_File_iread_shared_f08ts
    procedure PMPI_File_iread_shared_c_f08ts
  end interface

  interface MPI_File_iwrite
    subroutine MPI_File_iwrite_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_c_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iwrite_f08ts) :: PMPI_File_iwrite_f08ts
  procedure(MPI_File_iwrite_c_f08ts) :: PMPI_File_iwrite_c_f08ts
  interface PMPI_File_iwrite
    procedure PMPI_File_iwrite_f08ts
    procedure PMPI_File_iwrite_c_f08ts
  end interface

  interface MPI_File_iwrite_all
    subroutine MPI_File_iwrite_all_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_all_c_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iwrite_all_f08ts) :: PMPI_File_iwrite_all_f08ts
  procedure(MPI_File_iwrite_all_c_f08ts) :: PMPI_File_iwrite_all_c_f08ts
  interface PMPI_File_iwrite_all
    procedure PMPI_File_iwrite_all_f08ts
    procedure PMPI_File_iwrite_all_c_f08ts
  end interface

  interface MPI_File_iwrite_at
    subroutine MPI_File_iwrite_at_f08ts(fh, offset, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_at_c_f08ts(fh, offset, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iwrite_at_f08ts) :: PMPI_File_iwrite_at_f08ts
  procedure(MPI_File_iwrite_at_c_f08ts) :: PMPI_File_iwrite_at_c_f08ts
  interface PMPI_File_iwrite_at
    procedure PMPI_File_iwrite_at_f08ts
    procedure PMPI_File_iwrite_at_c_f08ts
  end interface

  interface MPI_File_iwrite_at_all
    subroutine MPI_File_iwrite_at_all_f08ts(fh, offset, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_at_all_c_f08ts(fh, offset, buf, count, datatype, request, &
        ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iwrite_at_all_f08ts) :: PMPI_File_iwrite_at_all_f08ts
  procedure(MPI_File_iwrite_at_all_c_f08ts) :: PMPI_File_iwrite_at_all_c_f08ts
  interface PMPI_File_iwrite_at_all
    procedure PMPI_File_iwrite_at_all_f08ts
    procedure PMPI_File_iwrite_at_all_c_f08ts
  end interface

  interface MPI_File_iwrite_shared
    subroutine MPI_File_iwrite_shared_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_shared_c_f08ts(fh, buf, count, datatype, request, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_iwrite_shared_f08ts) :: PMPI_File_iwrite_shared_f08ts
  procedure(MPI_File_iwrite_shared_c_f08ts) :: PMPI_File_iwrite_shared_c_f08ts
  interface PMPI_File_iwrite_shared
    procedure PMPI_File_iwrite_shared_f08ts
    procedure PMPI_File_iwrite_shared_c_f08ts
  end interface

  interface MPI_File_open
    subroutine MPI_File_open_f08(comm, filename, amode, info, fh, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(len=*), intent(in) :: filename
      integer, intent(in) :: amode
      type(MPI_Info), intent(in) :: info
      type(MPI_File), intent(out) :: fh
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_open_f08) :: PMPI_File_open_f08
  interface PMPI_File_open
    procedure PMPI_File_open_f08
  end interface

  interface MPI_File_preallocate
    subroutine MPI_File_preallocate_f08(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_preallocate_f08) :: PMPI_File_preallocate_f08
  interface PMPI_File_preallocate
    procedure PMPI_File_preallocate_f08
  end interface

  interface MPI_File_read
    subroutine MPI_File_read_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_c_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_f08ts) :: PMPI_File_read_f08ts
  procedure(MPI_File_read_c_f08ts) :: PMPI_File_read_c_f08ts
  interface PMPI_File_read
    procedure PMPI_File_read_f08ts
    procedure PMPI_File_read_c_f08ts
  end interface

  interface MPI_File_read_all
    subroutine MPI_File_read_all_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_all_c_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_all_f08ts) :: PMPI_File_read_all_f08ts
  procedure(MPI_File_read_all_c_f08ts) :: PMPI_File_read_all_c_f08ts
  interface PMPI_File_read_all
    procedure PMPI_File_read_all_f08ts
    procedure PMPI_File_read_all_c_f08ts
  end interface

  interface MPI_File_read_all_begin
    subroutine MPI_File_read_all_begin_f08ts(fh, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_all_begin_c_f08ts(fh, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_all_begin_f08ts) :: PMPI_File_read_all_begin_f08ts
  procedure(MPI_File_read_all_begin_c_f08ts) :: PMPI_File_read_all_begin_c_f08ts
  interface PMPI_File_read_all_begin
    procedure PMPI_File_read_all_begin_f08ts
    procedure PMPI_File_read_all_begin_c_f08ts
  end interface

  interface MPI_File_read_all_end
    subroutine MPI_File_read_all_end_f08ts(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_all_end_f08ts) :: PMPI_File_read_all_end_f08ts
  interface PMPI_File_read_all_end
    procedure PMPI_File_read_all_end_f08ts
  end interface

  interface MPI_File_read_at
    subroutine MPI_File_read_at_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_at_c_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_at_f08ts) :: PMPI_File_read_at_f08ts
  procedure(MPI_File_read_at_c_f08ts) :: PMPI_File_read_at_c_f08ts
  interface PMPI_File_read_at
    procedure PMPI_File_read_at_f08ts
    procedure PMPI_File_read_at_c_f08ts
  end interface

  interface MPI_File_read_at_all
    subroutine MPI_File_read_at_all_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_at_all_c_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_at_all_f08ts) :: PMPI_File_read_at_all_f08ts
  procedure(MPI_File_read_at_all_c_f08ts) :: PMPI_File_read_at_all_c_f08ts
  interface PMPI_File_read_at_all
    procedure PMPI_File_read_at_all_f08ts
    procedure PMPI_File_read_at_all_c_f08ts
  end interface

  interface MPI_File_read_at_all_begin
    subroutine MPI_File_read_at_all_begin_f08ts(fh, offset, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_at_all_begin_c_f08ts(fh, offset, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_at_all_begin_f08ts) :: PMPI_File_read_at_all_begin_f08ts
  procedure(MPI_File_read_at_all_begin_c_f08ts) :: PMPI_File_read_at_all_begin_c_f08ts
  interface PMPI_File_read_at_all_begin
    procedure PMPI_File_read_at_all_begin_f08ts
    procedure PMPI_File_read_at_all_begin_c_f08ts
  end interface

  interface MPI_File_read_at_all_end
    subroutine MPI_File_read_at_all_end_f08ts(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_at_all_end_f08ts) :: PMPI_File_read_at_all_end_f08ts
  interface PMPI_File_read_at_all_end
    procedure PMPI_File_read_at_all_end_f08ts
  end interface

  interface MPI_File_read_ordered
    subroutine MPI_File_read_ordered_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_ordered_c_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_ordered_f08ts) :: PMPI_File_read_ordered_f08ts
  procedure(MPI_File_read_ordered_c_f08ts) :: PMPI_File_read_ordered_c_f08ts
  interface PMPI_File_read_ordered
    procedure PMPI_File_read_ordered_f08ts
    procedure PMPI_File_read_ordered_c_f08ts
  end interface

  interface MPI_File_read_ordered_begin
    subroutine MPI_File_read_ordered_begin_f08ts(fh, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_ordered_begin_c_f08ts(fh, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_ordered_begin_f08ts) :: PMPI_File_read_ordered_begin_f08ts
  procedure(MPI_File_read_ordered_begin_c_f08ts) :: PMPI_File_read_ordered_begin_c_f08ts
  interface PMPI_File_read_ordered_begin
    procedure PMPI_File_read_ordered_begin_f08ts
    procedure PMPI_File_read_ordered_begin_c_f08ts
  end interface

  interface MPI_File_read_ordered_end
    subroutine MPI_File_read_ordered_end_f08ts(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), asynchronous :: buf
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_ordered_end_f08ts) :: PMPI_File_read_ordered_end_f08ts
  interface PMPI_File_read_ordered_end
    procedure PMPI_File_read_ordered_end_f08ts
  end interface

  interface MPI_File_read_shared
    subroutine MPI_File_read_shared_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_shared_c_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_read_shared_f08ts) :: PMPI_File_read_shared_f08ts
  procedure(MPI_File_read_shared_c_f08ts) :: PMPI_File_read_shared_c_f08ts
  interface PMPI_File_read_shared
    procedure PMPI_File_read_shared_f08ts
    procedure PMPI_File_read_shared_c_f08ts
  end interface

  interface MPI_File_seek
    subroutine MPI_File_seek_f08(fh, offset, whence, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_seek_f08) :: PMPI_File_seek_f08
  interface PMPI_File_seek
    procedure PMPI_File_seek_f08
  end interface

  interface MPI_File_seek_shared
    subroutine MPI_File_seek_shared_f08(fh, offset, whence, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_seek_shared_f08) :: PMPI_File_seek_shared_f08
  interface PMPI_File_seek_shared
    procedure PMPI_File_seek_shared_f08
  end interface

  interface MPI_File_set_atomicity
    subroutine MPI_File_set_atomicity_f08(fh, flag, ierror)
      import
      type(MPI_File), intent(in) :: fh
      logical, intent(in) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_set_atomicity_f08) :: PMPI_File_set_atomicity_f08
  interface PMPI_File_set_atomicity
    procedure PMPI_File_set_atomicity_f08
  end interface

  interface MPI_File_set_errhandler
    subroutine MPI_File_set_errhandler_f08(file, errhandler, ierror)
      import
      type(MPI_File), intent(in) :: file
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_set_errhandler_f08) :: PMPI_File_set_errhandler_f08
  interface PMPI_File_set_errhandler
    procedure PMPI_File_set_errhandler_f08
  end interface

  interface MPI_File_set_info
    subroutine MPI_File_set_info_f08(fh, info, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Info), intent(in) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_set_info_f08) :: PMPI_File_set_info_f08
  interface PMPI_File_set_info
    procedure PMPI_File_set_info_f08
  end interface

  interface MPI_File_set_size
    subroutine MPI_File_set_size_f08(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_set_size_f08) :: PMPI_File_set_size_f08
  interface PMPI_File_set_size
    procedure PMPI_File_set_size_f08
  end interface

  interface MPI_File_set_view
    subroutine MPI_File_set_view_f08(fh, disp, etype, filetype, datarep, info, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: disp
      type(MPI_Datatype), intent(in) :: etype, filetype
      character(len=*), intent(in) :: datarep
      type(MPI_Info), intent(in) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_set_view_f08) :: PMPI_File_set_view_f08
  interface PMPI_File_set_view
    procedure PMPI_File_set_view_f08
  end interface

  interface MPI_File_sync
    subroutine MPI_File_sync_f08(fh, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_sync_f08) :: PMPI_File_sync_f08
  interface PMPI_File_sync
    procedure PMPI_File_sync_f08
  end interface

  interface MPI_File_write
    subroutine MPI_File_write_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_c_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_f08ts) :: PMPI_File_write_f08ts
  procedure(MPI_File_write_c_f08ts) :: PMPI_File_write_c_f08ts
  interface PMPI_File_write
    procedure PMPI_File_write_f08ts
    procedure PMPI_File_write_c_f08ts
  end interface

  interface MPI_File_write_all
    subroutine MPI_File_write_all_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_all_c_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_all_f08ts) :: PMPI_File_write_all_f08ts
  procedure(MPI_File_write_all_c_f08ts) :: PMPI_File_write_all_c_f08ts
  interface PMPI_File_write_all
    procedure PMPI_File_write_all_f08ts
    procedure PMPI_File_write_all_c_f08ts
  end interface

  interface MPI_File_write_all_begin
    subroutine MPI_File_write_all_begin_f08ts(fh, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_all_begin_c_f08ts(fh, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_all_begin_f08ts) :: PMPI_File_write_all_begin_f08ts
  procedure(MPI_File_write_all_begin_c_f08ts) :: PMPI_File_write_all_begin_c_f08ts
  interface PMPI_File_write_all_begin
    procedure PMPI_File_write_all_begin_f08ts
    procedure PMPI_File_write_all_begin_c_f08ts
  end interface

  interface MPI_File_write_all_end
    subroutine MPI_File_write_all_end_f08ts(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_all_end_f08ts) :: PMPI_File_write_all_end_f08ts
  interface PMPI_File_write_all_end
    procedure PMPI_File_write_all_end_f08ts
  end interface

  interface MPI_File_write_at
    subroutine MPI_File_write_at_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_at_c_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_at_f08ts) :: PMPI_File_write_at_f08ts
  procedure(MPI_File_write_at_c_f08ts) :: PMPI_File_write_at_c_f08ts
  interface PMPI_File_write_at
    procedure PMPI_File_write_at_f08ts
    procedure PMPI_File_write_at_c_f08ts
  end interface

  interface MPI_File_write_at_all
    subroutine MPI_File_write_at_all_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_at_all_c_f08ts(fh, offset, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_at_all_f08ts) :: PMPI_File_write_at_all_f08ts
  procedure(MPI_File_write_at_all_c_f08ts) :: PMPI_File_write_at_all_c_f08ts
  interface PMPI_File_write_at_all
    procedure PMPI_File_write_at_all_f08ts
    procedure PMPI_File_write_at_all_c_f08ts
  end interface

  interface MPI_File_write_at_all_begin
    subroutine MPI_File_write_at_all_begin_f08ts(fh, offset, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_at_all_begin_c_f08ts(fh, offset, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_at_all_begin_f08ts) :: PMPI_File_write_at_all_begin_f08ts
  procedure(MPI_File_write_at_all_begin_c_f08ts) :: PMPI_File_write_at_all_begin_c_f08ts
  interface PMPI_File_write_at_all_begin
    procedure PMPI_File_write_at_all_begin_f08ts
    procedure PMPI_File_write_at_all_begin_c_f08ts
  end interface

  interface MPI_File_write_at_all_end
    subroutine MPI_File_write_at_all_end_f08ts(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_at_all_end_f08ts) :: PMPI_File_write_at_all_end_f08ts
  interface PMPI_File_write_at_all_end
    procedure PMPI_File_write_at_all_end_f08ts
  end interface

  interface MPI_File_write_ordered
    subroutine MPI_File_write_ordered_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_ordered_c_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_ordered_f08ts) :: PMPI_File_write_ordered_f08ts
  procedure(MPI_File_write_ordered_c_f08ts) :: PMPI_File_write_ordered_c_f08ts
  interface PMPI_File_write_ordered
    procedure PMPI_File_write_ordered_f08ts
    procedure PMPI_File_write_ordered_c_f08ts
  end interface

  interface MPI_File_write_ordered_begin
    subroutine MPI_File_write_ordered_begin_f08ts(fh, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_ordered_begin_c_f08ts(fh, buf, count, datatype, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_ordered_begin_f08ts) :: PMPI_File_write_ordered_begin_f08ts
  procedure(MPI_File_write_ordered_begin_c_f08ts) :: PMPI_File_write_ordered_begin_c_f08ts
  interface PMPI_File_write_ordered_begin
    procedure PMPI_File_write_ordered_begin_f08ts
    procedure PMPI_File_write_ordered_begin_c_f08ts
  end interface

  interface MPI_File_write_ordered_end
    subroutine MPI_File_write_ordered_end_f08ts(fh, buf, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in), asynchronous :: buf
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_ordered_end_f08ts) :: PMPI_File_write_ordered_end_f08ts
  interface PMPI_File_write_ordered_end
    procedure PMPI_File_write_ordered_end_f08ts
  end interface

  interface MPI_File_write_shared
    subroutine MPI_File_write_shared_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_shared_c_f08ts(fh, buf, count, datatype, status, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_File_write_shared_f08ts) :: PMPI_File_write_shared_f08ts
  procedure(MPI_File_write_shared_c_f08ts) :: PMPI_File_write_shared_c_f08ts
  interface PMPI_File_write_shared
    procedure PMPI_File_write_shared_f08ts
    procedure PMPI_File_write_shared_c_f08ts
  end interface

  interface MPI_Finalize
    subroutine MPI_Finalize_f08(ierror)
      import
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Finalize_f08) :: PMPI_Finalize_f08
  interface PMPI_Finalize
    procedure PMPI_Finalize_f08
  end interface

  interface MPI_Finalized
    subroutine MPI_Finalized_f08(flag, ierror)
      import
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Finalized_f08) :: PMPI_Finalized_f08
  interface PMPI_Finalized
    procedure PMPI_Finalized_f08
  end interface

  interface MPI_Free_mem
    subroutine MPI_Free_mem_f08ts(base, ierror)
      import
      type(*), dimension(..), asynchronous :: base
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Free_mem_f08ts) :: PMPI_Free_mem_f08ts
  interface PMPI_Free_mem
    procedure PMPI_Free_mem_f08ts
  end interface

  interface MPI_Gather
    subroutine MPI_Gather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Gather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Gather_f08ts) :: PMPI_Gather_f08ts
  procedure(MPI_Gather_c_f08ts) :: PMPI_Gather_c_f08ts
  interface PMPI_Gather
    procedure PMPI_Gather_f08ts
    procedure PMPI_Gather_c_f08ts
  end interface

  interface MPI_Gather_init
    subroutine MPI_Gather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Gather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Gather_init_f08ts) :: PMPI_Gather_init_f08ts
  procedure(MPI_Gather_init_c_f08ts) :: PMPI_Gather_init_c_f08ts
  interface PMPI_Gather_init
    procedure PMPI_Gather_init_f08ts
    procedure PMPI_Gather_init_c_f08ts
  end interface

  interface MPI_Gatherv
    subroutine MPI_Gatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcounts(*), displs(*), root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Gatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcounts(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: displs(*)
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Gatherv_f08ts) :: PMPI_Gatherv_f08ts
  procedure(MPI_Gatherv_c_f08ts) :: PMPI_Gatherv_c_f08ts
  interface PMPI_Gatherv
    procedure PMPI_Gatherv_f08ts
    procedure PMPI_Gatherv_c_f08ts
  end interface

  interface MPI_Gatherv_init
    subroutine MPI_Gatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, root, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in), asynchronous :: recvcounts(*), displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Gatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, root, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: displs(*)
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Gatherv_init_f08ts) :: PMPI_Gatherv_init_f08ts
  procedure(MPI_Gatherv_init_c_f08ts) :: PMPI_Gatherv_init_c_f08ts
  interface PMPI_Gatherv_init
    procedure PMPI_Gatherv_init_f08ts
    procedure PMPI_Gatherv_init_c_f08ts
  end interface

  interface MPI_Get
    subroutine MPI_Get_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
      import
      type(*), dimension(..), asynchronous :: origin_addr
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
      import
      type(*), dimension(..), asynchronous :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_f08ts) :: PMPI_Get_f08ts
  procedure(MPI_Get_c_f08ts) :: PMPI_Get_c_f08ts
  interface PMPI_Get
    procedure PMPI_Get_f08ts
    procedure PMPI_Get_c_f08ts
  end interface

  interface MPI_Get_accumulate
    subroutine MPI_Get_accumulate_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer, intent(in) :: origin_count, result_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
      type(*), dimension(..), asynchronous :: result_addr
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count, result_count, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
      type(*), dimension(..), asynchronous :: result_addr
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_accumulate_f08ts) :: PMPI_Get_accumulate_f08ts
  procedure(MPI_Get_accumulate_c_f08ts) :: PMPI_Get_accumulate_c_f08ts
  interface PMPI_Get_accumulate
    procedure PMPI_Get_accumulate_f08ts
    procedure PMPI_Get_accumulate_c_f08ts
  end interface

  interface MPI_Get_address
    subroutine MPI_Get_address_f08ts(location, address, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: location
      integer(MPI_ADDRESS_KIND), intent(out) :: address
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_address_f08ts) :: PMPI_Get_address_f08ts
  interface PMPI_Get_address
    procedure PMPI_Get_address_f08ts
  end interface

  interface MPI_Get_count
    subroutine MPI_Get_count_f08(status, datatype, count, ierror)
      import
      type(MPI_Status), intent(in) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_count_c_f08(status, datatype, count, ierror)
      import
      type(MPI_Status), intent(in) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_count_f08) :: PMPI_Get_count_f08
  procedure(MPI_Get_count_c_f08) :: PMPI_Get_count_c_f08
  interface PMPI_Get_count
    procedure PMPI_Get_count_f08
    procedure PMPI_Get_count_c_f08
  end interface

  interface MPI_Get_elements
    subroutine MPI_Get_elements_f08(status, datatype, count, ierror)
      import
      type(MPI_Status), intent(in) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_elements_c_f08(status, datatype, count, ierror)
      import
      type(MPI_Status), intent(in) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_elements_f08) :: PMPI_Get_elements_f08
  procedure(MPI_Get_elements_c_f08) :: PMPI_Get_elements_c_f08
  interface PMPI_Get_elements
    procedure PMPI_Get_elements_f08
    procedure PMPI_Get_elements_c_f08
  end interface

  interface MPI_Get_elements_x
    subroutine MPI_Get_elements_x_f08(status, datatype, count, ierror)
      import
      type(MPI_Status), intent(in) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_elements_x_f08) :: PMPI_Get_elements_x_f08
  interface PMPI_Get_elements_x
    procedure PMPI_Get_elements_x_f08
  end interface

  interface MPI_Get_hw_resource_info
    subroutine MPI_Get_hw_resource_info_f08(hw_info, ierror)
      import
      type(MPI_Info), intent(out) :: hw_info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_hw_resource_info_f08) :: PMPI_Get_hw_resource_info_f08
  interface PMPI_Get_hw_resource_info
    procedure PMPI_Get_hw_resource_info_f08
  end interface

  interface MPI_Get_library_version
    subroutine MPI_Get_library_version_f08(version, resultlen, ierror)
      import
      character(len=*), intent(out) :: version
      integer, intent(out) :: resultlen
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_library_version_f08) :: PMPI_Get_library_version_f08
  interface PMPI_Get_library_version
    procedure PMPI_Get_library_version_f08
  end interface

  interface MPI_Get_processor_name
    subroutine MPI_Get_processor_name_f08(name, resultlen, ierror)
      import
      character(len=*), intent(out) :: name
      integer, intent(out) :: resultlen
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_processor_name_f08) :: PMPI_Get_processor_name_f08
  interface PMPI_Get_processor_name
    procedure PMPI_Get_processor_name_f08
  end interface

  interface MPI_Get_version
    subroutine MPI_Get_version_f08(version, subversion, ierror)
      import
      integer, intent(out) :: version, subversion
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Get_version_f08) :: PMPI_Get_version_f08
  interface PMPI_Get_version
    procedure PMPI_Get_version_f08
  end interface

  interface MPI_Graph_create
    subroutine MPI_Graph_create_f08(comm_old, nnodes, index, edges, reorder, comm_graph, &
        ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: nnodes, index(*), edges(*)
      logical, intent(in) :: reorder
      type(MPI_Comm), intent(out) :: comm_graph
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Graph_create_f08) :: PMPI_Graph_create_f08
  interface PMPI_Graph_create
    procedure PMPI_Graph_create_f08
  end interface

  interface MPI_Graph_get
    subroutine MPI_Graph_get_f08(comm, maxindex, maxedges, index, edges, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxindex, maxedges
      integer, intent(out) :: index(*), edges(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Graph_get_f08) :: PMPI_Graph_get_f08
  interface PMPI_Graph_get
    procedure PMPI_Graph_get_f08
  end interface

  interface MPI_Graph_map
    subroutine MPI_Graph_map_f08(comm, nnodes, index, edges, newrank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: nnodes, index(*), edges(*)
      integer, intent(out) :: newrank
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Graph_map_f08) :: PMPI_Graph_map_f08
  interface PMPI_Graph_map
    procedure PMPI_Graph_map_f08
  end interface

  interface MPI_Graph_neighbors
    subroutine MPI_Graph_neighbors_f08(comm, rank, maxneighbors, neighbors, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank, maxneighbors
      integer, intent(out) :: neighbors(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Graph_neighbors_f08) :: PMPI_Graph_neighbors_f08
  interface PMPI_Graph_neighbors
    procedure PMPI_Graph_neighbors_f08
  end interface

  interface MPI_Graph_neighbors_count
    subroutine MPI_Graph_neighbors_count_f08(comm, rank, nneighbors, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(out) :: nneighbors
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Graph_neighbors_count_f08) :: PMPI_Graph_neighbors_count_f08
  interface PMPI_Graph_neighbors_count
    procedure PMPI_Graph_neighbors_count_f08
  end interface

  interface MPI_Graphdims_get
    subroutine MPI_Graphdims_get_f08(comm, nnodes, nedges, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: nnodes, nedges
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Graphdims_get_f08) :: PMPI_Graphdims_get_f08
  interface PMPI_Graphdims_get
    procedure PMPI_Graphdims_get_f08
  end interface

  interface MPI_Grequest_complete
    subroutine MPI_Grequest_complete_f08(request, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Grequest_complete_f08) :: PMPI_Grequest_complete_f08
  interface PMPI_Grequest_complete
    procedure PMPI_Grequest_complete_f08
  end interface

  interface MPI_Grequest_start
    subroutine MPI_Grequest_start_f08(query_fn, free_fn, cancel_fn, extra_state, request, &
        ierror)
      import
      procedure(MPI_Grequest_query_function) :: query_fn
      procedure(MPI_Grequest_free_function) :: free_fn
      procedure(MPI_Grequest_cancel_function) :: cancel_fn
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Grequest_start_f08) :: PMPI_Grequest_start_f08
  interface PMPI_Grequest_start
    procedure PMPI_Grequest_start_f08
  end interface

  interface MPI_Group_compare
    subroutine MPI_Group_compare_f08(group1, group2, result, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      integer, intent(out) :: result
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_compare_f08) :: PMPI_Group_compare_f08
  interface PMPI_Group_compare
    procedure PMPI_Group_compare_f08
  end interface

  interface MPI_Group_difference
    subroutine MPI_Group_difference_f08(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      type(MPI_Group), intent(out) :: newgroup
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_difference_f08) :: PMPI_Group_difference_f08
  interface PMPI_Group_difference
    procedure PMPI_Group_difference_f08
  end interface

  interface MPI_Group_excl
    subroutine MPI_Group_excl_f08(group, n, ranks, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n, ranks(*)
      type(MPI_Group), intent(out) :: newgroup
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_excl_f08) :: PMPI_Group_excl_f08
  interface PMPI_Group_excl
    procedure PMPI_Group_excl_f08
  end interface

  interface MPI_Group_free
    subroutine MPI_Group_free_f08(group, ierror)
      import
      type(MPI_Group), intent(inout) :: group
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_free_f08) :: PMPI_Group_free_f08
  interface PMPI_Group_free
    procedure PMPI_Group_free_f08
  end interface

  interface MPI_Group_from_session_pset
    subroutine MPI_Group_from_session_pset_f08(session, pset_name, newgroup, ierror)
      import
      type(MPI_Session), intent(in) :: session
      character(len=*), intent(in) :: pset_name
      type(MPI_Group), intent(out) :: newgroup
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_from_session_pset_f08) :: PMPI_Group_from_session_pset_f08
  interface PMPI_Group_from_session_pset
    procedure PMPI_Group_from_session_pset_f08
  end interface

  interface MPI_Group_incl
    subroutine MPI_Group_incl_f08(group, n, ranks, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n, ranks(*)
      type(MPI_Group), intent(out) :: newgroup
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_incl_f08) :: PMPI_Group_incl_f08
  interface PMPI_Group_incl
    procedure PMPI_Group_incl_f08
  end interface

  interface MPI_Group_intersection
    subroutine MPI_Group_intersection_f08(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      type(MPI_Group), intent(out) :: newgroup
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_intersection_f08) :: PMPI_Group_intersection_f08
  interface PMPI_Group_intersection
    procedure PMPI_Group_intersection_f08
  end interface

  interface MPI_Group_range_excl
    subroutine MPI_Group_range_excl_f08(group, n, ranges, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n, ranges(3, *)
      type(MPI_Group), intent(out) :: newgroup
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_range_excl_f08) :: PMPI_Group_range_excl_f08
  interface PMPI_Group_range_excl
    procedure PMPI_Group_range_excl_f08
  end interface

  interface MPI_Group_range_incl
    subroutine MPI_Group_range_incl_f08(group, n, ranges, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n, ranges(3, *)
      type(MPI_Group), intent(out) :: newgroup
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_range_incl_f08) :: PMPI_Group_range_incl_f08
  interface PMPI_Group_range_incl
    procedure PMPI_Group_range_incl_f08
  end interface

  interface MPI_Group_rank
    subroutine MPI_Group_rank_f08(group, rank, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(out) :: rank
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_rank_f08) :: PMPI_Group_rank_f08
  interface PMPI_Group_rank
    procedure PMPI_Group_rank_f08
  end interface

  interface MPI_Group_size
    subroutine MPI_Group_size_f08(group, size, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_size_f08) :: PMPI_Group_size_f08
  interface PMPI_Group_size
    procedure PMPI_Group_size_f08
  end interface

  interface MPI_Group_translate_ranks
    subroutine MPI_Group_translate_ranks_f08(group1, n, ranks1, group2, ranks2, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      integer, intent(in) :: n, ranks1(*)
      integer, intent(out) :: ranks2(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_translate_ranks_f08) :: PMPI_Group_translate_ranks_f08
  interface PMPI_Group_translate_ranks
    procedure PMPI_Group_translate_ranks_f08
  end interface

  interface MPI_Group_union
    subroutine MPI_Group_union_f08(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      type(MPI_Group), intent(out) :: newgroup
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Group_union_f08) :: PMPI_Group_union_f08
  interface PMPI_Group_union
    procedure PMPI_Group_union_f08
  end interface

  interface MPI_Iallgather
    subroutine MPI_Iallgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iallgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Iallgather_f08ts) :: PMPI_Iallgather_f08ts
  procedure(MPI_Iallgather_c_f08ts) :: PMPI_Iallgather_c_f08ts
  interface PMPI_Iallgather
    procedure PMPI_Iallgather_f08ts
    procedure PMPI_Iallgather_c_f08ts
  end interface

  interface MPI_Iallgatherv
    subroutine MPI_Iallgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in), asynchronous :: recvcounts(*), displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iallgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Iallgatherv_f08ts) :: PMPI_Iallgatherv_f08ts
  procedure(MPI_Iallgatherv_c_f08ts) :: PMPI_Iallgatherv_c_f08ts
  interface PMPI_Iallgatherv
    procedure PMPI_Iallgatherv_f08ts
    procedure PMPI_Iallgatherv_c_f08ts
  end interface

  interface MPI_Iallreduce
    subroutine MPI_Iallreduce_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iallreduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Iallreduce_f08ts) :: PMPI_Iallreduce_f08ts
  procedure(MPI_Iallreduce_c_f08ts) :: PMPI_Iallreduce_c_f08ts
  interface PMPI_Iallreduce
    procedure PMPI_Iallreduce_f08ts
    procedure PMPI_Iallreduce_c_f08ts
  end interface

  interface MPI_Ialltoall
    subroutine MPI_Ialltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ialltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ialltoall_f08ts) :: PMPI_Ialltoall_f08ts
  procedure(MPI_Ialltoall_c_f08ts) :: PMPI_Ialltoall_c_f08ts
  interface PMPI_Ialltoall
    procedure PMPI_Ialltoall_f08ts
    procedure PMPI_Ialltoall_c_f08ts
  end interface

  interface MPI_Ialltoallv
    subroutine MPI_Ialltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), &
          rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ialltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ialltoallv_f08ts) :: PMPI_Ialltoallv_f08ts
  procedure(MPI_Ialltoallv_c_f08ts) :: PMPI_Ialltoallv_c_f08ts
  interface PMPI_Ialltoallv
    procedure PMPI_Ialltoallv_f08ts
    procedure PMPI_Ialltoallv_c_f08ts
  end interface

  interface MPI_Ialltoallw
    subroutine MPI_Ialltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), &
          rdispls(*)
      type(MPI_Datatype), intent(in), asynchronous :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ialltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in), asynchronous :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ialltoallw_f08ts) :: PMPI_Ialltoallw_f08ts
  procedure(MPI_Ialltoallw_c_f08ts) :: PMPI_Ialltoallw_c_f08ts
  interface PMPI_Ialltoallw
    procedure PMPI_Ialltoallw_f08ts
    procedure PMPI_Ialltoallw_c_f08ts
  end interface

  interface MPI_Ibarrier
    subroutine MPI_Ibarrier_f08(comm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ibarrier_f08) :: PMPI_Ibarrier_f08
  interface PMPI_Ibarrier
    procedure PMPI_Ibarrier_f08
  end interface

  interface MPI_Ibcast
    subroutine MPI_Ibcast_f08ts(buffer, count, datatype, root, comm, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buffer
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ibcast_c_f08ts(buffer, count, datatype, root, comm, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ibcast_f08ts) :: PMPI_Ibcast_f08ts
  procedure(MPI_Ibcast_c_f08ts) :: PMPI_Ibcast_c_f08ts
  interface PMPI_Ibcast
    procedure PMPI_Ibcast_f08ts
    procedure PMPI_Ibcast_c_f08ts
  end interface

  interface MPI_Ibsend
    subroutine MPI_Ibsend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ibsend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ibsend_f08ts) :: PMPI_Ibsend_f08ts
  procedure(MPI_Ibsend_c_f08ts) :: PMPI_Ibsend_c_f08ts
  interface PMPI_Ibsend
    procedure PMPI_Ibsend_f08ts
    procedure PMPI_Ibsend_c_f08ts
  end interface

  interface MPI_Iexscan
    subroutine MPI_Iexscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iexscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Iexscan_f08ts) :: PMPI_Iexscan_f08ts
  procedure(MPI_Iexscan_c_f08ts) :: PMPI_Iexscan_c_f08ts
  interface PMPI_Iexscan
    procedure PMPI_Iexscan_f08ts
    procedure PMPI_Iexscan_c_f08ts
  end interface

  interface MPI_Igather
    subroutine MPI_Igather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Igather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Igather_f08ts) :: PMPI_Igather_f08ts
  procedure(MPI_Igather_c_f08ts) :: PMPI_Igather_c_f08ts
  interface PMPI_Igather
    procedure PMPI_Igather_f08ts
    procedure PMPI_Igather_c_f08ts
  end interface

  interface MPI_Igatherv
    subroutine MPI_Igatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in), asynchronous :: recvcounts(*), displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Igatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: displs(*)
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Igatherv_f08ts) :: PMPI_Igatherv_f08ts
  procedure(MPI_Igatherv_c_f08ts) :: PMPI_Igatherv_c_f08ts
  interface PMPI_Igatherv
    procedure PMPI_Igatherv_f08ts
    procedure PMPI_Igatherv_c_f08ts
  end interface

  interface MPI_Improbe
    subroutine MPI_Improbe_f08(source, tag, comm, flag, message, status, ierror)
      import
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      logical, intent(out) :: flag
      type(MPI_Message), intent(out) :: message
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Improbe_f08) :: PMPI_Improbe_f08
  interface PMPI_Improbe
    procedure PMPI_Improbe_f08
  end interface

  interface MPI_Imrecv
    subroutine MPI_Imrecv_f08ts(buf, count, datatype, message, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Imrecv_c_f08ts(buf, count, datatype, message, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Imrecv_f08ts) :: PMPI_Imrecv_f08ts
  procedure(MPI_Imrecv_c_f08ts) :: PMPI_Imrecv_c_f08ts
  interface PMPI_Imrecv
    procedure PMPI_Imrecv_f08ts
    procedure PMPI_Imrecv_c_f08ts
  end interface

  interface MPI_Ineighbor_allgather
    subroutine MPI_Ineighbor_allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ineighbor_allgather_f08ts) :: PMPI_Ineighbor_allgather_f08ts
  procedure(MPI_Ineighbor_allgather_c_f08ts) :: PMPI_Ineighbor_allgather_c_f08ts
  interface PMPI_Ineighbor_allgather
    procedure PMPI_Ineighbor_allgather_f08ts
    procedure PMPI_Ineighbor_allgather_c_f08ts
  end interface

  interface MPI_Ineighbor_allgatherv
    subroutine MPI_Ineighbor_allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in), asynchronous :: recvcounts(*), displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ineighbor_allgatherv_f08ts) :: PMPI_Ineighbor_allgatherv_f08ts
  procedure(MPI_Ineighbor_allgatherv_c_f08ts) :: PMPI_Ineighbor_allgatherv_c_f08ts
  interface PMPI_Ineighbor_allgatherv
    procedure PMPI_Ineighbor_allgatherv_f08ts
    procedure PMPI_Ineighbor_allgatherv_c_f08ts
  end interface

  interface MPI_Ineighbor_alltoall
    subroutine MPI_Ineighbor_alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ineighbor_alltoall_f08ts) :: PMPI_Ineighbor_alltoall_f08ts
  procedure(MPI_Ineighbor_alltoall_c_f08ts) :: PMPI_Ineighbor_alltoall_c_f08ts
  interface PMPI_Ineighbor_alltoall
    procedure PMPI_Ineighbor_alltoall_f08ts
    procedure PMPI_Ineighbor_alltoall_c_f08ts
  end interface

  interface MPI_Ineighbor_alltoallv
    subroutine MPI_Ineighbor_alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), &
          rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, &
        recvbuf, recvcounts, rdispls, recvtype, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ineighbor_alltoallv_f08ts) :: PMPI_Ineighbor_alltoallv_f08ts
  procedure(MPI_Ineighbor_alltoallv_c_f08ts) :: PMPI_Ineighbor_alltoallv_c_f08ts
  interface PMPI_Ineighbor_alltoallv
    procedure PMPI_Ineighbor_alltoallv_f08ts
    procedure PMPI_Ineighbor_alltoallv_c_f08ts
  end interface

  interface MPI_Ineighbor_alltoallw
    subroutine MPI_Ineighbor_alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in), asynchronous :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in), asynchronous :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ineighbor_alltoallw_f08ts) :: PMPI_Ineighbor_alltoallw_f08ts
  procedure(MPI_Ineighbor_alltoallw_c_f08ts) :: PMPI_Ineighbor_alltoallw_c_f08ts
  interface PMPI_Ineighbor_alltoallw
    procedure PMPI_Ineighbor_alltoallw_f08ts
    procedure PMPI_Ineighbor_alltoallw_c_f08ts
  end interface

  interface MPI_Info_create
    subroutine MPI_Info_create_f08(info, ierror)
      import
      type(MPI_Info), intent(out) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_create_f08) :: PMPI_Info_create_f08
  interface PMPI_Info_create
    procedure PMPI_Info_create_f08
  end interface

  interface MPI_Info_delete
    subroutine MPI_Info_delete_f08(info, key, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_delete_f08) :: PMPI_Info_delete_f08
  interface PMPI_Info_delete
    procedure PMPI_Info_delete_f08
  end interface

  interface MPI_Info_dup
    subroutine MPI_Info_dup_f08(info, newinfo, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Info), intent(out) :: newinfo
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_dup_f08) :: PMPI_Info_dup_f08
  interface PMPI_Info_dup
    procedure PMPI_Info_dup_f08
  end interface

  interface MPI_Info_free
    subroutine MPI_Info_free_f08(info, ierror)
      import
      type(MPI_Info), intent(inout) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_free_f08) :: PMPI_Info_free_f08
  interface PMPI_Info_free
    procedure PMPI_Info_free_f08
  end interface

  interface MPI_Info_get
    subroutine MPI_Info_get_f08(info, key, valuelen, value, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(in) :: valuelen
      character(len=*), intent(out) :: value
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_get_f08) :: PMPI_Info_get_f08
  interface PMPI_Info_get
    procedure PMPI_Info_get_f08
  end interface

  interface MPI_Info_get_nkeys
    subroutine MPI_Info_get_nkeys_f08(info, nkeys, ierror)
      import
      type(MPI_Info), intent(in) :: info
      integer, intent(out) :: nkeys
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_get_nkeys_f08) :: PMPI_Info_get_nkeys_f08
  interface PMPI_Info_get_nkeys
    procedure PMPI_Info_get_nkeys_f08
  end interface

  interface MPI_Info_get_nthkey
    subroutine MPI_Info_get_nthkey_f08(info, n, key, ierror)
      import
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: n
      character(len=*), intent(out) :: key
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_get_nthkey_f08) :: PMPI_Info_get_nthkey_f08
  interface PMPI_Info_get_nthkey
    procedure PMPI_Info_get_nthkey_f08
  end interface

  interface MPI_Info_get_string
    subroutine MPI_Info_get_string_f08(info, key, buflen, value, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(inout) :: buflen
      character(len=*), intent(out) :: value
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_get_string_f08) :: PMPI_Info_get_string_f08
  interface PMPI_Info_get_string
    procedure PMPI_Info_get_string_f08
  end interface

  interface MPI_Info_get_valuelen
    subroutine MPI_Info_get_valuelen_f08(info, key, valuelen, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(out) :: valuelen
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_get_valuelen_f08) :: PMPI_Info_get_valuelen_f08
  interface PMPI_Info_get_valuelen
    procedure PMPI_Info_get_valuelen_f08
  end interface

  interface MPI_Info_set
    subroutine MPI_Info_set_f08(info, key, value, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(in) :: key, value
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Info_set_f08) :: PMPI_Info_set_f08
  interface PMPI_Info_set
    procedure PMPI_Info_set_f08
  end interface

  interface MPI_Initialized
    subroutine MPI_Initialized_f08(flag, ierror)
      import
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Initialized_f08) :: PMPI_Initialized_f08
  interface PMPI_Initialized
    procedure PMPI_Initialized_f08
  end interface

  interface MPI_Intercomm_create
    subroutine MPI_Intercomm_create_f08(local_comm, local_leader, peer_comm, remote_leader, &
        tag, newintercomm, ierror)
      import
      type(MPI_Comm), intent(in) :: local_comm, peer_comm
      integer, intent(in) :: local_leader, remote_leader, tag
      type(MPI_Comm), intent(out) :: newintercomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Intercomm_create_f08) :: PMPI_Intercomm_create_f08
  interface PMPI_Intercomm_create
    procedure PMPI_Intercomm_create_f08
  end interface

  interface MPI_Intercomm_create_from_groups
    subroutine MPI_Intercomm_create_from_groups_f08(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      import
      type(MPI_Group), intent(in) :: local_group, remote_group
      integer, intent(in) :: local_leader, remote_leader
      character(len=*), intent(in) :: stringtag
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Comm), intent(out) :: newintercomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Intercomm_create_from_groups_f08) :: PMPI_Intercomm_create_from_groups_f08
  interface PMPI_Intercomm_create_from_groups
    procedure PMPI_Intercomm_create_from_groups_f08
  end interface

  interface MPI_Intercomm_merge
    subroutine MPI_Intercomm_merge_f08(intercomm, high, newintracomm, ierror)
      import
      type(MPI_Comm), intent(in) :: intercomm
      logical, intent(in) :: high
      type(MPI_Comm), intent(out) :: newintracomm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Intercomm_merge_f08) :: PMPI_Intercomm_merge_f08
  interface PMPI_Intercomm_merge
    procedure PMPI_Intercomm_merge_f08
  end interface

  interface MPI_Iprobe
    subroutine MPI_Iprobe_f08(source, tag, comm, flag, status, ierror)
      import
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Iprobe_f08) :: PMPI_Iprobe_f08
  interface PMPI_Iprobe
    procedure PMPI_Iprobe_f08
  end interface

  interface MPI_Irecv
    subroutine MPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Irecv_c_f08ts(buf, count, datatype, source, tag, comm, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Irecv_f08ts) :: PMPI_Irecv_f08ts
  procedure(MPI_Irecv_c_f08ts) :: PMPI_Irecv_c_f08ts
  interface PMPI_Irecv
    procedure PMPI_Irecv_f08ts
    procedure PMPI_Irecv_c_f08ts
  end interface

  interface MPI_Ireduce
    subroutine MPI_Ireduce_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ireduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ireduce_f08ts) :: PMPI_Ireduce_f08ts
  procedure(MPI_Ireduce_c_f08ts) :: PMPI_Ireduce_c_f08ts
  interface PMPI_Ireduce
    procedure PMPI_Ireduce_f08ts
    procedure PMPI_Ireduce_c_f08ts
  end interface

  interface MPI_Ireduce_scatter
    subroutine MPI_Ireduce_scatter_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in), asynchronous :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ireduce_scatter_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ireduce_scatter_f08ts) :: PMPI_Ireduce_scatter_f08ts
  procedure(MPI_Ireduce_scatter_c_f08ts) :: PMPI_Ireduce_scatter_c_f08ts
  interface PMPI_Ireduce_scatter
    procedure PMPI_Ireduce_scatter_f08ts
    procedure PMPI_Ireduce_scatter_c_f08ts
  end interface

  interface MPI_Ireduce_scatter_block
    subroutine MPI_Ireduce_scatter_block_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ireduce_scatter_block_c_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ireduce_scatter_block_f08ts) :: PMPI_Ireduce_scatter_block_f08ts
  procedure(MPI_Ireduce_scatter_block_c_f08ts) :: PMPI_Ireduce_scatter_block_c_f08ts
  interface PMPI_Ireduce_scatter_block
    procedure PMPI_Ireduce_scatter_block_f08ts
    procedure PMPI_Ireduce_scatter_block_c_f08ts
  end interface

  interface MPI_Irsend
    subroutine MPI_Irsend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Irsend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Irsend_f08ts) :: PMPI_Irsend_f08ts
  procedure(MPI_Irsend_c_f08ts) :: PMPI_Irsend_c_f08ts
  interface PMPI_Irsend
    procedure PMPI_Irsend_f08ts
    procedure PMPI_Irsend_c_f08ts
  end interface

  interface MPI_Is_thread_main
    subroutine MPI_Is_thread_main_f08(flag, ierror)
      import
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Is_thread_main_f08) :: PMPI_Is_thread_main_f08
  interface PMPI_Is_thread_main
    procedure PMPI_Is_thread_main_f08
  end interface

  interface MPI_Iscan
    subroutine MPI_Iscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Iscan_f08ts) :: PMPI_Iscan_f08ts
  procedure(MPI_Iscan_c_f08ts) :: PMPI_Iscan_c_f08ts
  interface PMPI_Iscan
    procedure PMPI_Iscan_f08ts
    procedure PMPI_Iscan_c_f08ts
  end interface

  interface MPI_Iscatter
    subroutine MPI_Iscatter_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iscatter_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Iscatter_f08ts) :: PMPI_Iscatter_f08ts
  procedure(MPI_Iscatter_c_f08ts) :: PMPI_Iscatter_c_f08ts
  interface PMPI_Iscatter
    procedure PMPI_Iscatter_f08ts
    procedure PMPI_Iscatter_c_f08ts
  end interface

  interface MPI_Iscatterv
    subroutine MPI_Iscatterv_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: recvcount, root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iscatterv_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, &
        recvcount, recvtype, root, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Iscatterv_f08ts) :: PMPI_Iscatterv_f08ts
  procedure(MPI_Iscatterv_c_f08ts) :: PMPI_Iscatterv_c_f08ts
  interface PMPI_Iscatterv
    procedure PMPI_Iscatterv_f08ts
    procedure PMPI_Iscatterv_c_f08ts
  end interface

  interface MPI_Isend
    subroutine MPI_Isend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Isend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Isend_f08ts) :: PMPI_Isend_f08ts
  procedure(MPI_Isend_c_f08ts) :: PMPI_Isend_c_f08ts
  interface PMPI_Isend
    procedure PMPI_Isend_f08ts
    procedure PMPI_Isend_c_f08ts
  end interface

  interface MPI_Isendrecv
    subroutine MPI_Isendrecv_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, dest, sendtag, recvcount, source, recvtag
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Isendrecv_c_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      integer, intent(in) :: dest, sendtag, source, recvtag
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Isendrecv_f08ts) :: PMPI_Isendrecv_f08ts
  procedure(MPI_Isendrecv_c_f08ts) :: PMPI_Isendrecv_c_f08ts
  interface PMPI_Isendrecv
    procedure PMPI_Isendrecv_f08ts
    procedure PMPI_Isendrecv_c_f08ts
  end interface

  interface MPI_Isendrecv_replace
    subroutine MPI_Isendrecv_replace_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count, dest, sendtag, source, recvtag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Isendrecv_replace_c_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, sendtag, source, recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Isendrecv_replace_f08ts) :: PMPI_Isendrecv_replace_f08ts
  procedure(MPI_Isendrecv_replace_c_f08ts) :: PMPI_Isendrecv_replace_c_f08ts
  interface PMPI_Isendrecv_replace
    procedure PMPI_Isendrecv_replace_f08ts
    procedure PMPI_Isendrecv_replace_c_f08ts
  end interface

  interface MPI_Issend
    subroutine MPI_Issend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Issend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Issend_f08ts) :: PMPI_Issend_f08ts
  procedure(MPI_Issend_c_f08ts) :: PMPI_Issend_c_f08ts
  interface PMPI_Issend
    procedure PMPI_Issend_f08ts
    procedure PMPI_Issend_c_f08ts
  end interface

  interface MPI_Lookup_name
    subroutine MPI_Lookup_name_f08(service_name, info, port_name, ierror)
      import
      character(len=*), intent(in) :: service_name
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(out) :: port_name
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Lookup_name_f08) :: PMPI_Lookup_name_f08
  interface PMPI_Lookup_name
    procedure PMPI_Lookup_name_f08
  end interface

  interface MPI_Mprobe
    subroutine MPI_Mprobe_f08(source, tag, comm, message, status, ierror)
      import
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Message), intent(out) :: message
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Mprobe_f08) :: PMPI_Mprobe_f08
  interface PMPI_Mprobe
    procedure PMPI_Mprobe_f08
  end interface

  interface MPI_Mrecv
    subroutine MPI_Mrecv_f08ts(buf, count, datatype, message, status, ierror)
      import
      type(*), dimension(..) :: buf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Mrecv_c_f08ts(buf, count, datatype, message, status, ierror)
      import
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Mrecv_f08ts) :: PMPI_Mrecv_f08ts
  procedure(MPI_Mrecv_c_f08ts) :: PMPI_Mrecv_c_f08ts
  interface PMPI_Mrecv
    procedure PMPI_Mrecv_f08ts
    procedure PMPI_Mrecv_c_f08ts
  end interface

  interface MPI_Neighbor_allgather
    subroutine MPI_Neighbor_allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_allgather_f08ts) :: PMPI_Neighbor_allgather_f08ts
  procedure(MPI_Neighbor_allgather_c_f08ts) :: PMPI_Neighbor_allgather_c_f08ts
  interface PMPI_Neighbor_allgather
    procedure PMPI_Neighbor_allgather_f08ts
    procedure PMPI_Neighbor_allgather_c_f08ts
  end interface

  interface MPI_Neighbor_allgather_init
    subroutine MPI_Neighbor_allgather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_allgather_init_f08ts) :: PMPI_Neighbor_allgather_init_f08ts
  procedure(MPI_Neighbor_allgather_init_c_f08ts) :: PMPI_Neighbor_allgather_init_c_f08ts
  interface PMPI_Neighbor_allgather_init
    procedure PMPI_Neighbor_allgather_init_f08ts
    procedure PMPI_Neighbor_allgather_init_c_f08ts
  end interface

  interface MPI_Neighbor_allgatherv
    subroutine MPI_Neighbor_allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcounts(*), displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcounts(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: displs(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_allgatherv_f08ts) :: PMPI_Neighbor_allgatherv_f08ts
  procedure(MPI_Neighbor_allgatherv_c_f08ts) :: PMPI_Neighbor_allgatherv_c_f08ts
  interface PMPI_Neighbor_allgatherv
    procedure PMPI_Neighbor_allgatherv_f08ts
    procedure PMPI_Neighbor_allgatherv_c_f08ts
  end interface

  interface MPI_Neighbor_allgatherv_init
    subroutine MPI_Neighbor_allgatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in), asynchronous :: recvcounts(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: displs(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_allgatherv_init_f08ts) :: PMPI_Neighbor_allgatherv_init_f08ts
  procedure(MPI_Neighbor_allgatherv_init_c_f08ts) :: PMPI_Neighbor_allgatherv_init_c_f08ts
  interface PMPI_Neighbor_allgatherv_init
    procedure PMPI_Neighbor_allgatherv_init_f08ts
    procedure PMPI_Neighbor_allgatherv_init_c_f08ts
  end interface

  interface MPI_Neighbor_alltoall
    subroutine MPI_Neighbor_alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_alltoall_f08ts) :: PMPI_Neighbor_alltoall_f08ts
  procedure(MPI_Neighbor_alltoall_c_f08ts) :: PMPI_Neighbor_alltoall_c_f08ts
  interface PMPI_Neighbor_alltoall
    procedure PMPI_Neighbor_alltoall_f08ts
    procedure PMPI_Neighbor_alltoall_c_f08ts
  end interface

  interface MPI_Neighbor_alltoall_init
    subroutine MPI_Neighbor_alltoall_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoall_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_alltoall_init_f08ts) :: PMPI_Neighbor_alltoall_init_f08ts
  procedure(MPI_Neighbor_alltoall_init_c_f08ts) :: PMPI_Neighbor_alltoall_init_c_f08ts
  interface PMPI_Neighbor_alltoall_init
    procedure PMPI_Neighbor_alltoall_init_f08ts
    procedure PMPI_Neighbor_alltoall_init_c_f08ts
  end interface

  interface MPI_Neighbor_alltoallv
    subroutine MPI_Neighbor_alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_alltoallv_f08ts) :: PMPI_Neighbor_alltoallv_f08ts
  procedure(MPI_Neighbor_alltoallv_c_f08ts) :: PMPI_Neighbor_alltoallv_c_f08ts
  interface PMPI_Neighbor_alltoallv
    procedure PMPI_Neighbor_alltoallv_f08ts
    procedure PMPI_Neighbor_alltoallv_c_f08ts
  end interface

  interface MPI_Neighbor_alltoallv_init
    subroutine MPI_Neighbor_alltoallv_init_f08ts(sendbuf, sendcounts, sdispls, sendtype, &
        recvbuf, recvcounts, rdispls, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), &
          rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallv_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, &
        recvbuf, recvcounts, rdispls, recvtype, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_alltoallv_init_f08ts) :: PMPI_Neighbor_alltoallv_init_f08ts
  procedure(MPI_Neighbor_alltoallv_init_c_f08ts) :: PMPI_Neighbor_alltoallv_init_c_f08ts
  interface PMPI_Neighbor_alltoallv_init
    procedure PMPI_Neighbor_alltoallv_init_f08ts
    procedure PMPI_Neighbor_alltoallv_init_c_f08ts
  end interface

  interface MPI_Neighbor_alltoallw
    subroutine MPI_Neighbor_alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_alltoallw_f08ts) :: PMPI_Neighbor_alltoallw_f08ts
  procedure(MPI_Neighbor_alltoallw_c_f08ts) :: PMPI_Neighbor_alltoallw_c_f08ts
  interface PMPI_Neighbor_alltoallw
    procedure PMPI_Neighbor_alltoallw_f08ts
    procedure PMPI_Neighbor_alltoallw_c_f08ts
  end interface

  interface MPI_Neighbor_alltoallw_init
    subroutine MPI_Neighbor_alltoallw_init_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in), asynchronous :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallw_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in), asynchronous :: sendtypes(*), recvtypes(*)
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Neighbor_alltoallw_init_f08ts) :: PMPI_Neighbor_alltoallw_init_f08ts
  procedure(MPI_Neighbor_alltoallw_init_c_f08ts) :: PMPI_Neighbor_alltoallw_init_c_f08ts
  interface PMPI_Neighbor_alltoallw_init
    procedure PMPI_Neighbor_alltoallw_init_f08ts
    procedure PMPI_Neighbor_alltoallw_init_c_f08ts
  end interface

  interface MPI_Op_commutative
    subroutine MPI_Op_commutative_f08(op, commute, ierror)
      import
      type(MPI_Op), intent(in) :: op
      logical, intent(out) :: commute
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Op_commutative_f08) :: PMPI_Op_commutative_f08
  interface PMPI_Op_commutative
    procedure PMPI_Op_commutative_f08
  end interface

  interface MPI_Op_create
    subroutine MPI_Op_create_f08(user_fn, commute, op, ierror)
      import
      procedure(MPI_User_function) :: user_fn
      logical, intent(in) :: commute
      type(MPI_Op), intent(out) :: op
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Op_create_f08) :: PMPI_Op_create_f08
  interface PMPI_Op_create
    procedure PMPI_Op_create_f08
  end interface

  interface MPI_Op_create_c
    subroutine MPI_Op_create_c_f08(user_fn, commute, op, ierror)
      import
      procedure(MPI_User_function_c) :: user_fn
      logical, intent(in) :: commute
      type(MPI_Op), intent(out) :: op
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Op_create_c_f08) :: PMPI_Op_create_c_f08
  interface PMPI_Op_create_c
    procedure PMPI_Op_create_c_f08
  end interface

  interface MPI_Op_free
    subroutine MPI_Op_free_f08(op, ierror)
      import
      type(MPI_Op), intent(inout) :: op
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Op_free_f08) :: PMPI_Op_free_f08
  interface PMPI_Op_free
    procedure PMPI_Op_free_f08
  end interface

  interface MPI_Open_port
    subroutine MPI_Open_port_f08(info, port_name, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(len=*), intent(out) :: port_name
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Open_port_f08) :: PMPI_Open_port_f08
  interface PMPI_Open_port
    procedure PMPI_Open_port_f08
  end interface

  interface MPI_Pack
    subroutine MPI_Pack_f08ts(inbuf, incount, datatype, outbuf, outsize, position, comm, &
        ierror)
      import
      type(*), dimension(..), intent(in) :: inbuf
      integer, intent(in) :: incount, outsize
      type(MPI_Datatype), intent(in) :: datatype
      type(*), dimension(..) :: outbuf
      integer, intent(inout) :: position
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pack_c_f08ts(inbuf, incount, datatype, outbuf, outsize, position, comm, &
        ierror)
      import
      type(*), dimension(..), intent(in) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: incount, outsize
      type(MPI_Datatype), intent(in) :: datatype
      type(*), dimension(..) :: outbuf
      integer(MPI_COUNT_KIND), intent(inout) :: position
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Pack_f08ts) :: PMPI_Pack_f08ts
  procedure(MPI_Pack_c_f08ts) :: PMPI_Pack_c_f08ts
  interface PMPI_Pack
    procedure PMPI_Pack_f08ts
    procedure PMPI_Pack_c_f08ts
  end interface

  interface MPI_Pack_external
    subroutine MPI_Pack_external_f08ts(datarep, inbuf, incount, datatype, outbuf, outsize, &
        position, ierror)
      import
      character(len=*), intent(in) :: datarep
      type(*), dimension(..), intent(in) :: inbuf
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      type(*), dimension(..) :: outbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: outsize
      integer(MPI_ADDRESS_KIND), intent(inout) :: position
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pack_external_c_f08ts(datarep, inbuf, incount, datatype, outbuf, outsize, &
        position, ierror)
      import
      character(len=*), intent(in) :: datarep
      type(*), dimension(..), intent(in) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: incount, outsize
      type(MPI_Datatype), intent(in) :: datatype
      type(*), dimension(..) :: outbuf
      integer(MPI_COUNT_KIND), intent(inout) :: position
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Pack_external_f08ts) :: PMPI_Pack_external_f08ts
  procedure(MPI_Pack_external_c_f08ts) :: PMPI_Pack_external_c_f08ts
  interface PMPI_Pack_external
    procedure PMPI_Pack_external_f08ts
    procedure PMPI_Pack_external_c_f08ts
  end interface

  interface MPI_Pack_external_size
    subroutine MPI_Pack_external_size_f08(datarep, incount, datatype, size, ierror)
      import
      character(len=*), intent(in) :: datarep
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pack_external_size_c_f08(datarep, incount, datatype, size, ierror)
      import
      character(len=*), intent(in) :: datarep
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Pack_external_size_f08) :: PMPI_Pack_external_size_f08
  procedure(MPI_Pack_external_size_c_f08) :: PMPI_Pack_external_size_c_f08
  interface PMPI_Pack_external_size
    procedure PMPI_Pack_external_size_f08
    procedure PMPI_Pack_external_size_c_f08
  end interface

  interface MPI_Pack_size
    subroutine MPI_Pack_size_f08(incount, datatype, comm, size, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pack_size_c_f08(incount, datatype, comm, size, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(MPI_COUNT_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Pack_size_f08) :: PMPI_Pack_size_f08
  procedure(MPI_Pack_size_c_f08) :: PMPI_Pack_size_c_f08
  interface PMPI_Pack_size
    procedure PMPI_Pack_size_f08
    procedure PMPI_Pack_size_c_f08
  end interface

  interface MPI_Parrived
    subroutine MPI_Parrived_f08(request, partition, flag, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, intent(in) :: partition
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Parrived_f08) :: PMPI_Parrived_f08
  interface PMPI_Parrived
    procedure PMPI_Parrived_f08
  end interface

  interface MPI_Pready
    subroutine MPI_Pready_f08(partition, request, ierror)
      import
      integer, intent(in) :: partition
      type(MPI_Request), intent(in) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Pready_f08) :: PMPI_Pready_f08
  interface PMPI_Pready
    procedure PMPI_Pready_f08
  end interface

  interface MPI_Pready_list
    subroutine MPI_Pready_list_f08(length, array_of_partitions, request, ierror)
      import
      integer, intent(in) :: length, array_of_partitions(*)
      type(MPI_Request), intent(in) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Pready_list_f08) :: PMPI_Pready_list_f08
  interface PMPI_Pready_list
    procedure PMPI_Pready_list_f08
  end interface

  interface MPI_Pready_range
    subroutine MPI_Pready_range_f08(partition_low, partition_high, request, ierror)
      import
      integer, intent(in) :: partition_low, partition_high
      type(MPI_Request), intent(in) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Pready_range_f08) :: PMPI_Pready_range_f08
  interface PMPI_Pready_range
    procedure PMPI_Pready_range_f08
  end interface

  interface MPI_Precv_init
    subroutine MPI_Precv_init_f08ts(buf, partitions, count, datatype, dest, tag, comm, info, &
        request, ierror)
      import
      type(*), dimension(..) :: buf
      integer, intent(in) :: partitions, dest, tag
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Precv_init_f08ts) :: PMPI_Precv_init_f08ts
  interface PMPI_Precv_init
    procedure PMPI_Precv_init_f08ts
  end interface

  interface MPI_Probe
    subroutine MPI_Probe_f08(source, tag, comm, status, ierror)
      import
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Probe_f08) :: PMPI_Probe_f08
  interface PMPI_Probe
    procedure PMPI_Probe_f08
  end interface

  interface MPI_Psend_init
    subroutine MPI_Psend_init_f08ts(buf, partitions, count, datatype, dest, tag, comm, info, &
        request, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: partitions, dest, tag
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Psend_init_f08ts) :: PMPI_Psend_init_f08ts
  interface PMPI_Psend_init
    procedure PMPI_Psend_init_f08ts
  end interface

  interface MPI_Publish_name
    subroutine MPI_Publish_name_f08(service_name, info, port_name, ierror)
      import
      character(len=*), intent(in) :: service_name, port_name
      type(MPI_Info), intent(in) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Publish_name_f08) :: PMPI_Publish_name_f08
  interface PMPI_Publish_name
    procedure PMPI_Publish_name_f08
  end interface

  interface MPI_Put
    subroutine MPI_Put_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Put_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Put_f08ts) :: PMPI_Put_f08ts
  procedure(MPI_Put_c_f08ts) :: PMPI_Put_c_f08ts
  interface PMPI_Put
    procedure PMPI_Put_f08ts
    procedure PMPI_Put_c_f08ts
  end interface

  interface MPI_Query_thread
    subroutine MPI_Query_thread_f08(provided, ierror)
      import
      integer, intent(out) :: provided
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Query_thread_f08) :: PMPI_Query_thread_f08
  interface PMPI_Query_thread
    procedure PMPI_Query_thread_f08
  end interface

  interface MPI_Raccumulate
    subroutine MPI_Raccumulate_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Raccumulate_c_f08ts(origin_addr, origin_count, origin_datatype, &
        target_rank, target_disp, target_count, target_datatype, op, win, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Raccumulate_f08ts) :: PMPI_Raccumulate_f08ts
  procedure(MPI_Raccumulate_c_f08ts) :: PMPI_Raccumulate_c_f08ts
  interface PMPI_Raccumulate
    procedure PMPI_Raccumulate_f08ts
    procedure PMPI_Raccumulate_c_f08ts
  end interface

  interface MPI_Recv
    subroutine MPI_Recv_f08ts(buf, count, datatype, source, tag, comm, status, ierror)
      import
      type(*), dimension(..) :: buf
      integer, intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Recv_c_f08ts(buf, count, datatype, source, tag, comm, status, ierror)
      import
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Recv_f08ts) :: PMPI_Recv_f08ts
  procedure(MPI_Recv_c_f08ts) :: PMPI_Recv_c_f08ts
  interface PMPI_Recv
    procedure PMPI_Recv_f08ts
    procedure PMPI_Recv_c_f08ts
  end interface

  interface MPI_Recv_init
    subroutine MPI_Recv_init_f08ts(buf, count, datatype, source, tag, comm, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buf
      integer, intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Recv_init_c_f08ts(buf, count, datatype, source, tag, comm, request, ierror)
      import
      type(*), dimension(..), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Recv_init_f08ts) :: PMPI_Recv_init_f08ts
  procedure(MPI_Recv_init_c_f08ts) :: PMPI_Recv_init_c_f08ts
  interface PMPI_Recv_init
    procedure PMPI_Recv_init_f08ts
    procedure PMPI_Recv_init_c_f08ts
  end interface

  interface MPI_Reduce
    subroutine MPI_Reduce_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Reduce_f08ts) :: PMPI_Reduce_f08ts
  procedure(MPI_Reduce_c_f08ts) :: PMPI_Reduce_c_f08ts
  interface PMPI_Reduce
    procedure PMPI_Reduce_f08ts
    procedure PMPI_Reduce_c_f08ts
  end interface

  interface MPI_Reduce_init
    subroutine MPI_Reduce_init_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, &
        info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Reduce_init_f08ts) :: PMPI_Reduce_init_f08ts
  procedure(MPI_Reduce_init_c_f08ts) :: PMPI_Reduce_init_c_f08ts
  interface PMPI_Reduce_init
    procedure PMPI_Reduce_init_f08ts
    procedure PMPI_Reduce_init_c_f08ts
  end interface

  interface MPI_Reduce_local
    subroutine MPI_Reduce_local_f08ts(inbuf, inoutbuf, count, datatype, op, ierror)
      import
      type(*), dimension(..), intent(in) :: inbuf
      type(*), dimension(..) :: inoutbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_local_c_f08ts(inbuf, inoutbuf, count, datatype, op, ierror)
      import
      type(*), dimension(..), intent(in) :: inbuf
      type(*), dimension(..) :: inoutbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Reduce_local_f08ts) :: PMPI_Reduce_local_f08ts
  procedure(MPI_Reduce_local_c_f08ts) :: PMPI_Reduce_local_c_f08ts
  interface PMPI_Reduce_local
    procedure PMPI_Reduce_local_f08ts
    procedure PMPI_Reduce_local_c_f08ts
  end interface

  interface MPI_Reduce_scatter
    subroutine MPI_Reduce_scatter_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Reduce_scatter_f08ts) :: PMPI_Reduce_scatter_f08ts
  procedure(MPI_Reduce_scatter_c_f08ts) :: PMPI_Reduce_scatter_c_f08ts
  interface PMPI_Reduce_scatter
    procedure PMPI_Reduce_scatter_f08ts
    procedure PMPI_Reduce_scatter_c_f08ts
  end interface

  interface MPI_Reduce_scatter_block
    subroutine MPI_Reduce_scatter_block_f08ts(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_block_c_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Reduce_scatter_block_f08ts) :: PMPI_Reduce_scatter_block_f08ts
  procedure(MPI_Reduce_scatter_block_c_f08ts) :: PMPI_Reduce_scatter_block_c_f08ts
  interface PMPI_Reduce_scatter_block
    procedure PMPI_Reduce_scatter_block_f08ts
    procedure PMPI_Reduce_scatter_block_c_f08ts
  end interface

  interface MPI_Reduce_scatter_block_init
    subroutine MPI_Reduce_scatter_block_init_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_block_init_c_f08ts(sendbuf, recvbuf, recvcount, datatype, &
        op, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Reduce_scatter_block_init_f08ts) :: PMPI_Reduce_scatter_block_init_f08ts
  procedure(MPI_Reduce_scatter_block_init_c_f08ts) :: PMPI_Reduce_scatter_block_init_c_f08ts
  interface PMPI_Reduce_scatter_block_init
    procedure PMPI_Reduce_scatter_block_init_f08ts
    procedure PMPI_Reduce_scatter_block_init_c_f08ts
  end interface

  interface MPI_Reduce_scatter_init
    subroutine MPI_Reduce_scatter_init_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in), asynchronous :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_init_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, &
        comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Reduce_scatter_init_f08ts) :: PMPI_Reduce_scatter_init_f08ts
  procedure(MPI_Reduce_scatter_init_c_f08ts) :: PMPI_Reduce_scatter_init_c_f08ts
  interface PMPI_Reduce_scatter_init
    procedure PMPI_Reduce_scatter_init_f08ts
    procedure PMPI_Reduce_scatter_init_c_f08ts
  end interface

  interface MPI_Register_datarep
    subroutine MPI_Register_datarep_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      character(len=*), intent(in) :: datarep
      procedure(MPI_Datarep_conversion_function) :: read_conversion_fn, write_conversion_fn
      procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Register_datarep_f08) :: PMPI_Register_datarep_f08
  interface PMPI_Register_datarep
    procedure PMPI_Register_datarep_f08
  end interface

  interface MPI_Register_datarep_c
    subroutine MPI_Register_datarep_c_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      character(len=*), intent(in) :: datarep
      procedure(MPI_Datarep_conversion_function_c) :: read_conversion_fn, write_conversion_fn
      procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Register_datarep_c_f08) :: PMPI_Register_datarep_c_f08
  interface PMPI_Register_datarep_c
    procedure PMPI_Register_datarep_c_f08
  end interface

  interface MPI_Remove_error_class
    subroutine MPI_Remove_error_class_f08(errorclass, ierror)
      import
      integer, intent(in) :: errorclass
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Remove_error_class_f08) :: PMPI_Remove_error_class_f08
  interface PMPI_Remove_error_class
    procedure PMPI_Remove_error_class_f08
  end interface

  interface MPI_Remove_error_code
    subroutine MPI_Remove_error_code_f08(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Remove_error_code_f08) :: PMPI_Remove_error_code_f08
  interface PMPI_Remove_error_code
    procedure PMPI_Remove_error_code_f08
  end interface

  interface MPI_Remove_error_string
    subroutine MPI_Remove_error_string_f08(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Remove_error_string_f08) :: PMPI_Remove_error_string_f08
  interface PMPI_Remove_error_string
    procedure PMPI_Remove_error_string_f08
  end interface

  interface MPI_Request_free
    subroutine MPI_Request_free_f08(request, ierror)
      import
      type(MPI_Request), intent(inout) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Request_free_f08) :: PMPI_Request_free_f08
  interface PMPI_Request_free
    procedure PMPI_Request_free_f08
  end interface

  interface MPI_Request_get_status
    subroutine MPI_Request_get_status_f08(request, flag, status, ierror)
      import
      type(MPI_Request), intent(in) :: request
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Request_get_status_f08) :: PMPI_Request_get_status_f08
  interface PMPI_Request_get_status
    procedure PMPI_Request_get_status_f08
  end interface

  interface MPI_Request_get_status_all
    subroutine MPI_Request_get_status_all_f08(count, array_of_requests, flag, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(in) :: array_of_requests(*)
      logical, intent(out) :: flag
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Request_get_status_all_f08) :: PMPI_Request_get_status_all_f08
  interface PMPI_Request_get_status_all
    procedure PMPI_Request_get_status_all_f08
  end interface

  interface MPI_Request_get_status_any
    subroutine MPI_Request_get_status_any_f08(count, array_of_requests, index, flag, status, &
        ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(in) :: array_of_requests(*)
      integer, intent(out) :: index
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Request_get_status_any_f08) :: PMPI_Request_get_status_any_f08
  interface PMPI_Request_get_status_any
    procedure PMPI_Request_get_status_any_f08
  end interface

  interface MPI_Request_get_status_some
    subroutine MPI_Request_get_status_some_f08(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request), intent(in) :: array_of_requests(*)
      integer, intent(out) :: outcount, array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Request_get_status_some_f08) :: PMPI_Request_get_status_some_f08
  interface PMPI_Request_get_status_some
    procedure PMPI_Request_get_status_some_f08
  end interface

  interface MPI_Rget
    subroutine MPI_Rget_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
      import
      type(*), dimension(..), asynchronous :: origin_addr
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rget_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
      import
      type(*), dimension(..), asynchronous :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Rget_f08ts) :: PMPI_Rget_f08ts
  procedure(MPI_Rget_c_f08ts) :: PMPI_Rget_c_f08ts
  interface PMPI_Rget
    procedure PMPI_Rget_f08ts
    procedure PMPI_Rget_c_f08ts
  end interface

  interface MPI_Rget_accumulate
    subroutine MPI_Rget_accumulate_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer, intent(in) :: origin_count, result_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
      type(*), dimension(..), asynchronous :: result_addr
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rget_accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count, result_count, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
      type(*), dimension(..), asynchronous :: result_addr
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Rget_accumulate_f08ts) :: PMPI_Rget_accumulate_f08ts
  procedure(MPI_Rget_accumulate_c_f08ts) :: PMPI_Rget_accumulate_c_f08ts
  interface PMPI_Rget_accumulate
    procedure PMPI_Rget_accumulate_f08ts
    procedure PMPI_Rget_accumulate_c_f08ts
  end interface

  interface MPI_Rput
    subroutine MPI_Rput_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rput_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: origin_addr
      integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Rput_f08ts) :: PMPI_Rput_f08ts
  procedure(MPI_Rput_c_f08ts) :: PMPI_Rput_c_f08ts
  interface PMPI_Rput
    procedure PMPI_Rput_f08ts
    procedure PMPI_Rput_c_f08ts
  end interface

  interface MPI_Rsend
    subroutine MPI_Rsend_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rsend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Rsend_f08ts) :: PMPI_Rsend_f08ts
  procedure(MPI_Rsend_c_f08ts) :: PMPI_Rsend_c_f08ts
  interface PMPI_Rsend
    procedure PMPI_Rsend_f08ts
    procedure PMPI_Rsend_c_f08ts
  end interface

  interface MPI_Rsend_init
    subroutine MPI_Rsend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rsend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Rsend_init_f08ts) :: PMPI_Rsend_init_f08ts
  procedure(MPI_Rsend_init_c_f08ts) :: PMPI_Rsend_init_c_f08ts
  interface PMPI_Rsend_init
    procedure PMPI_Rsend_init_f08ts
    procedure PMPI_Rsend_init_c_f08ts
  end interface

  interface MPI_Scan
    subroutine MPI_Scan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      type(*), dimension(..) :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Scan_f08ts) :: PMPI_Scan_f08ts
  procedure(MPI_Scan_c_f08ts) :: PMPI_Scan_c_f08ts
  interface PMPI_Scan
    procedure PMPI_Scan_f08ts
    procedure PMPI_Scan_c_f08ts
  end interface

  interface MPI_Scan_init
    subroutine MPI_Scan_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scan_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Scan_init_f08ts) :: PMPI_Scan_init_f08ts
  procedure(MPI_Scan_init_c_f08ts) :: PMPI_Scan_init_c_f08ts
  interface PMPI_Scan_init
    procedure PMPI_Scan_init_f08ts
    procedure PMPI_Scan_init_c_f08ts
  end interface

  interface MPI_Scatter
    subroutine MPI_Scatter_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scatter_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Scatter_f08ts) :: PMPI_Scatter_f08ts
  procedure(MPI_Scatter_c_f08ts) :: PMPI_Scatter_c_f08ts
  interface PMPI_Scatter
    procedure PMPI_Scatter_f08ts
    procedure PMPI_Scatter_c_f08ts
  end interface

  interface MPI_Scatter_init
    subroutine MPI_Scatter_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scatter_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Scatter_init_f08ts) :: PMPI_Scatter_init_f08ts
  procedure(MPI_Scatter_init_c_f08ts) :: PMPI_Scatter_init_c_f08ts
  interface PMPI_Scatter_init
    procedure PMPI_Scatter_init_f08ts
    procedure PMPI_Scatter_init_c_f08ts
  end interface

  interface MPI_Scatterv
    subroutine MPI_Scatterv_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcounts(*), displs(*), recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scatterv_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcounts(*), recvcount
      integer(MPI_ADDRESS_KIND), intent(in) :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Scatterv_f08ts) :: PMPI_Scatterv_f08ts
  procedure(MPI_Scatterv_c_f08ts) :: PMPI_Scatterv_c_f08ts
  interface PMPI_Scatterv
    procedure PMPI_Scatterv_f08ts
    procedure PMPI_Scatterv_c_f08ts
  end interface

  interface MPI_Scatterv_init
    subroutine MPI_Scatterv_init_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, &
        recvcount, recvtype, root, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer, intent(in), asynchronous :: sendcounts(*), displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer, intent(in) :: recvcount, root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scatterv_init_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, &
        recvcount, recvtype, root, comm, info, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: sendbuf
      integer(MPI_COUNT_KIND), intent(in), asynchronous :: sendcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in), asynchronous :: displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: recvcount
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Scatterv_init_f08ts) :: PMPI_Scatterv_init_f08ts
  procedure(MPI_Scatterv_init_c_f08ts) :: PMPI_Scatterv_init_c_f08ts
  interface PMPI_Scatterv_init
    procedure PMPI_Scatterv_init_f08ts
    procedure PMPI_Scatterv_init_c_f08ts
  end interface

  interface MPI_Send
    subroutine MPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Send_c_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Send_f08ts) :: PMPI_Send_f08ts
  procedure(MPI_Send_c_f08ts) :: PMPI_Send_c_f08ts
  interface PMPI_Send
    procedure PMPI_Send_f08ts
    procedure PMPI_Send_c_f08ts
  end interface

  interface MPI_Send_init
    subroutine MPI_Send_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Send_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Send_init_f08ts) :: PMPI_Send_init_f08ts
  procedure(MPI_Send_init_c_f08ts) :: PMPI_Send_init_c_f08ts
  interface PMPI_Send_init
    procedure PMPI_Send_init_f08ts
    procedure PMPI_Send_init_c_f08ts
  end interface

  interface MPI_Sendrecv
    subroutine MPI_Sendrecv_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, status, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer, intent(in) :: sendcount, dest, sendtag, recvcount, source, recvtag
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Sendrecv_c_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, status, ierror)
      import
      type(*), dimension(..), intent(in) :: sendbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      integer, intent(in) :: dest, sendtag, source, recvtag
      type(*), dimension(..) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Sendrecv_f08ts) :: PMPI_Sendrecv_f08ts
  procedure(MPI_Sendrecv_c_f08ts) :: PMPI_Sendrecv_c_f08ts
  interface PMPI_Sendrecv
    procedure PMPI_Sendrecv_f08ts
    procedure PMPI_Sendrecv_c_f08ts
  end interface

  interface MPI_Sendrecv_replace
    subroutine MPI_Sendrecv_replace_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, status, ierror)
      import
      type(*), dimension(..) :: buf
      integer, intent(in) :: count, dest, sendtag, source, recvtag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Sendrecv_replace_c_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, status, ierror)
      import
      type(*), dimension(..) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, sendtag, source, recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Sendrecv_replace_f08ts) :: PMPI_Sendrecv_replace_f08ts
  procedure(MPI_Sendrecv_replace_c_f08ts) :: PMPI_Sendrecv_replace_c_f08ts
  interface PMPI_Sendrecv_replace
    procedure PMPI_Sendrecv_replace_f08ts
    procedure PMPI_Sendrecv_replace_c_f08ts
  end interface

  interface MPI_Session_attach_buffer
    subroutine MPI_Session_attach_buffer_f08ts(session, buffer, size, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(*), dimension(..), asynchronous :: buffer
      integer, intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_attach_buffer_c_f08ts(session, buffer, size, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(*), dimension(..), asynchronous :: buffer
      integer(MPI_COUNT_KIND), intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_attach_buffer_f08ts) :: PMPI_Session_attach_buffer_f08ts
  procedure(MPI_Session_attach_buffer_c_f08ts) :: PMPI_Session_attach_buffer_c_f08ts
  interface PMPI_Session_attach_buffer
    procedure PMPI_Session_attach_buffer_f08ts
    procedure PMPI_Session_attach_buffer_c_f08ts
  end interface

  interface MPI_Session_call_errhandler
    subroutine MPI_Session_call_errhandler_f08(session, errorcode, ierror)
      import
      type(MPI_Session), intent(in) :: session
      integer, intent(in) :: errorcode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_call_errhandler_f08) :: PMPI_Session_call_errhandler_f08
  interface PMPI_Session_call_errhandler
    procedure PMPI_Session_call_errhandler_f08
  end interface

  interface MPI_Session_create_errhandler
    subroutine MPI_Session_create_errhandler_f08(session_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Session_errhandler_function) :: session_errhandler_fn
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_create_errhandler_f08) :: PMPI_Session_create_errhandler_f08
  interface PMPI_Session_create_errhandler
    procedure PMPI_Session_create_errhandler_f08
  end interface

  interface MPI_Session_detach_buffer
    subroutine MPI_Session_detach_buffer_f08(session, buffer_addr, size, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr), intent(out) :: buffer_addr
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_detach_buffer_c_f08(session, buffer_addr, size, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(c_ptr), intent(out) :: buffer_addr
      integer(MPI_COUNT_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_detach_buffer_f08) :: PMPI_Session_detach_buffer_f08
  procedure(MPI_Session_detach_buffer_c_f08) :: PMPI_Session_detach_buffer_c_f08
  interface PMPI_Session_detach_buffer
    procedure PMPI_Session_detach_buffer_f08
    procedure PMPI_Session_detach_buffer_c_f08
  end interface

  interface MPI_Session_finalize
    subroutine MPI_Session_finalize_f08(session, ierror)
      import
      type(MPI_Session), intent(inout) :: session
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_finalize_f08) :: PMPI_Session_finalize_f08
  interface PMPI_Session_finalize
    procedure PMPI_Session_finalize_f08
  end interface

  interface MPI_Session_flush_buffer
    subroutine MPI_Session_flush_buffer_f08(session, ierror)
      import
      type(MPI_Session), intent(in) :: session
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_flush_buffer_f08) :: PMPI_Session_flush_buffer_f08
  interface PMPI_Session_flush_buffer
    procedure PMPI_Session_flush_buffer_f08
  end interface

  interface MPI_Session_get_errhandler
    subroutine MPI_Session_get_errhandler_f08(session, errhandler, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_get_errhandler_f08) :: PMPI_Session_get_errhandler_f08
  interface PMPI_Session_get_errhandler
    procedure PMPI_Session_get_errhandler_f08
  end interface

  interface MPI_Session_get_info
    subroutine MPI_Session_get_info_f08(session, info_used, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info), intent(out) :: info_used
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_get_info_f08) :: PMPI_Session_get_info_f08
  interface PMPI_Session_get_info
    procedure PMPI_Session_get_info_f08
  end interface

  interface MPI_Session_get_nth_pset
    subroutine MPI_Session_get_nth_pset_f08(session, info, n, pset_len, pset_name, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: n
      integer, intent(inout) :: pset_len
      character(len=*), intent(out) :: pset_name
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_get_nth_pset_f08) :: PMPI_Session_get_nth_pset_f08
  interface PMPI_Session_get_nth_pset
    procedure PMPI_Session_get_nth_pset_f08
  end interface

  interface MPI_Session_get_num_psets
    subroutine MPI_Session_get_num_psets_f08(session, info, npset_names, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Info), intent(in) :: info
      integer, intent(out) :: npset_names
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_get_num_psets_f08) :: PMPI_Session_get_num_psets_f08
  interface PMPI_Session_get_num_psets
    procedure PMPI_Session_get_num_psets_f08
  end interface

  interface MPI_Session_get_pset_info
    subroutine MPI_Session_get_pset_info_f08(session, pset_name, info, ierror)
      import
      type(MPI_Session), intent(in) :: session
      character(len=*), intent(in) :: pset_name
      type(MPI_Info), intent(out) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_get_pset_info_f08) :: PMPI_Session_get_pset_info_f08
  interface PMPI_Session_get_pset_info
    procedure PMPI_Session_get_pset_info_f08
  end interface

  interface MPI_Session_iflush_buffer
    subroutine MPI_Session_iflush_buffer_f08(session, request, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_iflush_buffer_f08) :: PMPI_Session_iflush_buffer_f08
  interface PMPI_Session_iflush_buffer
    procedure PMPI_Session_iflush_buffer_f08
  end interface

  interface MPI_Session_init
    subroutine MPI_Session_init_f08(info, errhandler, session, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Errhandler), intent(in) :: errhandler
      type(MPI_Session), intent(out) :: session
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_init_f08) :: PMPI_Session_init_f08
  interface PMPI_Session_init
    procedure PMPI_Session_init_f08
  end interface

  interface MPI_Session_set_errhandler
    subroutine MPI_Session_set_errhandler_f08(session, errhandler, ierror)
      import
      type(MPI_Session), intent(in) :: session
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Session_set_errhandler_f08) :: PMPI_Session_set_errhandler_f08
  interface PMPI_Session_set_errhandler
    procedure PMPI_Session_set_errhandler_f08
  end interface

  interface MPI_Ssend
    subroutine MPI_Ssend_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ssend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ssend_f08ts) :: PMPI_Ssend_f08ts
  procedure(MPI_Ssend_c_f08ts) :: PMPI_Ssend_c_f08ts
  interface PMPI_Ssend
    procedure PMPI_Ssend_f08ts
    procedure PMPI_Ssend_c_f08ts
  end interface

  interface MPI_Ssend_init
    subroutine MPI_Ssend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ssend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      type(*), dimension(..), intent(in), asynchronous :: buf
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: dest, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Ssend_init_f08ts) :: PMPI_Ssend_init_f08ts
  procedure(MPI_Ssend_init_c_f08ts) :: PMPI_Ssend_init_c_f08ts
  interface PMPI_Ssend_init
    procedure PMPI_Ssend_init_f08ts
    procedure PMPI_Ssend_init_c_f08ts
  end interface

  interface MPI_Start
    subroutine MPI_Start_f08(request, ierror)
      import
      type(MPI_Request), intent(inout) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Start_f08) :: PMPI_Start_f08
  interface PMPI_Start
    procedure PMPI_Start_f08
  end interface

  interface MPI_Startall
    subroutine MPI_Startall_f08(count, array_of_requests, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Startall_f08) :: PMPI_Startall_f08
  interface PMPI_Startall
    procedure PMPI_Startall_f08
  end interface

  interface MPI_Status_get_error
    subroutine MPI_Status_get_error_f08(status, err, ierror)
      import
      type(MPI_Status), intent(in) :: status
      integer, intent(out) :: err
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_get_error_f08) :: PMPI_Status_get_error_f08
  interface PMPI_Status_get_error
    procedure PMPI_Status_get_error_f08
  end interface

  interface MPI_Status_get_source
    subroutine MPI_Status_get_source_f08(status, source, ierror)
      import
      type(MPI_Status), intent(in) :: status
      integer, intent(out) :: source
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_get_source_f08) :: PMPI_Status_get_source_f08
  interface PMPI_Status_get_source
    procedure PMPI_Status_get_source_f08
  end interface

  interface MPI_Status_get_tag
    subroutine MPI_Status_get_tag_f08(status, tag, ierror)
      import
      type(MPI_Status), intent(in) :: status
      integer, intent(out) :: tag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_get_tag_f08) :: PMPI_Status_get_tag_f08
  interface PMPI_Status_get_tag
    procedure PMPI_Status_get_tag_f08
  end interface

  interface MPI_Status_set_cancelled
    subroutine MPI_Status_set_cancelled_f08(status, flag, ierror)
      import
      type(MPI_Status) :: status
      logical, intent(in) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_set_cancelled_f08) :: PMPI_Status_set_cancelled_f08
  interface PMPI_Status_set_cancelled
    procedure PMPI_Status_set_cancelled_f08
  end interface

  interface MPI_Status_set_elements
    subroutine MPI_Status_set_elements_f08(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_set_elements_c_f08(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_set_elements_f08) :: PMPI_Status_set_elements_f08
  procedure(MPI_Status_set_elements_c_f08) :: PMPI_Status_set_elements_c_f08
  interface PMPI_Status_set_elements
    procedure PMPI_Status_set_elements_f08
    procedure PMPI_Status_set_elements_c_f08
  end interface

  interface MPI_Status_set_elements_x
    subroutine MPI_Status_set_elements_x_f08(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_set_elements_x_f08) :: PMPI_Status_set_elements_x_f08
  interface PMPI_Status_set_elements_x
    procedure PMPI_Status_set_elements_x_f08
  end interface

  interface MPI_Status_set_error
    subroutine MPI_Status_set_error_f08(status, err, ierror)
      import
      type(MPI_Status), intent(inout) :: status
      integer, intent(in) :: err
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_set_error_f08) :: PMPI_Status_set_error_f08
  interface PMPI_Status_set_error
    procedure PMPI_Status_set_error_f08
  end interface

  interface MPI_Status_set_source
    subroutine MPI_Status_set_source_f08(status, source, ierror)
      import
      type(MPI_Status), intent(inout) :: status
      integer, intent(in) :: source
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_set_source_f08) :: PMPI_Status_set_source_f08
  interface PMPI_Status_set_source
    procedure PMPI_Status_set_source_f08
  end interface

  interface MPI_Status_set_tag
    subroutine MPI_Status_set_tag_f08(status, tag, ierror)
      import
      type(MPI_Status), intent(inout) :: status
      integer, intent(in) :: tag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Status_set_tag_f08) :: PMPI_Status_set_tag_f08
  interface PMPI_Status_set_tag
    procedure PMPI_Status_set_tag_f08
  end interface

  interface MPI_Test
    subroutine MPI_Test_f08(request, flag, status, ierror)
      import
      type(MPI_Request), intent(inout) :: request
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Test_f08) :: PMPI_Test_f08
  interface PMPI_Test
    procedure PMPI_Test_f08
  end interface

  interface MPI_Test_cancelled
    subroutine MPI_Test_cancelled_f08(status, flag, ierror)
      import
      type(MPI_Status), intent(in) :: status
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Test_cancelled_f08) :: PMPI_Test_cancelled_f08
  interface PMPI_Test_cancelled
    procedure PMPI_Test_cancelled_f08
  end interface

  interface MPI_Testall
    subroutine MPI_Testall_f08(count, array_of_requests, flag, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      logical, intent(out) :: flag
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Testall_f08) :: PMPI_Testall_f08
  interface PMPI_Testall
    procedure PMPI_Testall_f08
  end interface

  interface MPI_Testany
    subroutine MPI_Testany_f08(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out) :: index
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Testany_f08) :: PMPI_Testany_f08
  interface PMPI_Testany
    procedure PMPI_Testany_f08
  end interface

  interface MPI_Testsome
    subroutine MPI_Testsome_f08(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out) :: outcount, array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Testsome_f08) :: PMPI_Testsome_f08
  interface PMPI_Testsome
    procedure PMPI_Testsome_f08
  end interface

  interface MPI_Topo_test
    subroutine MPI_Topo_test_f08(comm, status, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Topo_test_f08) :: PMPI_Topo_test_f08
  interface PMPI_Topo_test
    procedure PMPI_Topo_test_f08
  end interface

  interface MPI_Type_commit
    subroutine MPI_Type_commit_f08(datatype, ierror)
      import
      type(MPI_Datatype), intent(inout) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_commit_f08) :: PMPI_Type_commit_f08
  interface PMPI_Type_commit
    procedure PMPI_Type_commit_f08
  end interface

  interface MPI_Type_contiguous
    subroutine MPI_Type_contiguous_f08(count, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_contiguous_c_f08(count, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_contiguous_f08) :: PMPI_Type_contiguous_f08
  procedure(MPI_Type_contiguous_c_f08) :: PMPI_Type_contiguous_c_f08
  interface PMPI_Type_contiguous
    procedure PMPI_Type_contiguous_f08
    procedure PMPI_Type_contiguous_c_f08
  end interface

  interface MPI_Type_create_darray
    subroutine MPI_Type_create_darray_f08(size, rank, ndims, array_of_gsizes, &
        array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size, rank, ndims, array_of_gsizes(*), array_of_distribs(*), &
          array_of_dargs(*), array_of_psizes(*), order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_darray_c_f08(size, rank, ndims, array_of_gsizes, &
        array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size, rank, ndims, array_of_distribs(*), array_of_dargs(*), &
          array_of_psizes(*), order
      integer(MPI_COUNT_KIND), intent(in) :: array_of_gsizes(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_darray_f08) :: PMPI_Type_create_darray_f08
  procedure(MPI_Type_create_darray_c_f08) :: PMPI_Type_create_darray_c_f08
  interface PMPI_Type_create_darray
    procedure PMPI_Type_create_darray_f08
    procedure PMPI_Type_create_darray_c_f08
  end interface

  interface MPI_Type_create_f90_complex
    subroutine MPI_Type_create_f90_complex_f08(p, r, newtype, ierror)
      import
      integer, intent(in) :: p, r
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_f90_complex_f08) :: PMPI_Type_create_f90_complex_f08
  interface PMPI_Type_create_f90_complex
    procedure PMPI_Type_create_f90_complex_f08
  end interface

  interface MPI_Type_create_f90_integer
    subroutine MPI_Type_create_f90_integer_f08(r, newtype, ierror)
      import
      integer, intent(in) :: r
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_f90_integer_f08) :: PMPI_Type_create_f90_integer_f08
  interface PMPI_Type_create_f90_integer
    procedure PMPI_Type_create_f90_integer_f08
  end interface

  interface MPI_Type_create_f90_real
    subroutine MPI_Type_create_f90_real_f08(p, r, newtype, ierror)
      import
      integer, intent(in) :: p, r
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_f90_real_f08) :: PMPI_Type_create_f90_real_f08
  interface PMPI_Type_create_f90_real
    procedure PMPI_Type_create_f90_real_f08
  end interface

  interface MPI_Type_create_hindexed
    subroutine MPI_Type_create_hindexed_f08(count, array_of_blocklengths, &
        array_of_displacements, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed_c_f08(count, array_of_blocklengths, &
        array_of_displacements, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count, array_of_blocklengths(*), &
          array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_hindexed_f08) :: PMPI_Type_create_hindexed_f08
  procedure(MPI_Type_create_hindexed_c_f08) :: PMPI_Type_create_hindexed_c_f08
  interface PMPI_Type_create_hindexed
    procedure PMPI_Type_create_hindexed_f08
    procedure PMPI_Type_create_hindexed_c_f08
  end interface

  interface MPI_Type_create_hindexed_block
    subroutine MPI_Type_create_hindexed_block_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, blocklength
      integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed_block_c_f08(count, blocklength, &
        array_of_displacements, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count, blocklength, array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_hindexed_block_f08) :: PMPI_Type_create_hindexed_block_f08
  procedure(MPI_Type_create_hindexed_block_c_f08) :: PMPI_Type_create_hindexed_block_c_f08
  interface PMPI_Type_create_hindexed_block
    procedure PMPI_Type_create_hindexed_block_f08
    procedure PMPI_Type_create_hindexed_block_c_f08
  end interface

  interface MPI_Type_create_hvector
    subroutine MPI_Type_create_hvector_f08(count, blocklength, stride, oldtype, newtype, &
        ierror)
      import
      integer, intent(in) :: count, blocklength
      integer(MPI_ADDRESS_KIND), intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_hvector_c_f08(count, blocklength, stride, oldtype, newtype, &
        ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count, blocklength, stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_hvector_f08) :: PMPI_Type_create_hvector_f08
  procedure(MPI_Type_create_hvector_c_f08) :: PMPI_Type_create_hvector_c_f08
  interface PMPI_Type_create_hvector
    procedure PMPI_Type_create_hvector_f08
    procedure PMPI_Type_create_hvector_c_f08
  end interface

  interface MPI_Type_create_indexed_block
    subroutine MPI_Type_create_indexed_block_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, blocklength, array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_indexed_block_c_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count, blocklength, array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_indexed_block_f08) :: PMPI_Type_create_indexed_block_f08
  procedure(MPI_Type_create_indexed_block_c_f08) :: PMPI_Type_create_indexed_block_c_f08
  interface PMPI_Type_create_indexed_block
    procedure PMPI_Type_create_indexed_block_f08
    procedure PMPI_Type_create_indexed_block_c_f08
  end interface

  interface MPI_Type_create_keyval
    subroutine MPI_Type_create_keyval_f08(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Type_copy_attr_function) :: type_copy_attr_fn
      procedure(MPI_Type_delete_attr_function) :: type_delete_attr_fn
      integer, intent(out) :: type_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_keyval_f08) :: PMPI_Type_create_keyval_f08
  interface PMPI_Type_create_keyval
    procedure PMPI_Type_create_keyval_f08
  end interface

  interface MPI_Type_create_resized
    subroutine MPI_Type_create_resized_f08(oldtype, lb, extent, newtype, ierror)
      import
      type(MPI_Datatype), intent(in) :: oldtype
      integer(MPI_ADDRESS_KIND), intent(in) :: lb, extent
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_resized_f08) :: PMPI_Type_create_resized_f08
  interface PMPI_Type_create_resized
    procedure PMPI_Type_create_resized_f08
  end interface

  interface MPI_Type_create_struct
    subroutine MPI_Type_create_struct_f08(count, array_of_blocklengths, &
        array_of_displacements, array_of_types, newtype, ierror)
      import
      integer, intent(in) :: count, array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: array_of_types(*)
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_struct_c_f08(count, array_of_blocklengths, &
        array_of_displacements, array_of_types, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count, array_of_blocklengths(*), &
          array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: array_of_types(*)
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_struct_f08) :: PMPI_Type_create_struct_f08
  procedure(MPI_Type_create_struct_c_f08) :: PMPI_Type_create_struct_c_f08
  interface PMPI_Type_create_struct
    procedure PMPI_Type_create_struct_f08
    procedure PMPI_Type_create_struct_c_f08
  end interface

  interface MPI_Type_create_subarray
    subroutine MPI_Type_create_subarray_f08(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims, array_of_sizes(*), array_of_subsizes(*), &
          array_of_starts(*), order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_subarray_c_f08(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims, order
      integer(MPI_COUNT_KIND), intent(in) :: array_of_sizes(*), array_of_subsizes(*), &
          array_of_starts(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_create_subarray_f08) :: PMPI_Type_create_subarray_f08
  procedure(MPI_Type_create_subarray_c_f08) :: PMPI_Type_create_subarray_c_f08
  interface PMPI_Type_create_subarray
    procedure PMPI_Type_create_subarray_f08
    procedure PMPI_Type_create_subarray_c_f08
  end interface

  interface MPI_Type_delete_attr
    subroutine MPI_Type_delete_attr_f08(datatype, type_keyval, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_delete_attr_f08) :: PMPI_Type_delete_attr_f08
  interface PMPI_Type_delete_attr
    procedure PMPI_Type_delete_attr_f08
  end interface

  interface MPI_Type_dup
    subroutine MPI_Type_dup_f08(oldtype, newtype, ierror)
      import
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_dup_f08) :: PMPI_Type_dup_f08
  interface PMPI_Type_dup
    procedure PMPI_Type_dup_f08
  end interface

  interface MPI_Type_free
    subroutine MPI_Type_free_f08(datatype, ierror)
      import
      type(MPI_Datatype), intent(inout) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_free_f08) :: PMPI_Type_free_f08
  interface PMPI_Type_free
    procedure PMPI_Type_free_f08
  end interface

  interface MPI_Type_free_keyval
    subroutine MPI_Type_free_keyval_f08(type_keyval, ierror)
      import
      integer, intent(inout) :: type_keyval
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_free_keyval_f08) :: PMPI_Type_free_keyval_f08
  interface PMPI_Type_free_keyval
    procedure PMPI_Type_free_keyval_f08
  end interface

  interface MPI_Type_get_attr
    subroutine MPI_Type_get_attr_f08(datatype, type_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_attr_f08) :: PMPI_Type_get_attr_f08
  interface PMPI_Type_get_attr
    procedure PMPI_Type_get_attr_f08
  end interface

  interface MPI_Type_get_contents
    subroutine MPI_Type_get_contents_f08(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: max_integers, max_addresses, max_datatypes
      integer, intent(out) :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND), intent(out) :: array_of_addresses(*)
      type(MPI_Datatype), intent(out) :: array_of_datatypes(*)
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_contents_c_f08(datatype, max_integers, max_addresses, &
        max_large_counts, max_datatypes, array_of_integers, array_of_addresses, &
        array_of_large_counts, array_of_datatypes, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: max_integers, max_addresses, max_large_counts, &
          max_datatypes
      integer, intent(out) :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND), intent(out) :: array_of_addresses(*)
      integer(MPI_COUNT_KIND), intent(out) :: array_of_large_counts(*)
      type(MPI_Datatype), intent(out) :: array_of_datatypes(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_contents_f08) :: PMPI_Type_get_contents_f08
  procedure(MPI_Type_get_contents_c_f08) :: PMPI_Type_get_contents_c_f08
  interface PMPI_Type_get_contents
    procedure PMPI_Type_get_contents_f08
    procedure PMPI_Type_get_contents_c_f08
  end interface

  interface MPI_Type_get_envelope
    subroutine MPI_Type_get_envelope_f08(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out) :: num_integers, num_addresses, num_datatypes, combiner
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_envelope_c_f08(datatype, num_integers, num_addresses, &
        num_large_counts, num_datatypes, combiner, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: num_integers, num_addresses, num_large_counts, &
          num_datatypes
      integer, intent(out) :: combiner
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_envelope_f08) :: PMPI_Type_get_envelope_f08
  procedure(MPI_Type_get_envelope_c_f08) :: PMPI_Type_get_envelope_c_f08
  interface PMPI_Type_get_envelope
    procedure PMPI_Type_get_envelope_f08
    procedure PMPI_Type_get_envelope_c_f08
  end interface

  interface MPI_Type_get_extent
    subroutine MPI_Type_get_extent_f08(datatype, lb, extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(out) :: lb, extent
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_extent_f08) :: PMPI_Type_get_extent_f08
  interface PMPI_Type_get_extent
    procedure PMPI_Type_get_extent_f08
  end interface

  interface MPI_Type_get_extent_x
    subroutine MPI_Type_get_extent_x_f08(datatype, lb, extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: lb, extent
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_extent_x_f08) :: PMPI_Type_get_extent_x_f08
  interface PMPI_Type_get_extent_x
    procedure PMPI_Type_get_extent_x_f08
  end interface

  interface MPI_Type_get_name
    subroutine MPI_Type_get_name_f08(datatype, type_name, resultlen, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      character(len=*), intent(out) :: type_name
      integer, intent(out) :: resultlen
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_name_f08) :: PMPI_Type_get_name_f08
  interface PMPI_Type_get_name
    procedure PMPI_Type_get_name_f08
  end interface

  interface MPI_Type_get_true_extent
    subroutine MPI_Type_get_true_extent_f08(datatype, true_lb, true_extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(out) :: true_lb, true_extent
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_true_extent_f08) :: PMPI_Type_get_true_extent_f08
  interface PMPI_Type_get_true_extent
    procedure PMPI_Type_get_true_extent_f08
  end interface

  interface MPI_Type_get_true_extent_x
    subroutine MPI_Type_get_true_extent_x_f08(datatype, true_lb, true_extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: true_lb, true_extent
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_true_extent_x_f08) :: PMPI_Type_get_true_extent_x_f08
  interface PMPI_Type_get_true_extent_x
    procedure PMPI_Type_get_true_extent_x_f08
  end interface

  interface MPI_Type_get_value_index
    subroutine MPI_Type_get_value_index_f08(value_type, index_type, pair_type, ierror)
      import
      type(MPI_Datatype), intent(in) :: value_type, index_type
      type(MPI_Datatype), intent(out) :: pair_type
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_get_value_index_f08) :: PMPI_Type_get_value_index_f08
  interface PMPI_Type_get_value_index
    procedure PMPI_Type_get_value_index_f08
  end interface

  interface MPI_Type_indexed
    subroutine MPI_Type_indexed_f08(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, array_of_blocklengths(*), array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_indexed_c_f08(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count, array_of_blocklengths(*), &
          array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_indexed_f08) :: PMPI_Type_indexed_f08
  procedure(MPI_Type_indexed_c_f08) :: PMPI_Type_indexed_c_f08
  interface PMPI_Type_indexed
    procedure PMPI_Type_indexed_f08
    procedure PMPI_Type_indexed_c_f08
  end interface

  interface MPI_Type_match_size
    subroutine MPI_Type_match_size_f08(typeclass, size, datatype, ierror)
      import
      integer, intent(in) :: typeclass, size
      type(MPI_Datatype), intent(out) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_match_size_f08) :: PMPI_Type_match_size_f08
  interface PMPI_Type_match_size
    procedure PMPI_Type_match_size_f08
  end interface

  interface MPI_Type_set_attr
    subroutine MPI_Type_set_attr_f08(datatype, type_keyval, attribute_val, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_set_attr_f08) :: PMPI_Type_set_attr_f08
  interface PMPI_Type_set_attr
    procedure PMPI_Type_set_attr_f08
  end interface

  interface MPI_Type_set_name
    subroutine MPI_Type_set_name_f08(datatype, type_name, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      character(len=*), intent(in) :: type_name
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_set_name_f08) :: PMPI_Type_set_name_f08
  interface PMPI_Type_set_name
    procedure PMPI_Type_set_name_f08
  end interface

  interface MPI_Type_size
    subroutine MPI_Type_size_f08(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_size_c_f08(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_size_f08) :: PMPI_Type_size_f08
  procedure(MPI_Type_size_c_f08) :: PMPI_Type_size_c_f08
  interface PMPI_Type_size
    procedure PMPI_Type_size_f08
    procedure PMPI_Type_size_c_f08
  end interface

  interface MPI_Type_size_x
    subroutine MPI_Type_size_x_f08(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_size_x_f08) :: PMPI_Type_size_x_f08
  interface PMPI_Type_size_x
    procedure PMPI_Type_size_x_f08
  end interface

  interface MPI_Type_vector
    subroutine MPI_Type_vector_f08(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, blocklength, stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_vector_c_f08(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer(MPI_COUNT_KIND), intent(in) :: count, blocklength, stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Type_vector_f08) :: PMPI_Type_vector_f08
  procedure(MPI_Type_vector_c_f08) :: PMPI_Type_vector_c_f08
  interface PMPI_Type_vector
    procedure PMPI_Type_vector_f08
    procedure PMPI_Type_vector_c_f08
  end interface

  interface MPI_Unpack
    subroutine MPI_Unpack_f08ts(inbuf, insize, position, outbuf, outcount, datatype, comm, &
        ierror)
      import
      type(*), dimension(..), intent(in) :: inbuf
      integer, intent(in) :: insize, outcount
      integer, intent(inout) :: position
      type(*), dimension(..) :: outbuf
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Unpack_c_f08ts(inbuf, insize, position, outbuf, outcount, datatype, comm, &
        ierror)
      import
      type(*), dimension(..), intent(in) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: insize, outcount
      integer(MPI_COUNT_KIND), intent(inout) :: position
      type(*), dimension(..) :: outbuf
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Unpack_f08ts) :: PMPI_Unpack_f08ts
  procedure(MPI_Unpack_c_f08ts) :: PMPI_Unpack_c_f08ts
  interface PMPI_Unpack
    procedure PMPI_Unpack_f08ts
    procedure PMPI_Unpack_c_f08ts
  end interface

  interface MPI_Unpack_external
    subroutine MPI_Unpack_external_f08ts(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror)
      import
      character(len=*), intent(in) :: datarep
      type(*), dimension(..), intent(in) :: inbuf
      integer(MPI_ADDRESS_KIND), intent(in) :: insize
      integer(MPI_ADDRESS_KIND), intent(inout) :: position
      type(*), dimension(..) :: outbuf
      integer, intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Unpack_external_c_f08ts(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror)
      import
      character(len=*), intent(in) :: datarep
      type(*), dimension(..), intent(in) :: inbuf
      integer(MPI_COUNT_KIND), intent(in) :: insize, outcount
      integer(MPI_COUNT_KIND), intent(inout) :: position
      type(*), dimension(..) :: outbuf
      type(MPI_Datatype), intent(in) :: datatype
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Unpack_external_f08ts) :: PMPI_Unpack_external_f08ts
  procedure(MPI_Unpack_external_c_f08ts) :: PMPI_Unpack_external_c_f08ts
  interface PMPI_Unpack_external
    procedure PMPI_Unpack_external_f08ts
    procedure PMPI_Unpack_external_c_f08ts
  end interface

  interface MPI_Unpublish_name
    subroutine MPI_Unpublish_name_f08(service_name, info, port_name, ierror)
      import
      character(len=*), intent(in) :: service_name, port_name
      type(MPI_Info), intent(in) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Unpublish_name_f08) :: PMPI_Unpublish_name_f08
  interface PMPI_Unpublish_name
    procedure PMPI_Unpublish_name_f08
  end interface

  interface MPI_Wait
    subroutine MPI_Wait_f08(request, status, ierror)
      import
      type(MPI_Request), intent(inout) :: request
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Wait_f08) :: PMPI_Wait_f08
  interface PMPI_Wait
    procedure PMPI_Wait_f08
  end interface

  interface MPI_Waitall
    subroutine MPI_Waitall_f08(count, array_of_requests, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Waitall_f08) :: PMPI_Waitall_f08
  interface PMPI_Waitall
    procedure PMPI_Waitall_f08
  end interface

  interface MPI_Waitany
    subroutine MPI_Waitany_f08(count, array_of_requests, index, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out) :: index
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Waitany_f08) :: PMPI_Waitany_f08
  interface PMPI_Waitany
    procedure PMPI_Waitany_f08
  end interface

  interface MPI_Waitsome
    subroutine MPI_Waitsome_f08(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out) :: outcount, array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Waitsome_f08) :: PMPI_Waitsome_f08
  interface PMPI_Waitsome
    procedure PMPI_Waitsome_f08
  end interface

  interface MPI_Win_allocate
    subroutine MPI_Win_allocate_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: baseptr
      type(MPI_Win), intent(out) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_allocate_c_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size, disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: baseptr
      type(MPI_Win), intent(out) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_allocate_f08) :: PMPI_Win_allocate_f08
  procedure(MPI_Win_allocate_c_f08) :: PMPI_Win_allocate_c_f08
  interface PMPI_Win_allocate
    procedure PMPI_Win_allocate_f08
    procedure PMPI_Win_allocate_c_f08
  end interface

  interface MPI_Win_allocate_shared
    subroutine MPI_Win_allocate_shared_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: baseptr
      type(MPI_Win), intent(out) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_allocate_shared_c_f08(size, disp_unit, info, comm, baseptr, win, &
        ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size, disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: baseptr
      type(MPI_Win), intent(out) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_allocate_shared_f08) :: PMPI_Win_allocate_shared_f08
  procedure(MPI_Win_allocate_shared_c_f08) :: PMPI_Win_allocate_shared_c_f08
  interface PMPI_Win_allocate_shared
    procedure PMPI_Win_allocate_shared_f08
    procedure PMPI_Win_allocate_shared_c_f08
  end interface

  interface MPI_Win_attach
    subroutine MPI_Win_attach_f08ts(win, base, size, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(*), dimension(..), asynchronous :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_attach_f08ts) :: PMPI_Win_attach_f08ts
  interface PMPI_Win_attach
    procedure PMPI_Win_attach_f08ts
  end interface

  interface MPI_Win_call_errhandler
    subroutine MPI_Win_call_errhandler_f08(win, errorcode, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: errorcode
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_call_errhandler_f08) :: PMPI_Win_call_errhandler_f08
  interface PMPI_Win_call_errhandler
    procedure PMPI_Win_call_errhandler_f08
  end interface

  interface MPI_Win_complete
    subroutine MPI_Win_complete_f08(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_complete_f08) :: PMPI_Win_complete_f08
  interface PMPI_Win_complete
    procedure PMPI_Win_complete_f08
  end interface

  interface MPI_Win_create
    subroutine MPI_Win_create_f08ts(base, size, disp_unit, info, comm, win, ierror)
      import
      type(*), dimension(..), asynchronous :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win), intent(out) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_create_c_f08ts(base, size, disp_unit, info, comm, win, ierror)
      import
      type(*), dimension(..), asynchronous :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: size, disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win), intent(out) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_create_f08ts) :: PMPI_Win_create_f08ts
  procedure(MPI_Win_create_c_f08ts) :: PMPI_Win_create_c_f08ts
  interface PMPI_Win_create
    procedure PMPI_Win_create_f08ts
    procedure PMPI_Win_create_c_f08ts
  end interface

  interface MPI_Win_create_dynamic
    subroutine MPI_Win_create_dynamic_f08(info, comm, win, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win), intent(out) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_create_dynamic_f08) :: PMPI_Win_create_dynamic_f08
  interface PMPI_Win_create_dynamic
    procedure PMPI_Win_create_dynamic_f08
  end interface

  interface MPI_Win_create_errhandler
    subroutine MPI_Win_create_errhandler_f08(win_errhandler_fn, errhandler, ierror)
      import
      procedure(MPI_Win_errhandler_function) :: win_errhandler_fn
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_create_errhandler_f08) :: PMPI_Win_create_errhandler_f08
  interface PMPI_Win_create_errhandler
    procedure PMPI_Win_create_errhandler_f08
  end interface

  interface MPI_Win_create_keyval
    subroutine MPI_Win_create_keyval_f08(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      import
      procedure(MPI_Win_copy_attr_function) :: win_copy_attr_fn
      procedure(MPI_Win_delete_attr_function) :: win_delete_attr_fn
      integer, intent(out) :: win_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_create_keyval_f08) :: PMPI_Win_create_keyval_f08
  interface PMPI_Win_create_keyval
    procedure PMPI_Win_create_keyval_f08
  end interface

  interface MPI_Win_delete_attr
    subroutine MPI_Win_delete_attr_f08(win, win_keyval, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_delete_attr_f08) :: PMPI_Win_delete_attr_f08
  interface PMPI_Win_delete_attr
    procedure PMPI_Win_delete_attr_f08
  end interface

  interface MPI_Win_detach
    subroutine MPI_Win_detach_f08ts(win, base, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(*), dimension(..), intent(in), asynchronous :: base
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_detach_f08ts) :: PMPI_Win_detach_f08ts
  interface PMPI_Win_detach
    procedure PMPI_Win_detach_f08ts
  end interface

  interface MPI_Win_fence
    subroutine MPI_Win_fence_f08(assert, win, ierror)
      import
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_fence_f08) :: PMPI_Win_fence_f08
  interface PMPI_Win_fence
    procedure PMPI_Win_fence_f08
  end interface

  interface MPI_Win_flush
    subroutine MPI_Win_flush_f08(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_flush_f08) :: PMPI_Win_flush_f08
  interface PMPI_Win_flush
    procedure PMPI_Win_flush_f08
  end interface

  interface MPI_Win_flush_all
    subroutine MPI_Win_flush_all_f08(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_flush_all_f08) :: PMPI_Win_flush_all_f08
  interface PMPI_Win_flush_all
    procedure PMPI_Win_flush_all_f08
  end interface

  interface MPI_Win_flush_local
    subroutine MPI_Win_flush_local_f08(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_flush_local_f08) :: PMPI_Win_flush_local_f08
  interface PMPI_Win_flush_local
    procedure PMPI_Win_flush_local_f08
  end interface

  interface MPI_Win_flush_local_all
    subroutine MPI_Win_flush_local_all_f08(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_flush_local_all_f08) :: PMPI_Win_flush_local_all_f08
  interface PMPI_Win_flush_local_all
    procedure PMPI_Win_flush_local_all_f08
  end interface

  interface MPI_Win_free
    subroutine MPI_Win_free_f08(win, ierror)
      import
      type(MPI_Win), intent(inout) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_free_f08) :: PMPI_Win_free_f08
  interface PMPI_Win_free
    procedure PMPI_Win_free_f08
  end interface

  interface MPI_Win_free_keyval
    subroutine MPI_Win_free_keyval_f08(win_keyval, ierror)
      import
      integer, intent(inout) :: win_keyval
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_free_keyval_f08) :: PMPI_Win_free_keyval_f08
  interface PMPI_Win_free_keyval
    procedure PMPI_Win_free_keyval_f08
  end interface

  interface MPI_Win_get_attr
    subroutine MPI_Win_get_attr_f08(win, win_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_get_attr_f08) :: PMPI_Win_get_attr_f08
  interface PMPI_Win_get_attr
    procedure PMPI_Win_get_attr_f08
  end interface

  interface MPI_Win_get_errhandler
    subroutine MPI_Win_get_errhandler_f08(win, errhandler, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_get_errhandler_f08) :: PMPI_Win_get_errhandler_f08
  interface PMPI_Win_get_errhandler
    procedure PMPI_Win_get_errhandler_f08
  end interface

  interface MPI_Win_get_group
    subroutine MPI_Win_get_group_f08(win, group, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Group), intent(out) :: group
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_get_group_f08) :: PMPI_Win_get_group_f08
  interface PMPI_Win_get_group
    procedure PMPI_Win_get_group_f08
  end interface

  interface MPI_Win_get_info
    subroutine MPI_Win_get_info_f08(win, info_used, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Info), intent(out) :: info_used
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_get_info_f08) :: PMPI_Win_get_info_f08
  interface PMPI_Win_get_info
    procedure PMPI_Win_get_info_f08
  end interface

  interface MPI_Win_get_name
    subroutine MPI_Win_get_name_f08(win, win_name, resultlen, ierror)
      import
      type(MPI_Win), intent(in) :: win
      character(len=*), intent(out) :: win_name
      integer, intent(out) :: resultlen
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_get_name_f08) :: PMPI_Win_get_name_f08
  interface PMPI_Win_get_name
    procedure PMPI_Win_get_name_f08
  end interface

  interface MPI_Win_lock
    subroutine MPI_Win_lock_f08(lock_type, rank, assert, win, ierror)
      import
      integer, intent(in) :: lock_type, rank, assert
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_lock_f08) :: PMPI_Win_lock_f08
  interface PMPI_Win_lock
    procedure PMPI_Win_lock_f08
  end interface

  interface MPI_Win_lock_all
    subroutine MPI_Win_lock_all_f08(assert, win, ierror)
      import
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_lock_all_f08) :: PMPI_Win_lock_all_f08
  interface PMPI_Win_lock_all
    procedure PMPI_Win_lock_all_f08
  end interface

  interface MPI_Win_post
    subroutine MPI_Win_post_f08(group, assert, win, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_post_f08) :: PMPI_Win_post_f08
  interface PMPI_Win_post
    procedure PMPI_Win_post_f08
  end interface

  interface MPI_Win_set_attr
    subroutine MPI_Win_set_attr_f08(win, win_keyval, attribute_val, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_set_attr_f08) :: PMPI_Win_set_attr_f08
  interface PMPI_Win_set_attr
    procedure PMPI_Win_set_attr_f08
  end interface

  interface MPI_Win_set_errhandler
    subroutine MPI_Win_set_errhandler_f08(win, errhandler, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_set_errhandler_f08) :: PMPI_Win_set_errhandler_f08
  interface PMPI_Win_set_errhandler
    procedure PMPI_Win_set_errhandler_f08
  end interface

  interface MPI_Win_set_info
    subroutine MPI_Win_set_info_f08(win, info, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Info), intent(in) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_set_info_f08) :: PMPI_Win_set_info_f08
  interface PMPI_Win_set_info
    procedure PMPI_Win_set_info_f08
  end interface

  interface MPI_Win_set_name
    subroutine MPI_Win_set_name_f08(win, win_name, ierror)
      import
      type(MPI_Win), intent(in) :: win
      character(len=*), intent(in) :: win_name
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_set_name_f08) :: PMPI_Win_set_name_f08
  interface PMPI_Win_set_name
    procedure PMPI_Win_set_name_f08
  end interface

  interface MPI_Win_shared_query
    subroutine MPI_Win_shared_query_f08(win, rank, size, disp_unit, baseptr, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND), intent(out) :: size
      integer, intent(out) :: disp_unit
      type(c_ptr), intent(out) :: baseptr
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_shared_query_c_f08(win, rank, size, disp_unit, baseptr, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND), intent(out) :: size, disp_unit
      type(c_ptr), intent(out) :: baseptr
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_shared_query_f08) :: PMPI_Win_shared_query_f08
  procedure(MPI_Win_shared_query_c_f08) :: PMPI_Win_shared_query_c_f08
  interface PMPI_Win_shared_query
    procedure PMPI_Win_shared_query_f08
    procedure PMPI_Win_shared_query_c_f08
  end interface

  interface MPI_Win_start
    subroutine MPI_Win_start_f08(group, assert, win, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_start_f08) :: PMPI_Win_start_f08
  interface PMPI_Win_start
    procedure PMPI_Win_start_f08
  end interface

  interface MPI_Win_sync
    subroutine MPI_Win_sync_f08(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_sync_f08) :: PMPI_Win_sync_f08
  interface PMPI_Win_sync
    procedure PMPI_Win_sync_f08
  end interface

  interface MPI_Win_test
    subroutine MPI_Win_test_f08(win, flag, ierror)
      import
      type(MPI_Win), intent(in) :: win
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_test_f08) :: PMPI_Win_test_f08
  interface PMPI_Win_test
    procedure PMPI_Win_test_f08
  end interface

  interface MPI_Win_unlock
    subroutine MPI_Win_unlock_f08(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_unlock_f08) :: PMPI_Win_unlock_f08
  interface PMPI_Win_unlock
    procedure PMPI_Win_unlock_f08
  end interface

  interface MPI_Win_unlock_all
    subroutine MPI_Win_unlock_all_f08(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_unlock_all_f08) :: PMPI_Win_unlock_all_f08
  interface PMPI_Win_unlock_all
    procedure PMPI_Win_unlock_all_f08
  end interface

  interface MPI_Win_wait
    subroutine MPI_Win_wait_f08(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  procedure(MPI_Win_wait_f08) :: PMPI_Win_wait_f08
  interface PMPI_Win_wait
    procedure PMPI_Win_wait_f08
  end interface

end module
