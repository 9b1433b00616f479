// SPDX-License-Identifier: BSD-3-Clause
// The Open MPI ABI's types and values (libmpi.so.40: Open MPI 3 to 5), as far as our library of
// that ABI and its tests need them. No program is compiled with this header. What Open MPI 5 does
// not have is beyond its last value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "threadranks/mpi/openmpi/predefined.hpp"

#define MPI_VERSION 3
#define MPI_SUBVERSION 1
// This is not the standard ABI, so it has no version of it.
#define MPI_ABI_VERSION -1
#define MPI_ABI_SUBVERSION -1

using MPI_Aint = std::ptrdiff_t;
using MPI_Offset = std::int64_t;  // long long there
using MPI_Count = std::int64_t;
using MPI_Fint = int;

using MPI_Comm = struct ompi_communicator_t*;
using MPI_Datatype = struct ompi_datatype_t*;
using MPI_Errhandler = struct ompi_errhandler_t*;
using MPI_File = struct ompi_file_t*;
using MPI_Group = struct ompi_group_t*;
using MPI_Info = struct ompi_info_t*;
using MPI_Message = struct ompi_message_t*;
using MPI_Op = struct ompi_op_t*;
using MPI_Request = struct ompi_request_t*;
using MPI_Session = struct ompi_instance_t*;
using MPI_Win = struct ompi_win_t*;

struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int _cancelled;
  std::size_t _ucount;
};

/* Predefined handles: addresses in the program of the rank that calls. */
#define MPI_OP_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x20))
#define MPI_SUM (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x21))
#define MPI_MIN (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x22))
#define MPI_MAX (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x23))
#define MPI_PROD (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x24))
#define MPI_BAND (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x28))
#define MPI_BOR (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x29))
#define MPI_BXOR (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x2a))
#define MPI_LAND (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x30))
#define MPI_LOR (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x31))
#define MPI_LXOR (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x32))
#define MPI_MINLOC (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x38))
#define MPI_MAXLOC (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x39))
#define MPI_REPLACE (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x3c))
#define MPI_NO_OP (terrace::threadranks::mpi::predefined_handle<MPI_Op>(0x3d))
#define MPI_COMM_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Comm>(0x100))
#define MPI_COMM_WORLD (terrace::threadranks::mpi::predefined_handle<MPI_Comm>(0x101))
#define MPI_COMM_SELF (terrace::threadranks::mpi::predefined_handle<MPI_Comm>(0x102))
#define MPI_GROUP_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Group>(0x108))
#define MPI_GROUP_EMPTY (terrace::threadranks::mpi::predefined_handle<MPI_Group>(0x109))
#define MPI_WIN_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Win>(0x110))
#define MPI_FILE_NULL (terrace::threadranks::mpi::predefined_handle<MPI_File>(0x118))
#define MPI_SESSION_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Session>(0x120))
#define MPI_MESSAGE_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Message>(0x128))
#define MPI_MESSAGE_NO_PROC (terrace::threadranks::mpi::predefined_handle<MPI_Message>(0x129))
#define MPI_INFO_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Info>(0x130))
#define MPI_INFO_ENV (terrace::threadranks::mpi::predefined_handle<MPI_Info>(0x131))
#define MPI_ERRHANDLER_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Errhandler>(0x140))
#define MPI_ERRORS_ARE_FATAL (terrace::threadranks::mpi::predefined_handle<MPI_Errhandler>(0x141))
#define MPI_ERRORS_ABORT (terrace::threadranks::mpi::predefined_handle<MPI_Errhandler>(0x142))
#define MPI_ERRORS_RETURN (terrace::threadranks::mpi::predefined_handle<MPI_Errhandler>(0x143))
#define MPI_REQUEST_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Request>(0x180))
#define MPI_DATATYPE_NULL (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x200))
#define MPI_AINT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x201))
#define MPI_COUNT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x202))
#define MPI_OFFSET (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x203))
#define MPI_PACKED (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x207))
#define MPI_SHORT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x208))
#define MPI_INT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x209))
#define MPI_LONG (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x20a))
#define MPI_LONG_LONG (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x20b))
#define MPI_UNSIGNED_SHORT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x20c))
#define MPI_UNSIGNED (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x20d))
#define MPI_UNSIGNED_LONG (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x20e))
#define MPI_UNSIGNED_LONG_LONG (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x20f))
#define MPI_FLOAT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x210))
#define MPI_C_FLOAT_COMPLEX (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x212))
#define MPI_CXX_FLOAT_COMPLEX (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x213))
#define MPI_DOUBLE (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x214))
#define MPI_C_DOUBLE_COMPLEX (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x216))
#define MPI_CXX_DOUBLE_COMPLEX (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x217))
#define MPI_LOGICAL (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x218))
#define MPI_INTEGER (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x219))
#define MPI_REAL (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x21a))
#define MPI_COMPLEX (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x21b))
#define MPI_DOUBLE_PRECISION (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x21c))
#define MPI_DOUBLE_COMPLEX (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x21d))
#define MPI_CHARACTER (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x21e))
#define MPI_LONG_DOUBLE (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x220))
#define MPI_C_LONG_DOUBLE_COMPLEX \
  (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x224))
#define MPI_CXX_LONG_DOUBLE_COMPLEX \
  (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x225))
#define MPI_FLOAT_INT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x228))
#define MPI_DOUBLE_INT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x229))
#define MPI_LONG_INT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x22a))
#define MPI_2INT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x22b))
#define MPI_SHORT_INT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x22c))
#define MPI_LONG_DOUBLE_INT (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x22d))
#define MPI_2REAL (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x230))
#define MPI_2DOUBLE_PRECISION (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x231))
#define MPI_2INTEGER (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x232))
#define MPI_C_BOOL (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x238))
#define MPI_CXX_BOOL (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x239))
#define MPI_WCHAR (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x23c))
#define MPI_INT8_T (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x240))
#define MPI_UINT8_T (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x241))
#define MPI_CHAR (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x243))
#define MPI_SIGNED_CHAR (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x244))
#define MPI_UNSIGNED_CHAR (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x245))
#define MPI_BYTE (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x247))
#define MPI_INT16_T (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x248))
#define MPI_UINT16_T (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x249))
#define MPI_INT32_T (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x250))
#define MPI_UINT32_T (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x251))
#define MPI_INT64_T (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x258))
#define MPI_UINT64_T (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x259))
#define MPI_LOGICAL1 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2c0))
#define MPI_INTEGER1 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2c1))
#define MPI_LOGICAL2 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2c8))
#define MPI_INTEGER2 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2c9))
#define MPI_REAL2 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2ca))
#define MPI_LOGICAL4 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2d0))
#define MPI_INTEGER4 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2d1))
#define MPI_REAL4 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2d2))
#define MPI_COMPLEX4 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2d3))
#define MPI_LOGICAL8 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2d8))
#define MPI_INTEGER8 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2d9))
#define MPI_REAL8 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2da))
#define MPI_COMPLEX8 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2db))
#define MPI_INTEGER16 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2e1))
#define MPI_REAL16 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2e2))
#define MPI_COMPLEX16 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2e3))
#define MPI_COMPLEX32 (terrace::threadranks::mpi::predefined_handle<MPI_Datatype>(0x2eb))
#define MPI_LONG_LONG_INT MPI_LONG_LONG

enum {
  MPI_SUCCESS = 0,
  MPI_ERR_BUFFER = 1,
  MPI_ERR_COUNT = 2,
  MPI_ERR_TYPE = 3,
  MPI_ERR_TAG = 4,
  MPI_ERR_COMM = 5,
  MPI_ERR_RANK = 6,
  MPI_ERR_REQUEST = 7,
  MPI_ERR_ROOT = 8,
  MPI_ERR_GROUP = 9,
  MPI_ERR_OP = 10,
  MPI_ERR_TOPOLOGY = 11,
  MPI_ERR_DIMS = 12,
  MPI_ERR_ARG = 13,
  MPI_ERR_UNKNOWN = 14,
  MPI_ERR_TRUNCATE = 15,
  MPI_ERR_OTHER = 16,
  MPI_ERR_INTERN = 17,
  MPI_ERR_PENDING = 19,
  MPI_ERR_IN_STATUS = 18,
  MPI_ERR_ACCESS = 20,
  MPI_ERR_AMODE = 21,
  MPI_ERR_ASSERT = 22,
  MPI_ERR_BAD_FILE = 23,
  MPI_ERR_BASE = 24,
  MPI_ERR_CONVERSION = 25,
  MPI_ERR_DISP = 26,
  MPI_ERR_DUP_DATAREP = 27,
  MPI_ERR_FILE_EXISTS = 28,
  MPI_ERR_FILE_IN_USE = 29,
  MPI_ERR_FILE = 30,
  MPI_ERR_INFO_KEY = 31,
  MPI_ERR_INFO_NOKEY = 32,
  MPI_ERR_INFO_VALUE = 33,
  MPI_ERR_INFO = 34,
  MPI_ERR_IO = 35,
  MPI_ERR_KEYVAL = 36,
  MPI_ERR_LOCKTYPE = 37,
  MPI_ERR_NAME = 38,
  MPI_ERR_NO_MEM = 39,
  MPI_ERR_NOT_SAME = 40,
  MPI_ERR_NO_SPACE = 41,
  MPI_ERR_NO_SUCH_FILE = 42,
  MPI_ERR_PORT = 43,
  MPI_ERR_QUOTA = 44,
  MPI_ERR_READ_ONLY = 45,
  MPI_ERR_RMA_ATTACH = 69,
  MPI_ERR_RMA_CONFLICT = 46,
  MPI_ERR_RMA_RANGE = 68,
  MPI_ERR_RMA_SHARED = 71,
  MPI_ERR_RMA_SYNC = 47,
  MPI_ERR_SERVICE = 48,
  MPI_ERR_SIZE = 49,
  MPI_ERR_SPAWN = 50,
  MPI_ERR_UNSUPPORTED_DATAREP = 51,
  MPI_ERR_UNSUPPORTED_OPERATION = 52,
  MPI_ERR_WIN = 53,
  MPI_ERR_RMA_FLAVOR = 70,
  MPI_ERR_PROC_ABORTED = 74,
  MPI_ERR_VALUE_TOO_LARGE = 79,
  MPI_ERR_SESSION = 78,
  MPI_ERR_ERRHANDLER = 80,
  MPI_ERR_ABI = 81,
  MPI_T_ERR_NOT_INITIALIZED = 55,
  MPI_T_ERR_INVALID_INDEX = 57,
  MPI_T_ERR_INVALID_HANDLE = 59,
  MPI_T_ERR_INVALID_SESSION = 62,
  MPI_T_ERR_CVAR_SET_NEVER = 64,
  MPI_T_ERR_PVAR_NO_STARTSTOP = 65,
  MPI_T_ERR_INVALID_NAME = 73,
  MPI_T_ERR_INVALID = 72,
  MPI_T_ERR_NOT_SUPPORTED = 82,
  MPI_ERR_LASTCODE = 92,
};

enum {
  MPI_T_VERBOSITY_USER_BASIC = 0,
  MPI_T_BIND_NO_OBJECT = 0,
  MPI_T_SCOPE_CONSTANT = 0,
  MPI_T_PVAR_CLASS_COUNTER = 6,
  MPI_T_PVAR_CLASS_AGGREGATE = 7,
};

enum {
  MPI_ANY_SOURCE = -1,
  MPI_ANY_TAG = -1,
  MPI_PROC_NULL = -2,
  MPI_ROOT = -4,
  MPI_UNDEFINED = -32766,
};

enum {
  MPI_THREAD_SINGLE = 0,
  MPI_THREAD_FUNNELED = 1,
  MPI_THREAD_SERIALIZED = 2,
  MPI_THREAD_MULTIPLE = 3,
  MPI_ORDER_C = 0,
  MPI_ORDER_FORTRAN = 1,
  MPI_DISTRIBUTE_NONE = 2,
  MPI_DISTRIBUTE_BLOCK = 0,
  MPI_DISTRIBUTE_CYCLIC = 1,
  MPI_DISTRIBUTE_DFLT_DARG = -1,
  MPI_COMBINER_NAMED = 0,
  MPI_COMBINER_DUP = 1,
  MPI_COMBINER_CONTIGUOUS = 2,
  MPI_COMBINER_VECTOR = 3,
  MPI_COMBINER_HVECTOR = 5,
  MPI_COMBINER_INDEXED = 6,
  MPI_COMBINER_HINDEXED = 8,
  MPI_COMBINER_INDEXED_BLOCK = 9,
  MPI_COMBINER_HINDEXED_BLOCK = 18,
  MPI_COMBINER_STRUCT = 11,
  MPI_COMBINER_SUBARRAY = 12,
  MPI_COMBINER_DARRAY = 13,
  MPI_COMBINER_F90_REAL = 14,
  MPI_COMBINER_F90_COMPLEX = 15,
  MPI_COMBINER_F90_INTEGER = 16,
  MPI_COMBINER_RESIZED = 17,
  MPI_COMBINER_VALUE_INDEX = 19,
  MPI_TYPECLASS_INTEGER = 1,
  MPI_TYPECLASS_REAL = 2,
  MPI_TYPECLASS_COMPLEX = 3,
  MPI_IDENT = 0,
  MPI_CONGRUENT = 1,
  MPI_SIMILAR = 2,
  MPI_UNEQUAL = 3,
  MPI_CART = 1,
  MPI_GRAPH = 2,
  MPI_DIST_GRAPH = 3,
  MPI_COMM_TYPE_SHARED = 0,
  OMPI_COMM_TYPE_HWTHREAD = 1,
  OMPI_COMM_TYPE_CORE = 2,
  OMPI_COMM_TYPE_L1CACHE = 3,
  OMPI_COMM_TYPE_L2CACHE = 4,
  OMPI_COMM_TYPE_L3CACHE = 5,
  OMPI_COMM_TYPE_SOCKET = 6,
  OMPI_COMM_TYPE_NUMA = 7,
  OMPI_COMM_TYPE_BOARD = 8,
  OMPI_COMM_TYPE_HOST = 9,
  OMPI_COMM_TYPE_CU = 10,
  OMPI_COMM_TYPE_CLUSTER = 11,
  MPI_COMM_TYPE_HW_UNGUIDED = 12,
  MPI_COMM_TYPE_HW_GUIDED = 13,
  MPI_COMM_TYPE_RESOURCE_GUIDED = 14,
};

enum {
  MPI_KEYVAL_INVALID = -1,
  MPI_TAG_UB = 0,
  MPI_IO = 2,
  MPI_HOST = 1,
  MPI_WTIME_IS_GLOBAL = 3,
  MPI_APPNUM = 4,
  MPI_LASTUSEDCODE = 5,
  MPI_UNIVERSE_SIZE = 6,
  MPI_WIN_BASE = 7,
  MPI_WIN_SIZE = 8,
  MPI_WIN_DISP_UNIT = 9,
  MPI_WIN_CREATE_FLAVOR = 10,
  MPI_WIN_MODEL = 11,
};

enum {
  MPI_WIN_FLAVOR_CREATE = 1,
  MPI_WIN_FLAVOR_ALLOCATE = 2,
  MPI_WIN_FLAVOR_DYNAMIC = 3,
  MPI_WIN_FLAVOR_SHARED = 4,
  MPI_WIN_UNIFIED = 0,
  MPI_LOCK_EXCLUSIVE = 1,
  MPI_LOCK_SHARED = 2,
  MPI_MODE_NOCHECK = 1,
  MPI_MODE_NOSTORE = 8,
  MPI_MODE_NOPUT = 4,
  MPI_MODE_NOPRECEDE = 2,
  MPI_MODE_NOSUCCEED = 16,
};

enum {
  MPI_MODE_CREATE = 1,
  MPI_MODE_RDONLY = 2,
  MPI_MODE_WRONLY = 4,
  MPI_MODE_RDWR = 8,
  MPI_MODE_DELETE_ON_CLOSE = 16,
  MPI_MODE_UNIQUE_OPEN = 32,
  MPI_MODE_EXCL = 64,
  MPI_MODE_APPEND = 128,
  MPI_MODE_SEQUENTIAL = 256,
  MPI_SEEK_SET = 600,
  MPI_SEEK_CUR = 602,
  MPI_SEEK_END = 604,
  MPI_DISPLACEMENT_CURRENT = -54278278,
};

#define MPI_BUFFER_AUTOMATIC (reinterpret_cast<void*>(4))
#define MPI_BOTTOM (static_cast<void*>(nullptr))
#define MPI_IN_PLACE (reinterpret_cast<void*>(1))
#define MPI_STATUS_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_STATUSES_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_UNWEIGHTED (reinterpret_cast<int*>(2))
#define MPI_WEIGHTS_EMPTY (reinterpret_cast<int*>(3))

inline constexpr int MPI_MAX_DATAREP_STRING = 128;
inline constexpr int MPI_MAX_ERROR_STRING = 256;
inline constexpr int MPI_MAX_INFO_KEY = 36;
inline constexpr int MPI_MAX_INFO_VAL = 256;
inline constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 256;
inline constexpr int MPI_MAX_OBJECT_NAME = 64;
inline constexpr int MPI_MAX_PROCESSOR_NAME = 256;

extern "C" {

#include <callbacks.h>

#define MPI_T_ENUM_NULL (static_cast<MPI_T_enum>(nullptr))
#define MPI_T_CVAR_HANDLE_NULL (static_cast<MPI_T_cvar_handle>(nullptr))
#define MPI_T_PVAR_SESSION_NULL (static_cast<MPI_T_pvar_session>(nullptr))
#define MPI_T_PVAR_HANDLE_NULL (static_cast<MPI_T_pvar_handle>(nullptr))
#define MPI_T_PVAR_ALL_HANDLES (reinterpret_cast<MPI_T_pvar_handle>(-1))
extern MPI_Fint* MPI_F_STATUS_IGNORE;
extern MPI_Fint* MPI_F_STATUSES_IGNORE;

// What programs name MPI_COMM_DUP_FN and so on.
#define TERRACE_OF_ATTRIBUTES(KIND, Handle)                                    \
  int OMPI_C_MPI_##KIND##DUP_FN(Handle, int, void*, void*, void*, int*);       \
  int OMPI_C_MPI_##KIND##NULL_COPY_FN(Handle, int, void*, void*, void*, int*); \
  int OMPI_C_MPI_##KIND##NULL_DELETE_FN(Handle, int, void*, void*);
TERRACE_OF_ATTRIBUTES(, MPI_Comm)
TERRACE_OF_ATTRIBUTES(COMM_, MPI_Comm)
TERRACE_OF_ATTRIBUTES(TYPE_, MPI_Datatype)
TERRACE_OF_ATTRIBUTES(WIN_, MPI_Win)
#undef TERRACE_OF_ATTRIBUTES
#define MPI_COMM_NULL_COPY_FN (&OMPI_C_MPI_COMM_NULL_COPY_FN)
#define MPI_COMM_NULL_DELETE_FN (&OMPI_C_MPI_COMM_NULL_DELETE_FN)
#define MPI_COMM_DUP_FN (&OMPI_C_MPI_COMM_DUP_FN)
#define MPI_TYPE_DUP_FN (&OMPI_C_MPI_TYPE_DUP_FN)

#define TERRACE_MPI_FUNCTION(result, name, parameters) \
  result MPI_##name parameters;                        \
  result PMPI_##name parameters;
#include <functions.h>
#undef TERRACE_MPI_FUNCTION
int MPI_Pcontrol(const int, ...);
int PMPI_Pcontrol(const int, ...);
}
