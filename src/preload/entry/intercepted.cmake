# The calls that the preload stands before, each as MPI_X and as PMPI_X. A test compares them with
# what the libraries export (tests/mpi).
set(intercepted
  MPI_Barrier MPI_Cancel MPI_Comm_disconnect MPI_Comm_free MPI_Comm_split_type MPI_Finalize
  MPI_Ibarrier MPI_Improbe MPI_Iprobe MPI_Request_free MPI_Request_get_status MPI_Start
  MPI_Startall MPI_T_category_get_pvars MPI_T_pvar_get_index MPI_T_pvar_get_info
  MPI_T_pvar_get_num MPI_T_pvar_handle_alloc MPI_T_pvar_handle_free MPI_T_pvar_read
  MPI_T_pvar_readreset MPI_T_pvar_reset MPI_T_pvar_session_free MPI_T_pvar_start MPI_T_pvar_stop
  MPI_T_pvar_write MPI_Test MPI_Testall MPI_Testany MPI_Testsome MPI_Wait MPI_Waitall
  MPI_Waitany MPI_Waitsome MPI_Win_test)
# The libraries with persistent collectives have this, and those below.
set(intercepted_persistent MPI_Barrier_init)
set(intercepted_persistent_with_counts
  MPI_Allgather_init MPI_Allgatherv_init MPI_Allreduce_init MPI_Alltoall_init MPI_Alltoallv_init
  MPI_Alltoallw_init MPI_Bcast_init MPI_Exscan_init MPI_Gather_init MPI_Gatherv_init
  MPI_Neighbor_allgather_init MPI_Neighbor_allgatherv_init MPI_Neighbor_alltoall_init
  MPI_Neighbor_alltoallv_init MPI_Neighbor_alltoallw_init MPI_Reduce_init
  MPI_Reduce_scatter_block_init MPI_Reduce_scatter_init MPI_Scan_init MPI_Scatter_init
  MPI_Scatterv_init)
# The library with large counts has these as MPI_X_c as well.
set(intercepted_with_counts
  MPI_Allgather MPI_Allgatherv MPI_Allreduce MPI_Alltoall MPI_Alltoallv MPI_Alltoallw MPI_Bcast
  MPI_Exscan MPI_Gather MPI_Gatherv MPI_Iallgather MPI_Iallgatherv MPI_Iallreduce MPI_Ialltoall
  MPI_Ialltoallv MPI_Ialltoallw MPI_Ibcast MPI_Iexscan MPI_Igather MPI_Igatherv
  MPI_Ineighbor_allgather MPI_Ineighbor_allgatherv MPI_Ineighbor_alltoall MPI_Ineighbor_alltoallv
  MPI_Ineighbor_alltoallw MPI_Ireduce MPI_Ireduce_scatter MPI_Ireduce_scatter_block MPI_Iscan
  MPI_Iscatter MPI_Iscatterv MPI_Neighbor_allgather MPI_Neighbor_allgatherv MPI_Neighbor_alltoall
  MPI_Neighbor_alltoallv MPI_Neighbor_alltoallw MPI_Reduce
  MPI_Reduce_scatter MPI_Reduce_scatter_block MPI_Scan MPI_Scatter MPI_Scatterv)
# And these alone.
set(intercepted_of_mpi_4_1
  MPI_Get_hw_resource_info MPI_Request_get_status_all MPI_Request_get_status_any
  MPI_Request_get_status_some)
