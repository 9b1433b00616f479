// SPDX-License-Identifier: BSD-3-Clause
// Says what Open MPI's predefined objects are, by rank 0: their numbers in Fortran, which lead back
// to them, and types' names and sizes.
#include <mpi.h>
#include <stdio.h>

#define SAY(kind, name)                               \
  printf("%s %d %d\n", #name, MPI_##kind##_c2f(name), \
         MPI_##kind##_f2c(MPI_##kind##_c2f(name)) == name)

static void say_type(const char* text, MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0, size = 0;
  MPI_Type_get_name(type, name, &length);
  MPI_Type_size(type, &size);
  printf("%s %d %d %s %d\n", text, MPI_Type_c2f(type), MPI_Type_f2c(MPI_Type_c2f(type)) == type,
         name, size);
}
#define SAY_TYPE(name) say_type(#name, name)

static void say_objects(void) {
  SAY(Op, MPI_OP_NULL);
  SAY(Op, MPI_SUM);
  SAY(Op, MPI_MIN);
  SAY(Op, MPI_MAX);
  SAY(Op, MPI_PROD);
  SAY(Op, MPI_BAND);
  SAY(Op, MPI_BOR);
  SAY(Op, MPI_BXOR);
  SAY(Op, MPI_LAND);
  SAY(Op, MPI_LOR);
  SAY(Op, MPI_LXOR);
  SAY(Op, MPI_MINLOC);
  SAY(Op, MPI_MAXLOC);
  SAY(Op, MPI_REPLACE);
  SAY(Op, MPI_NO_OP);
  SAY(Comm, MPI_COMM_NULL);
  SAY(Comm, MPI_COMM_WORLD);
  SAY(Comm, MPI_COMM_SELF);
  SAY(Group, MPI_GROUP_NULL);
  SAY(Group, MPI_GROUP_EMPTY);
  SAY(Win, MPI_WIN_NULL);
  SAY(Message, MPI_MESSAGE_NULL);
  SAY(Message, MPI_MESSAGE_NO_PROC);
  SAY(Info, MPI_INFO_NULL);
  SAY(Info, MPI_INFO_ENV);
  SAY(Errhandler, MPI_ERRHANDLER_NULL);
  SAY(Errhandler, MPI_ERRORS_ARE_FATAL);
  SAY(Errhandler, MPI_ERRORS_RETURN);
  SAY(Request, MPI_REQUEST_NULL);
}

static void say_types(void) {
  SAY_TYPE(MPI_AINT);
  SAY_TYPE(MPI_COUNT);
  SAY_TYPE(MPI_OFFSET);
  SAY_TYPE(MPI_PACKED);
  SAY_TYPE(MPI_SHORT);
  SAY_TYPE(MPI_INT);
  SAY_TYPE(MPI_LONG);
  SAY_TYPE(MPI_LONG_LONG);
  SAY_TYPE(MPI_UNSIGNED_SHORT);
  SAY_TYPE(MPI_UNSIGNED);
  SAY_TYPE(MPI_UNSIGNED_LONG);
  SAY_TYPE(MPI_UNSIGNED_LONG_LONG);
  SAY_TYPE(MPI_FLOAT);
  SAY_TYPE(MPI_C_FLOAT_COMPLEX);
  SAY_TYPE(MPI_CXX_FLOAT_COMPLEX);
  SAY_TYPE(MPI_DOUBLE);
  SAY_TYPE(MPI_C_DOUBLE_COMPLEX);
  SAY_TYPE(MPI_CXX_DOUBLE_COMPLEX);
}

static void say_more_types(void) {
  SAY_TYPE(MPI_LOGICAL);
  SAY_TYPE(MPI_INTEGER);
  SAY_TYPE(MPI_REAL);
  SAY_TYPE(MPI_COMPLEX);
  SAY_TYPE(MPI_DOUBLE_PRECISION);
  SAY_TYPE(MPI_DOUBLE_COMPLEX);
  SAY_TYPE(MPI_CHARACTER);
  SAY_TYPE(MPI_LONG_DOUBLE);
  SAY_TYPE(MPI_C_LONG_DOUBLE_COMPLEX);
  SAY_TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX);
  SAY_TYPE(MPI_FLOAT_INT);
  SAY_TYPE(MPI_DOUBLE_INT);
  SAY_TYPE(MPI_LONG_INT);
  SAY_TYPE(MPI_2INT);
  SAY_TYPE(MPI_SHORT_INT);
  SAY_TYPE(MPI_LONG_DOUBLE_INT);
  SAY_TYPE(MPI_2REAL);
  SAY_TYPE(MPI_2DOUBLE_PRECISION);
  SAY_TYPE(MPI_2INTEGER);
  SAY_TYPE(MPI_C_BOOL);
  SAY_TYPE(MPI_CXX_BOOL);
  SAY_TYPE(MPI_WCHAR);
  SAY_TYPE(MPI_INT8_T);
  SAY_TYPE(MPI_UINT8_T);
  SAY_TYPE(MPI_CHAR);
  SAY_TYPE(MPI_SIGNED_CHAR);
  SAY_TYPE(MPI_UNSIGNED_CHAR);
  SAY_TYPE(MPI_BYTE);
  SAY_TYPE(MPI_INT16_T);
  SAY_TYPE(MPI_UINT16_T);
  SAY_TYPE(MPI_INT32_T);
  SAY_TYPE(MPI_UINT32_T);
  SAY_TYPE(MPI_INT64_T);
  SAY_TYPE(MPI_UINT64_T);
  SAY_TYPE(MPI_LOGICAL1);
  SAY_TYPE(MPI_INTEGER1);
  SAY_TYPE(MPI_LOGICAL2);
  SAY_TYPE(MPI_INTEGER2);
  SAY_TYPE(MPI_LOGICAL4);
  SAY_TYPE(MPI_INTEGER4);
  SAY_TYPE(MPI_REAL4);
  SAY_TYPE(MPI_LOGICAL8);
  SAY_TYPE(MPI_INTEGER8);
  SAY_TYPE(MPI_REAL8);
  SAY_TYPE(MPI_COMPLEX8);
  SAY_TYPE(MPI_REAL16);
  SAY_TYPE(MPI_COMPLEX16);
  SAY_TYPE(MPI_COMPLEX32);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) say_objects();
  if (rank == 0) say_types();
  if (rank == 0) say_more_types();
  MPI_Finalize();
  return 0;
}
