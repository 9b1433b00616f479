/* SPDX-License-Identifier: BSD-3-Clause */
/* Every function of MPI 5.0, by result, name and types: the one list from which the declarations of
 * mpi.h, the functions of our libraries that say that they are missing, and the page
 * docs/reference/thread-ranks-functions.md are made. A file that includes it defines
 * TERRACE_MPI_FUNCTION(result, name, parameters). Pcontrol, which takes any arguments, is apart. */
/* clang-format off */
TERRACE_MPI_FUNCTION(int, Abi_get_fortran_booleans, (int, void*, void*, int*))
TERRACE_MPI_FUNCTION(int, Abi_get_fortran_info, (MPI_Info*))
TERRACE_MPI_FUNCTION(int, Abi_get_info, (MPI_Info*))
TERRACE_MPI_FUNCTION(int, Abi_get_version, (int*, int*))
TERRACE_MPI_FUNCTION(int, Abi_set_fortran_booleans, (int, void*, void*))
TERRACE_MPI_FUNCTION(int, Abi_set_fortran_info, (MPI_Info))
TERRACE_MPI_FUNCTION(int, Abort, (MPI_Comm, int))
TERRACE_MPI_FUNCTION(int, Accumulate,
  (const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win))
TERRACE_MPI_FUNCTION(int, Accumulate_c,
  (const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op,
   MPI_Win))
TERRACE_MPI_FUNCTION(int, Add_error_class, (int*))
TERRACE_MPI_FUNCTION(int, Add_error_code, (int, int*))
TERRACE_MPI_FUNCTION(int, Add_error_string, (int, const char*))
TERRACE_MPI_FUNCTION(MPI_Aint, Aint_add, (MPI_Aint, MPI_Aint))
TERRACE_MPI_FUNCTION(MPI_Aint, Aint_diff, (MPI_Aint, MPI_Aint))
TERRACE_MPI_FUNCTION(int, Allgather,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Allgather_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Allgather_init,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Allgather_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Allgatherv,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Allgatherv_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   MPI_Comm))
TERRACE_MPI_FUNCTION(int, Allgatherv_init,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm,
   MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Allgatherv_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Alloc_mem, (MPI_Aint, MPI_Info, void*))
TERRACE_MPI_FUNCTION(int, Allreduce, (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Allreduce_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Allreduce_init,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Allreduce_init_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Alltoall,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Alltoall_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Alltoall_init,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Alltoall_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Alltoallv,
  (const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
   MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Alltoallv_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*, const
   MPI_Aint*, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Alltoallv_init,
  (const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
   MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Alltoallv_init_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*, const
   MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Alltoallw,
  (const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
   const MPI_Datatype*, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Alltoallw_c,
  (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*, const MPI_Count*,
   const MPI_Aint*, const MPI_Datatype*, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Alltoallw_init,
  (const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
   const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Alltoallw_init_c,
  (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*, const MPI_Count*,
   const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Attr_delete, (MPI_Comm, int))
TERRACE_MPI_FUNCTION(int, Attr_get, (MPI_Comm, int, void*, int*))
TERRACE_MPI_FUNCTION(int, Attr_put, (MPI_Comm, int, void*))
TERRACE_MPI_FUNCTION(int, Barrier, (MPI_Comm))
TERRACE_MPI_FUNCTION(int, Barrier_init, (MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Bcast, (void*, int, MPI_Datatype, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Bcast_c, (void*, MPI_Count, MPI_Datatype, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Bcast_init,
  (void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Bcast_init_c,
  (void*, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Bsend, (const void*, int, MPI_Datatype, int, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Bsend_c, (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Bsend_init,
  (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Bsend_init_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Buffer_attach, (void*, int))
TERRACE_MPI_FUNCTION(int, Buffer_attach_c, (void*, MPI_Count))
TERRACE_MPI_FUNCTION(int, Buffer_detach, (void*, int*))
TERRACE_MPI_FUNCTION(int, Buffer_detach_c, (void*, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Buffer_flush, (void))
TERRACE_MPI_FUNCTION(int, Buffer_iflush, (MPI_Request*))
TERRACE_MPI_FUNCTION(int, Cancel, (MPI_Request*))
TERRACE_MPI_FUNCTION(int, Cart_coords, (MPI_Comm, int, int, int*))
TERRACE_MPI_FUNCTION(int, Cart_create, (MPI_Comm, int, const int*, const int*, int, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Cart_get, (MPI_Comm, int, int*, int*, int*))
TERRACE_MPI_FUNCTION(int, Cart_map, (MPI_Comm, int, const int*, const int*, int*))
TERRACE_MPI_FUNCTION(int, Cart_rank, (MPI_Comm, const int*, int*))
TERRACE_MPI_FUNCTION(int, Cart_shift, (MPI_Comm, int, int, int*, int*))
TERRACE_MPI_FUNCTION(int, Cart_sub, (MPI_Comm, const int*, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Cartdim_get, (MPI_Comm, int*))
TERRACE_MPI_FUNCTION(int, Close_port, (const char*))
TERRACE_MPI_FUNCTION(int, Comm_accept, (const char*, MPI_Info, int, MPI_Comm, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_attach_buffer, (MPI_Comm, void*, int))
TERRACE_MPI_FUNCTION(int, Comm_attach_buffer_c, (MPI_Comm, void*, MPI_Count))
TERRACE_MPI_FUNCTION(MPI_Fint, Comm_c2f, (MPI_Comm))
TERRACE_MPI_FUNCTION(int, Comm_call_errhandler, (MPI_Comm, int))
TERRACE_MPI_FUNCTION(int, Comm_compare, (MPI_Comm, MPI_Comm, int*))
TERRACE_MPI_FUNCTION(int, Comm_connect, (const char*, MPI_Info, int, MPI_Comm, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_create, (MPI_Comm, MPI_Group, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_create_errhandler, (MPI_Comm_errhandler_function*, MPI_Errhandler*))
TERRACE_MPI_FUNCTION(int, Comm_create_from_group,
  (MPI_Group, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_create_group, (MPI_Comm, MPI_Group, int, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_create_keyval,
  (MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int*, void*))
TERRACE_MPI_FUNCTION(int, Comm_delete_attr, (MPI_Comm, int))
TERRACE_MPI_FUNCTION(int, Comm_detach_buffer, (MPI_Comm, void*, int*))
TERRACE_MPI_FUNCTION(int, Comm_detach_buffer_c, (MPI_Comm, void*, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Comm_disconnect, (MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_dup, (MPI_Comm, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_dup_with_info, (MPI_Comm, MPI_Info, MPI_Comm*))
TERRACE_MPI_FUNCTION(MPI_Comm, Comm_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Comm_flush_buffer, (MPI_Comm))
TERRACE_MPI_FUNCTION(int, Comm_free, (MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_free_keyval, (int*))
TERRACE_MPI_FUNCTION(MPI_Comm, Comm_fromint, (int))
TERRACE_MPI_FUNCTION(int, Comm_get_attr, (MPI_Comm, int, void*, int*))
TERRACE_MPI_FUNCTION(int, Comm_get_errhandler, (MPI_Comm, MPI_Errhandler*))
TERRACE_MPI_FUNCTION(int, Comm_get_info, (MPI_Comm, MPI_Info*))
TERRACE_MPI_FUNCTION(int, Comm_get_name, (MPI_Comm, char*, int*))
TERRACE_MPI_FUNCTION(int, Comm_get_parent, (MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_group, (MPI_Comm, MPI_Group*))
TERRACE_MPI_FUNCTION(int, Comm_idup, (MPI_Comm, MPI_Comm*, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Comm_idup_with_info, (MPI_Comm, MPI_Info, MPI_Comm*, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Comm_iflush_buffer, (MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Comm_join, (int, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_rank, (MPI_Comm, int*))
TERRACE_MPI_FUNCTION(int, Comm_remote_group, (MPI_Comm, MPI_Group*))
TERRACE_MPI_FUNCTION(int, Comm_remote_size, (MPI_Comm, int*))
TERRACE_MPI_FUNCTION(int, Comm_set_attr, (MPI_Comm, int, void*))
TERRACE_MPI_FUNCTION(int, Comm_set_errhandler, (MPI_Comm, MPI_Errhandler))
TERRACE_MPI_FUNCTION(int, Comm_set_info, (MPI_Comm, MPI_Info))
TERRACE_MPI_FUNCTION(int, Comm_set_name, (MPI_Comm, const char*))
TERRACE_MPI_FUNCTION(int, Comm_size, (MPI_Comm, int*))
TERRACE_MPI_FUNCTION(int, Comm_spawn,
  (const char*, char**, int, MPI_Info, int, MPI_Comm, MPI_Comm*, int*))
TERRACE_MPI_FUNCTION(int, Comm_spawn_multiple,
  (int, char**, char***, const int*, const MPI_Info*, int, MPI_Comm, MPI_Comm*, int*))
TERRACE_MPI_FUNCTION(int, Comm_split, (MPI_Comm, int, int, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_split_type, (MPI_Comm, int, int, MPI_Info, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Comm_test_inter, (MPI_Comm, int*))
TERRACE_MPI_FUNCTION(int, Comm_toint, (MPI_Comm))
TERRACE_MPI_FUNCTION(int, Compare_and_swap,
  (const void*, const void*, void*, MPI_Datatype, int, MPI_Aint, MPI_Win))
TERRACE_MPI_FUNCTION(int, Dims_create, (int, int, int*))
TERRACE_MPI_FUNCTION(int, Dist_graph_create,
  (MPI_Comm, int, const int*, const int*, const int*, const int*, MPI_Info, int, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Dist_graph_create_adjacent,
  (MPI_Comm, int, const int*, const int*, int, const int*, const int*, MPI_Info, int,
   MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Dist_graph_neighbors, (MPI_Comm, int, int*, int*, int, int*, int*))
TERRACE_MPI_FUNCTION(int, Dist_graph_neighbors_count, (MPI_Comm, int*, int*, int*))
TERRACE_MPI_FUNCTION(MPI_Fint, Errhandler_c2f, (MPI_Errhandler))
TERRACE_MPI_FUNCTION(MPI_Errhandler, Errhandler_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Errhandler_free, (MPI_Errhandler*))
TERRACE_MPI_FUNCTION(MPI_Errhandler, Errhandler_fromint, (int))
TERRACE_MPI_FUNCTION(int, Errhandler_toint, (MPI_Errhandler))
TERRACE_MPI_FUNCTION(int, Error_class, (int, int*))
TERRACE_MPI_FUNCTION(int, Error_string, (int, char*, int*))
TERRACE_MPI_FUNCTION(int, Exscan, (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Exscan_c, (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Exscan_init,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Exscan_init_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Fetch_and_op,
  (const void*, void*, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win))
TERRACE_MPI_FUNCTION(MPI_Fint, File_c2f, (MPI_File))
TERRACE_MPI_FUNCTION(int, File_call_errhandler, (MPI_File, int))
TERRACE_MPI_FUNCTION(int, File_close, (MPI_File*))
TERRACE_MPI_FUNCTION(int, File_create_errhandler, (MPI_File_errhandler_function*, MPI_Errhandler*))
TERRACE_MPI_FUNCTION(int, File_delete, (const char*, MPI_Info))
TERRACE_MPI_FUNCTION(MPI_File, File_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(MPI_File, File_fromint, (int))
TERRACE_MPI_FUNCTION(int, File_get_amode, (MPI_File, int*))
TERRACE_MPI_FUNCTION(int, File_get_atomicity, (MPI_File, int*))
TERRACE_MPI_FUNCTION(int, File_get_byte_offset, (MPI_File, MPI_Offset, MPI_Offset*))
TERRACE_MPI_FUNCTION(int, File_get_errhandler, (MPI_File, MPI_Errhandler*))
TERRACE_MPI_FUNCTION(int, File_get_group, (MPI_File, MPI_Group*))
TERRACE_MPI_FUNCTION(int, File_get_info, (MPI_File, MPI_Info*))
TERRACE_MPI_FUNCTION(int, File_get_position, (MPI_File, MPI_Offset*))
TERRACE_MPI_FUNCTION(int, File_get_position_shared, (MPI_File, MPI_Offset*))
TERRACE_MPI_FUNCTION(int, File_get_size, (MPI_File, MPI_Offset*))
TERRACE_MPI_FUNCTION(int, File_get_type_extent, (MPI_File, MPI_Datatype, MPI_Aint*))
TERRACE_MPI_FUNCTION(int, File_get_type_extent_c, (MPI_File, MPI_Datatype, MPI_Count*))
TERRACE_MPI_FUNCTION(int, File_get_view,
  (MPI_File, MPI_Offset*, MPI_Datatype*, MPI_Datatype*, char*))
TERRACE_MPI_FUNCTION(int, File_iread, (MPI_File, void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_all, (MPI_File, void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_all_c,
  (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_at,
  (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_at_all,
  (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_at_all_c,
  (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_at_c,
  (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_c, (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_shared, (MPI_File, void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iread_shared_c,
  (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite, (MPI_File, const void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_all, (MPI_File, const void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_all_c,
  (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_at,
  (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_at_all,
  (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_at_all_c,
  (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_at_c,
  (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_c,
  (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_shared,
  (MPI_File, const void*, int, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_iwrite_shared_c,
  (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TERRACE_MPI_FUNCTION(int, File_open, (MPI_Comm, const char*, int, MPI_Info, MPI_File*))
TERRACE_MPI_FUNCTION(int, File_preallocate, (MPI_File, MPI_Offset))
TERRACE_MPI_FUNCTION(int, File_read, (MPI_File, void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_all, (MPI_File, void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_all_begin, (MPI_File, void*, int, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_read_all_begin_c, (MPI_File, void*, MPI_Count, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_read_all_c, (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_all_end, (MPI_File, void*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_at,
  (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_at_all,
  (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_at_all_begin, (MPI_File, MPI_Offset, void*, int, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_read_at_all_begin_c,
  (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_read_at_all_c,
  (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_at_all_end, (MPI_File, void*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_at_c,
  (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_c, (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_ordered, (MPI_File, void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_ordered_begin, (MPI_File, void*, int, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_read_ordered_begin_c, (MPI_File, void*, MPI_Count, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_read_ordered_c,
  (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_ordered_end, (MPI_File, void*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_shared, (MPI_File, void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_read_shared_c,
  (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_seek, (MPI_File, MPI_Offset, int))
TERRACE_MPI_FUNCTION(int, File_seek_shared, (MPI_File, MPI_Offset, int))
TERRACE_MPI_FUNCTION(int, File_set_atomicity, (MPI_File, int))
TERRACE_MPI_FUNCTION(int, File_set_errhandler, (MPI_File, MPI_Errhandler))
TERRACE_MPI_FUNCTION(int, File_set_info, (MPI_File, MPI_Info))
TERRACE_MPI_FUNCTION(int, File_set_size, (MPI_File, MPI_Offset))
TERRACE_MPI_FUNCTION(int, File_set_view,
  (MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char*, MPI_Info))
TERRACE_MPI_FUNCTION(int, File_sync, (MPI_File))
TERRACE_MPI_FUNCTION(int, File_toint, (MPI_File))
TERRACE_MPI_FUNCTION(int, File_write, (MPI_File, const void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_all, (MPI_File, const void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_all_begin, (MPI_File, const void*, int, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_write_all_begin_c, (MPI_File, const void*, MPI_Count, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_write_all_c,
  (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_all_end, (MPI_File, const void*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_at,
  (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_at_all,
  (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_at_all_begin,
  (MPI_File, MPI_Offset, const void*, int, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_write_at_all_begin_c,
  (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_write_at_all_c,
  (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_at_all_end, (MPI_File, const void*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_at_c,
  (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_c,
  (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_ordered,
  (MPI_File, const void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_ordered_begin, (MPI_File, const void*, int, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_write_ordered_begin_c,
  (MPI_File, const void*, MPI_Count, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, File_write_ordered_c,
  (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_ordered_end, (MPI_File, const void*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_shared,
  (MPI_File, const void*, int, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, File_write_shared_c,
  (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Finalize, (void))
TERRACE_MPI_FUNCTION(int, Finalized, (int*))
TERRACE_MPI_FUNCTION(int, Free_mem, (void*))
TERRACE_MPI_FUNCTION(int, Gather,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Gather_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Gather_init,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Gather_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm,
   MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Gatherv,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Gatherv_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Gatherv_init,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, int, MPI_Comm,
   MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Gatherv_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   int, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Get,
  (void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win))
TERRACE_MPI_FUNCTION(int, Get_accumulate,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
   MPI_Op, MPI_Win))
TERRACE_MPI_FUNCTION(int, Get_accumulate_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Aint,
   MPI_Count, MPI_Datatype, MPI_Op, MPI_Win))
TERRACE_MPI_FUNCTION(int, Get_address, (const void*, MPI_Aint*))
TERRACE_MPI_FUNCTION(int, Get_c,
  (void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win))
TERRACE_MPI_FUNCTION(int, Get_count, (const MPI_Status*, MPI_Datatype, int*))
TERRACE_MPI_FUNCTION(int, Get_count_c, (const MPI_Status*, MPI_Datatype, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Get_elements, (const MPI_Status*, MPI_Datatype, int*))
TERRACE_MPI_FUNCTION(int, Get_elements_c, (const MPI_Status*, MPI_Datatype, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Get_elements_x, (const MPI_Status*, MPI_Datatype, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Get_hw_resource_info, (MPI_Info*))
TERRACE_MPI_FUNCTION(int, Get_library_version, (char*, int*))
TERRACE_MPI_FUNCTION(int, Get_processor_name, (char*, int*))
TERRACE_MPI_FUNCTION(int, Get_version, (int*, int*))
TERRACE_MPI_FUNCTION(int, Graph_create, (MPI_Comm, int, const int*, const int*, int, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Graph_get, (MPI_Comm, int, int, int*, int*))
TERRACE_MPI_FUNCTION(int, Graph_map, (MPI_Comm, int, const int*, const int*, int*))
TERRACE_MPI_FUNCTION(int, Graph_neighbors, (MPI_Comm, int, int, int*))
TERRACE_MPI_FUNCTION(int, Graph_neighbors_count, (MPI_Comm, int, int*))
TERRACE_MPI_FUNCTION(int, Graphdims_get, (MPI_Comm, int*, int*))
TERRACE_MPI_FUNCTION(int, Grequest_complete, (MPI_Request))
TERRACE_MPI_FUNCTION(int, Grequest_start,
  (MPI_Grequest_query_function*, MPI_Grequest_free_function*, MPI_Grequest_cancel_function*,
   void*, MPI_Request*))
TERRACE_MPI_FUNCTION(MPI_Fint, Group_c2f, (MPI_Group))
TERRACE_MPI_FUNCTION(int, Group_compare, (MPI_Group, MPI_Group, int*))
TERRACE_MPI_FUNCTION(int, Group_difference, (MPI_Group, MPI_Group, MPI_Group*))
TERRACE_MPI_FUNCTION(int, Group_excl, (MPI_Group, int, const int*, MPI_Group*))
TERRACE_MPI_FUNCTION(MPI_Group, Group_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Group_free, (MPI_Group*))
TERRACE_MPI_FUNCTION(int, Group_from_session_pset, (MPI_Session, const char*, MPI_Group*))
TERRACE_MPI_FUNCTION(MPI_Group, Group_fromint, (int))
TERRACE_MPI_FUNCTION(int, Group_incl, (MPI_Group, int, const int*, MPI_Group*))
TERRACE_MPI_FUNCTION(int, Group_intersection, (MPI_Group, MPI_Group, MPI_Group*))
TERRACE_MPI_FUNCTION(int, Group_range_excl, (MPI_Group, int, int (*)[3], MPI_Group*))
TERRACE_MPI_FUNCTION(int, Group_range_incl, (MPI_Group, int, int (*)[3], MPI_Group*))
TERRACE_MPI_FUNCTION(int, Group_rank, (MPI_Group, int*))
TERRACE_MPI_FUNCTION(int, Group_size, (MPI_Group, int*))
TERRACE_MPI_FUNCTION(int, Group_toint, (MPI_Group))
TERRACE_MPI_FUNCTION(int, Group_translate_ranks, (MPI_Group, int, const int*, MPI_Group, int*))
TERRACE_MPI_FUNCTION(int, Group_union, (MPI_Group, MPI_Group, MPI_Group*))
TERRACE_MPI_FUNCTION(int, Iallgather,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iallgather_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iallgatherv,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iallgatherv_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iallreduce,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iallreduce_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ialltoall,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ialltoall_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ialltoallv,
  (const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
   MPI_Datatype, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ialltoallv_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*, const
   MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ialltoallw,
  (const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
   const MPI_Datatype*, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ialltoallw_c,
  (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*, const MPI_Count*,
   const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ibarrier, (MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ibcast, (void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ibcast_c, (void*, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ibsend,
  (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ibsend_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iexscan,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iexscan_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Igather,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Igather_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Igatherv,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, int, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Igatherv_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Improbe, (int, int, MPI_Comm, int*, MPI_Message*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Imrecv, (void*, int, MPI_Datatype, MPI_Message*, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Imrecv_c, (void*, MPI_Count, MPI_Datatype, MPI_Message*, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_allgather,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_allgather_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_allgatherv,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_allgatherv_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_alltoall,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_alltoall_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_alltoallv,
  (const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
   MPI_Datatype, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_alltoallv_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*, const
   MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_alltoallw,
  (const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*, const
   MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ineighbor_alltoallw_c,
  (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*, const MPI_Count*,
   const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(MPI_Fint, Info_c2f, (MPI_Info))
TERRACE_MPI_FUNCTION(int, Info_create, (MPI_Info*))
TERRACE_MPI_FUNCTION(int, Info_create_env, (int, char**, MPI_Info*))
TERRACE_MPI_FUNCTION(int, Info_delete, (MPI_Info, const char*))
TERRACE_MPI_FUNCTION(int, Info_dup, (MPI_Info, MPI_Info*))
TERRACE_MPI_FUNCTION(MPI_Info, Info_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Info_free, (MPI_Info*))
TERRACE_MPI_FUNCTION(MPI_Info, Info_fromint, (int))
TERRACE_MPI_FUNCTION(int, Info_get, (MPI_Info, const char*, int, char*, int*))
TERRACE_MPI_FUNCTION(int, Info_get_nkeys, (MPI_Info, int*))
TERRACE_MPI_FUNCTION(int, Info_get_nthkey, (MPI_Info, int, char*))
TERRACE_MPI_FUNCTION(int, Info_get_string, (MPI_Info, const char*, int*, char*, int*))
TERRACE_MPI_FUNCTION(int, Info_get_valuelen, (MPI_Info, const char*, int*, int*))
TERRACE_MPI_FUNCTION(int, Info_set, (MPI_Info, const char*, const char*))
TERRACE_MPI_FUNCTION(int, Info_toint, (MPI_Info))
TERRACE_MPI_FUNCTION(int, Init, (int*, char***))
TERRACE_MPI_FUNCTION(int, Init_thread, (int*, char***, int, int*))
TERRACE_MPI_FUNCTION(int, Initialized, (int*))
TERRACE_MPI_FUNCTION(int, Intercomm_create, (MPI_Comm, int, MPI_Comm, int, int, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Intercomm_create_from_groups,
  (MPI_Group, int, MPI_Group, int, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Intercomm_merge, (MPI_Comm, int, MPI_Comm*))
TERRACE_MPI_FUNCTION(int, Iprobe, (int, int, MPI_Comm, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Irecv, (void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Irecv_c,
  (void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ireduce,
  (const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ireduce_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ireduce_scatter,
  (const void*, void*, const int*, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ireduce_scatter_block,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ireduce_scatter_block_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ireduce_scatter_c,
  (const void*, void*, const MPI_Count*, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Irsend,
  (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Irsend_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Is_thread_main, (int*))
TERRACE_MPI_FUNCTION(int, Iscan,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iscan_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iscatter,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iscatter_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iscatterv,
  (const void*, const int*, const int*, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Iscatterv_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
   int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Isend, (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Isend_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Isendrecv,
  (const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Isendrecv_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, void*, MPI_Count, MPI_Datatype, int, int,
   MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Isendrecv_replace,
  (void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Isendrecv_replace_c,
  (void*, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Issend,
  (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Issend_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Keyval_create, (MPI_Copy_function*, MPI_Delete_function*, int*, void*))
TERRACE_MPI_FUNCTION(int, Keyval_free, (int*))
TERRACE_MPI_FUNCTION(int, Lookup_name, (const char*, MPI_Info, char*))
TERRACE_MPI_FUNCTION(MPI_Fint, Message_c2f, (MPI_Message))
TERRACE_MPI_FUNCTION(MPI_Message, Message_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(MPI_Message, Message_fromint, (int))
TERRACE_MPI_FUNCTION(int, Message_toint, (MPI_Message))
TERRACE_MPI_FUNCTION(int, Mprobe, (int, int, MPI_Comm, MPI_Message*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Mrecv, (void*, int, MPI_Datatype, MPI_Message*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Mrecv_c, (void*, MPI_Count, MPI_Datatype, MPI_Message*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Neighbor_allgather,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_allgather_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_allgather_init,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_allgather_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_allgatherv,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_allgatherv_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_allgatherv_init,
  (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm,
   MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_allgatherv_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
   MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoall,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoall_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoall_init,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoall_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoallv,
  (const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
   MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoallv_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*, const
   MPI_Aint*, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoallv_init,
  (const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
   MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoallv_init_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*, const
   MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoallw,
  (const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*, const
   MPI_Aint*, const MPI_Datatype*, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoallw_c,
  (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*, const MPI_Count*,
   const MPI_Aint*, const MPI_Datatype*, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoallw_init,
  (const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*, const
   MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Neighbor_alltoallw_init_c,
  (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*, const MPI_Count*,
   const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(MPI_Fint, Op_c2f, (MPI_Op))
TERRACE_MPI_FUNCTION(int, Op_commutative, (MPI_Op, int*))
TERRACE_MPI_FUNCTION(int, Op_create, (MPI_User_function*, int, MPI_Op*))
TERRACE_MPI_FUNCTION(int, Op_create_c, (MPI_User_function_c*, int, MPI_Op*))
TERRACE_MPI_FUNCTION(MPI_Op, Op_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Op_free, (MPI_Op*))
TERRACE_MPI_FUNCTION(MPI_Op, Op_fromint, (int))
TERRACE_MPI_FUNCTION(int, Op_toint, (MPI_Op))
TERRACE_MPI_FUNCTION(int, Open_port, (MPI_Info, char*))
TERRACE_MPI_FUNCTION(int, Pack, (const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Pack_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Pack_external,
  (const char*, const void*, int, MPI_Datatype, void*, MPI_Aint, MPI_Aint*))
TERRACE_MPI_FUNCTION(int, Pack_external_c,
  (const char*, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Pack_external_size, (const char*, int, MPI_Datatype, MPI_Aint*))
TERRACE_MPI_FUNCTION(int, Pack_external_size_c, (const char*, MPI_Count, MPI_Datatype, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Pack_size, (int, MPI_Datatype, MPI_Comm, int*))
TERRACE_MPI_FUNCTION(int, Pack_size_c, (MPI_Count, MPI_Datatype, MPI_Comm, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Parrived, (MPI_Request, int, int*))
TERRACE_MPI_FUNCTION(int, Pready, (int, MPI_Request))
TERRACE_MPI_FUNCTION(int, Pready_list, (int, const int*, MPI_Request))
TERRACE_MPI_FUNCTION(int, Pready_range, (int, int, MPI_Request))
TERRACE_MPI_FUNCTION(int, Precv_init,
  (void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Probe, (int, int, MPI_Comm, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Psend_init,
  (const void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Publish_name, (const char*, MPI_Info, const char*))
TERRACE_MPI_FUNCTION(int, Put,
  (const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win))
TERRACE_MPI_FUNCTION(int, Put_c,
  (const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win))
TERRACE_MPI_FUNCTION(int, Query_thread, (int*))
TERRACE_MPI_FUNCTION(int, Raccumulate,
  (const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Raccumulate_c,
  (const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op,
   MPI_Win, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Recv, (void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Recv_c, (void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Recv_init, (void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Recv_init_c,
  (void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Reduce, (const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Reduce_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Reduce_init,
  (const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Reduce_init_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Reduce_local, (const void*, void*, int, MPI_Datatype, MPI_Op))
TERRACE_MPI_FUNCTION(int, Reduce_local_c, (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op))
TERRACE_MPI_FUNCTION(int, Reduce_scatter,
  (const void*, void*, const int*, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Reduce_scatter_block,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Reduce_scatter_block_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Reduce_scatter_block_init,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Reduce_scatter_block_init_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Reduce_scatter_c,
  (const void*, void*, const MPI_Count*, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Reduce_scatter_init,
  (const void*, void*, const int*, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Reduce_scatter_init_c,
  (const void*, void*, const MPI_Count*, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Register_datarep,
  (const char*, MPI_Datarep_conversion_function*, MPI_Datarep_conversion_function*,
   MPI_Datarep_extent_function*, void*))
TERRACE_MPI_FUNCTION(int, Register_datarep_c,
  (const char*, MPI_Datarep_conversion_function_c*, MPI_Datarep_conversion_function_c*,
   MPI_Datarep_extent_function*, void*))
TERRACE_MPI_FUNCTION(int, Remove_error_class, (int))
TERRACE_MPI_FUNCTION(int, Remove_error_code, (int))
TERRACE_MPI_FUNCTION(int, Remove_error_string, (int))
TERRACE_MPI_FUNCTION(MPI_Fint, Request_c2f, (MPI_Request))
TERRACE_MPI_FUNCTION(MPI_Request, Request_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Request_free, (MPI_Request*))
TERRACE_MPI_FUNCTION(MPI_Request, Request_fromint, (int))
TERRACE_MPI_FUNCTION(int, Request_get_status, (MPI_Request, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Request_get_status_all, (int, const MPI_Request*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Request_get_status_any,
  (int, const MPI_Request*, int*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Request_get_status_some,
  (int, const MPI_Request*, int*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Request_toint, (MPI_Request))
TERRACE_MPI_FUNCTION(int, Rget,
  (void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Rget_accumulate,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
   MPI_Op, MPI_Win, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Rget_accumulate_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Aint,
   MPI_Count, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Rget_c,
  (void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Rput,
  (const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Rput_c,
  (const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Rsend, (const void*, int, MPI_Datatype, int, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Rsend_c, (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Rsend_init,
  (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Rsend_init_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Scan, (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Scan_c, (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Scan_init,
  (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Scan_init_c,
  (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Scatter,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Scatter_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Scatter_init,
  (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info,
   MPI_Request*))
TERRACE_MPI_FUNCTION(int, Scatter_init_c,
  (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm,
   MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Scatterv,
  (const void*, const int*, const int*, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Scatterv_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
   int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Scatterv_init,
  (const void*, const int*, const int*, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm,
   MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Scatterv_init_c,
  (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
   int, MPI_Comm, MPI_Info, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Send, (const void*, int, MPI_Datatype, int, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Send_c, (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Send_init,
  (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Send_init_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Sendrecv,
  (const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
   MPI_Status*))
TERRACE_MPI_FUNCTION(int, Sendrecv_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, void*, MPI_Count, MPI_Datatype, int, int,
   MPI_Comm, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Sendrecv_replace,
  (void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Sendrecv_replace_c,
  (void*, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Session_attach_buffer, (MPI_Session, void*, int))
TERRACE_MPI_FUNCTION(int, Session_attach_buffer_c, (MPI_Session, void*, MPI_Count))
TERRACE_MPI_FUNCTION(MPI_Fint, Session_c2f, (MPI_Session))
TERRACE_MPI_FUNCTION(int, Session_call_errhandler, (MPI_Session, int))
TERRACE_MPI_FUNCTION(int, Session_create_errhandler,
  (MPI_Session_errhandler_function*, MPI_Errhandler*))
TERRACE_MPI_FUNCTION(int, Session_detach_buffer, (MPI_Session, void*, int*))
TERRACE_MPI_FUNCTION(int, Session_detach_buffer_c, (MPI_Session, void*, MPI_Count*))
TERRACE_MPI_FUNCTION(MPI_Session, Session_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Session_finalize, (MPI_Session*))
TERRACE_MPI_FUNCTION(int, Session_flush_buffer, (MPI_Session))
TERRACE_MPI_FUNCTION(MPI_Session, Session_fromint, (int))
TERRACE_MPI_FUNCTION(int, Session_get_errhandler, (MPI_Session, MPI_Errhandler*))
TERRACE_MPI_FUNCTION(int, Session_get_info, (MPI_Session, MPI_Info*))
TERRACE_MPI_FUNCTION(int, Session_get_nth_pset, (MPI_Session, MPI_Info, int, int*, char*))
TERRACE_MPI_FUNCTION(int, Session_get_num_psets, (MPI_Session, MPI_Info, int*))
TERRACE_MPI_FUNCTION(int, Session_get_pset_info, (MPI_Session, const char*, MPI_Info*))
TERRACE_MPI_FUNCTION(int, Session_iflush_buffer, (MPI_Session, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Session_init, (MPI_Info, MPI_Errhandler, MPI_Session*))
TERRACE_MPI_FUNCTION(int, Session_set_errhandler, (MPI_Session, MPI_Errhandler))
TERRACE_MPI_FUNCTION(int, Session_toint, (MPI_Session))
TERRACE_MPI_FUNCTION(int, Ssend, (const void*, int, MPI_Datatype, int, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Ssend_c, (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Ssend_init,
  (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Ssend_init_c,
  (const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Start, (MPI_Request*))
TERRACE_MPI_FUNCTION(int, Startall, (int, MPI_Request*))
TERRACE_MPI_FUNCTION(int, Status_c2f, (const MPI_Status*, MPI_Fint*))
TERRACE_MPI_FUNCTION(int, Status_f2c, (const MPI_Fint*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Status_get_error, (const MPI_Status*, int*))
TERRACE_MPI_FUNCTION(int, Status_get_source, (const MPI_Status*, int*))
TERRACE_MPI_FUNCTION(int, Status_get_tag, (const MPI_Status*, int*))
TERRACE_MPI_FUNCTION(int, Status_set_cancelled, (MPI_Status*, int))
TERRACE_MPI_FUNCTION(int, Status_set_elements, (MPI_Status*, MPI_Datatype, int))
TERRACE_MPI_FUNCTION(int, Status_set_elements_c, (MPI_Status*, MPI_Datatype, MPI_Count))
TERRACE_MPI_FUNCTION(int, Status_set_elements_x, (MPI_Status*, MPI_Datatype, MPI_Count))
TERRACE_MPI_FUNCTION(int, Status_set_error, (MPI_Status*, int))
TERRACE_MPI_FUNCTION(int, Status_set_source, (MPI_Status*, int))
TERRACE_MPI_FUNCTION(int, Status_set_tag, (MPI_Status*, int))
TERRACE_MPI_FUNCTION(int, T_category_changed, (int*))
TERRACE_MPI_FUNCTION(int, T_category_get_categories, (int, int, int*))
TERRACE_MPI_FUNCTION(int, T_category_get_cvars, (int, int, int*))
TERRACE_MPI_FUNCTION(int, T_category_get_events, (int, int, int*))
TERRACE_MPI_FUNCTION(int, T_category_get_index, (const char*, int*))
TERRACE_MPI_FUNCTION(int, T_category_get_info, (int, char*, int*, char*, int*, int*, int*, int*))
TERRACE_MPI_FUNCTION(int, T_category_get_num, (int*))
TERRACE_MPI_FUNCTION(int, T_category_get_num_events, (int, int*))
TERRACE_MPI_FUNCTION(int, T_category_get_pvars, (int, int, int*))
TERRACE_MPI_FUNCTION(int, T_cvar_get_index, (const char*, int*))
TERRACE_MPI_FUNCTION(int, T_cvar_get_info,
  (int, char*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*))
TERRACE_MPI_FUNCTION(int, T_cvar_get_num, (int*))
TERRACE_MPI_FUNCTION(int, T_cvar_handle_alloc, (int, void*, MPI_T_cvar_handle*, int*))
TERRACE_MPI_FUNCTION(int, T_cvar_handle_free, (MPI_T_cvar_handle*))
TERRACE_MPI_FUNCTION(int, T_cvar_read, (MPI_T_cvar_handle, void*))
TERRACE_MPI_FUNCTION(int, T_cvar_write, (MPI_T_cvar_handle, const void*))
TERRACE_MPI_FUNCTION(int, T_enum_get_info, (MPI_T_enum, int*, char*, int*))
TERRACE_MPI_FUNCTION(int, T_enum_get_item, (MPI_T_enum, int, int*, char*, int*))
TERRACE_MPI_FUNCTION(int, T_event_callback_get_info,
  (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*))
TERRACE_MPI_FUNCTION(int, T_event_callback_set_info,
  (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info))
TERRACE_MPI_FUNCTION(int, T_event_copy, (MPI_T_event_instance, void*))
TERRACE_MPI_FUNCTION(int, T_event_get_index, (const char*, int*))
TERRACE_MPI_FUNCTION(int, T_event_get_info,
  (int, char*, int*, int*, MPI_Datatype*, MPI_Aint*, int*, MPI_T_enum*, MPI_Info*, char*, int*,
   int*))
TERRACE_MPI_FUNCTION(int, T_event_get_num, (int*))
TERRACE_MPI_FUNCTION(int, T_event_get_source, (MPI_T_event_instance, int*))
TERRACE_MPI_FUNCTION(int, T_event_get_timestamp, (MPI_T_event_instance, MPI_Count*))
TERRACE_MPI_FUNCTION(int, T_event_handle_alloc, (int, void*, MPI_Info, MPI_T_event_registration*))
TERRACE_MPI_FUNCTION(int, T_event_handle_free,
  (MPI_T_event_registration, void*, MPI_T_event_free_cb_function))
TERRACE_MPI_FUNCTION(int, T_event_handle_get_info, (MPI_T_event_registration, MPI_Info*))
TERRACE_MPI_FUNCTION(int, T_event_handle_set_info, (MPI_T_event_registration, MPI_Info))
TERRACE_MPI_FUNCTION(int, T_event_read, (MPI_T_event_instance, int, void*))
TERRACE_MPI_FUNCTION(int, T_event_register_callback,
  (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*, MPI_T_event_cb_function))
TERRACE_MPI_FUNCTION(int, T_event_set_dropped_handler,
  (MPI_T_event_registration, MPI_T_event_dropped_cb_function))
TERRACE_MPI_FUNCTION(int, T_finalize, (void))
TERRACE_MPI_FUNCTION(int, T_init_thread, (int, int*))
TERRACE_MPI_FUNCTION(int, T_pvar_get_index, (const char*, int, int*))
TERRACE_MPI_FUNCTION(int, T_pvar_get_info,
  (int, char*, int*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*, int*,
   int*))
TERRACE_MPI_FUNCTION(int, T_pvar_get_num, (int*))
TERRACE_MPI_FUNCTION(int, T_pvar_handle_alloc,
  (MPI_T_pvar_session, int, void*, MPI_T_pvar_handle*, int*))
TERRACE_MPI_FUNCTION(int, T_pvar_handle_free, (MPI_T_pvar_session, MPI_T_pvar_handle*))
TERRACE_MPI_FUNCTION(int, T_pvar_read, (MPI_T_pvar_session, MPI_T_pvar_handle, void*))
TERRACE_MPI_FUNCTION(int, T_pvar_readreset, (MPI_T_pvar_session, MPI_T_pvar_handle, void*))
TERRACE_MPI_FUNCTION(int, T_pvar_reset, (MPI_T_pvar_session, MPI_T_pvar_handle))
TERRACE_MPI_FUNCTION(int, T_pvar_session_create, (MPI_T_pvar_session*))
TERRACE_MPI_FUNCTION(int, T_pvar_session_free, (MPI_T_pvar_session*))
TERRACE_MPI_FUNCTION(int, T_pvar_start, (MPI_T_pvar_session, MPI_T_pvar_handle))
TERRACE_MPI_FUNCTION(int, T_pvar_stop, (MPI_T_pvar_session, MPI_T_pvar_handle))
TERRACE_MPI_FUNCTION(int, T_pvar_write, (MPI_T_pvar_session, MPI_T_pvar_handle, const void*))
TERRACE_MPI_FUNCTION(int, T_source_get_info,
  (int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*, MPI_Info*))
TERRACE_MPI_FUNCTION(int, T_source_get_num, (int*))
TERRACE_MPI_FUNCTION(int, T_source_get_timestamp, (int, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Test, (MPI_Request*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Test_cancelled, (const MPI_Status*, int*))
TERRACE_MPI_FUNCTION(int, Testall, (int, MPI_Request*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Testany, (int, MPI_Request*, int*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Testsome, (int, MPI_Request*, int*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Topo_test, (MPI_Comm, int*))
TERRACE_MPI_FUNCTION(MPI_Fint, Type_c2f, (MPI_Datatype))
TERRACE_MPI_FUNCTION(int, Type_commit, (MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_contiguous, (int, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_contiguous_c, (MPI_Count, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_darray,
  (int, int, int, const int*, const int*, const int*, const int*, int, MPI_Datatype,
   MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_darray_c,
  (int, int, int, const MPI_Count*, const int*, const int*, const int*, int, MPI_Datatype,
   MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_f90_complex, (int, int, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_f90_integer, (int, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_f90_real, (int, int, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_hindexed,
  (int, const int*, const MPI_Aint*, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_hindexed_block,
  (int, int, const MPI_Aint*, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_hindexed_block_c,
  (MPI_Count, MPI_Count, const MPI_Count*, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_hindexed_c,
  (MPI_Count, const MPI_Count*, const MPI_Count*, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_hvector, (int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_hvector_c,
  (MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_indexed_block,
  (int, int, const int*, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_indexed_block_c,
  (MPI_Count, MPI_Count, const MPI_Count*, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_keyval,
  (MPI_Type_copy_attr_function*, MPI_Type_delete_attr_function*, int*, void*))
TERRACE_MPI_FUNCTION(int, Type_create_resized, (MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_resized_c,
  (MPI_Datatype, MPI_Count, MPI_Count, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_struct,
  (int, const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_struct_c,
  (MPI_Count, const MPI_Count*, const MPI_Count*, const MPI_Datatype*, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_subarray,
  (int, const int*, const int*, const int*, int, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_create_subarray_c,
  (int, const MPI_Count*, const MPI_Count*, const MPI_Count*, int, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_delete_attr, (MPI_Datatype, int))
TERRACE_MPI_FUNCTION(int, Type_dup, (MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(MPI_Datatype, Type_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Type_free, (MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_free_keyval, (int*))
TERRACE_MPI_FUNCTION(MPI_Datatype, Type_fromint, (int))
TERRACE_MPI_FUNCTION(int, Type_get_attr, (MPI_Datatype, int, void*, int*))
TERRACE_MPI_FUNCTION(int, Type_get_contents,
  (MPI_Datatype, int, int, int, int*, MPI_Aint*, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_get_contents_c,
  (MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int*, MPI_Aint*, MPI_Count*,
   MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_get_envelope, (MPI_Datatype, int*, int*, int*, int*))
TERRACE_MPI_FUNCTION(int, Type_get_envelope_c,
  (MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*))
TERRACE_MPI_FUNCTION(int, Type_get_extent, (MPI_Datatype, MPI_Aint*, MPI_Aint*))
TERRACE_MPI_FUNCTION(int, Type_get_extent_c, (MPI_Datatype, MPI_Count*, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Type_get_extent_x, (MPI_Datatype, MPI_Count*, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Type_get_name, (MPI_Datatype, char*, int*))
TERRACE_MPI_FUNCTION(int, Type_get_true_extent, (MPI_Datatype, MPI_Aint*, MPI_Aint*))
TERRACE_MPI_FUNCTION(int, Type_get_true_extent_c, (MPI_Datatype, MPI_Count*, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Type_get_true_extent_x, (MPI_Datatype, MPI_Count*, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Type_get_value_index, (MPI_Datatype, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_indexed, (int, const int*, const int*, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_indexed_c,
  (MPI_Count, const MPI_Count*, const MPI_Count*, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_match_size, (int, int, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_set_attr, (MPI_Datatype, int, void*))
TERRACE_MPI_FUNCTION(int, Type_set_name, (MPI_Datatype, const char*))
TERRACE_MPI_FUNCTION(int, Type_size, (MPI_Datatype, int*))
TERRACE_MPI_FUNCTION(int, Type_size_c, (MPI_Datatype, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Type_size_x, (MPI_Datatype, MPI_Count*))
TERRACE_MPI_FUNCTION(int, Type_toint, (MPI_Datatype))
TERRACE_MPI_FUNCTION(int, Type_vector, (int, int, int, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Type_vector_c,
  (MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*))
TERRACE_MPI_FUNCTION(int, Unpack, (const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Unpack_c,
  (const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype, MPI_Comm))
TERRACE_MPI_FUNCTION(int, Unpack_external,
  (const char*, const void*, MPI_Aint, MPI_Aint*, void*, int, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, Unpack_external_c,
  (const char*, const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype))
TERRACE_MPI_FUNCTION(int, Unpublish_name, (const char*, MPI_Info, const char*))
TERRACE_MPI_FUNCTION(int, Wait, (MPI_Request*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Waitall, (int, MPI_Request*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Waitany, (int, MPI_Request*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Waitsome, (int, MPI_Request*, int*, int*, MPI_Status*))
TERRACE_MPI_FUNCTION(int, Win_allocate, (MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*))
TERRACE_MPI_FUNCTION(int, Win_allocate_c, (MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void*, MPI_Win*))
TERRACE_MPI_FUNCTION(int, Win_allocate_shared, (MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*))
TERRACE_MPI_FUNCTION(int, Win_allocate_shared_c,
  (MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void*, MPI_Win*))
TERRACE_MPI_FUNCTION(int, Win_attach, (MPI_Win, void*, MPI_Aint))
TERRACE_MPI_FUNCTION(MPI_Fint, Win_c2f, (MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_call_errhandler, (MPI_Win, int))
TERRACE_MPI_FUNCTION(int, Win_complete, (MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_create, (void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*))
TERRACE_MPI_FUNCTION(int, Win_create_c, (void*, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, MPI_Win*))
TERRACE_MPI_FUNCTION(int, Win_create_dynamic, (MPI_Info, MPI_Comm, MPI_Win*))
TERRACE_MPI_FUNCTION(int, Win_create_errhandler, (MPI_Win_errhandler_function*, MPI_Errhandler*))
TERRACE_MPI_FUNCTION(int, Win_create_keyval,
  (MPI_Win_copy_attr_function*, MPI_Win_delete_attr_function*, int*, void*))
TERRACE_MPI_FUNCTION(int, Win_delete_attr, (MPI_Win, int))
TERRACE_MPI_FUNCTION(int, Win_detach, (MPI_Win, const void*))
TERRACE_MPI_FUNCTION(MPI_Win, Win_f2c, (MPI_Fint))
TERRACE_MPI_FUNCTION(int, Win_fence, (int, MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_flush, (int, MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_flush_all, (MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_flush_local, (int, MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_flush_local_all, (MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_free, (MPI_Win*))
TERRACE_MPI_FUNCTION(int, Win_free_keyval, (int*))
TERRACE_MPI_FUNCTION(MPI_Win, Win_fromint, (int))
TERRACE_MPI_FUNCTION(int, Win_get_attr, (MPI_Win, int, void*, int*))
TERRACE_MPI_FUNCTION(int, Win_get_errhandler, (MPI_Win, MPI_Errhandler*))
TERRACE_MPI_FUNCTION(int, Win_get_group, (MPI_Win, MPI_Group*))
TERRACE_MPI_FUNCTION(int, Win_get_info, (MPI_Win, MPI_Info*))
TERRACE_MPI_FUNCTION(int, Win_get_name, (MPI_Win, char*, int*))
TERRACE_MPI_FUNCTION(int, Win_lock, (int, int, int, MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_lock_all, (int, MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_post, (MPI_Group, int, MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_set_attr, (MPI_Win, int, void*))
TERRACE_MPI_FUNCTION(int, Win_set_errhandler, (MPI_Win, MPI_Errhandler))
TERRACE_MPI_FUNCTION(int, Win_set_info, (MPI_Win, MPI_Info))
TERRACE_MPI_FUNCTION(int, Win_set_name, (MPI_Win, const char*))
TERRACE_MPI_FUNCTION(int, Win_shared_query, (MPI_Win, int, MPI_Aint*, int*, void*))
TERRACE_MPI_FUNCTION(int, Win_shared_query_c, (MPI_Win, int, MPI_Aint*, MPI_Aint*, void*))
TERRACE_MPI_FUNCTION(int, Win_start, (MPI_Group, int, MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_sync, (MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_test, (MPI_Win, int*))
TERRACE_MPI_FUNCTION(int, Win_toint, (MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_unlock, (int, MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_unlock_all, (MPI_Win))
TERRACE_MPI_FUNCTION(int, Win_wait, (MPI_Win))
TERRACE_MPI_FUNCTION(double, Wtick, (void))
TERRACE_MPI_FUNCTION(double, Wtime, (void))
