// SPDX-License-Identifier: BSD-3-Clause
// Opens an MPI by its path, in the local scope, and calls it by its PMPI_ names in its own ABI.
#include "launcher/process/private_mpi.hpp"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace terrace {

namespace {

constexpr int kSerialized = 2;  // MPI_THREAD_SERIALIZED in both ABIs

/// Handles are numbers.
struct MpichAbi {
  using Handle = int;
  static void* status_ignore() { return reinterpret_cast<void*>(1); }
  static Handle world(void*) { return 0x44000000; }
  static Handle byte(void*) { return 0x4c00010d; }
};

/// Handles are addresses.
struct OpenMpiAbi {
  using Handle = void*;
  static void* status_ignore() { return nullptr; }
  static Handle world(void* library) { return dlsym(library, "ompi_mpi_comm_world"); }
  static Handle byte(void* library) { return dlsym(library, "ompi_mpi_byte"); }
};

template <class Handle>
struct Functions {
  int (*init_thread)(int*, char***, int, int*);
  int (*comm_rank)(Handle, int*);
  int (*comm_size)(Handle, int*);
  int (*comm_dup)(Handle, Handle*);
  int (*allgather)(const void*, int, Handle, void*, int, Handle, Handle);
  int (*isend)(const void*, int, Handle, int, int, Handle, Handle*);
  int (*irecv)(void*, int, Handle, int, int, Handle, Handle*);
  int (*test)(Handle*, int*, void*);
  int (*wait)(Handle*, void*);
  int (*cancel)(Handle*);
  int (*end_all)(Handle, int);
  int (*finalize)();

  /// The name of one that the library lacks; "" if it has all.
  std::string find_in(void* library) {
    std::string missing;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr && missing.empty()) missing = name;
    };
    find(init_thread, "PMPI_Init_thread");
    find(comm_rank, "PMPI_Comm_rank");
    find(comm_size, "PMPI_Comm_size");
    find(comm_dup, "PMPI_Comm_dup");
    find(allgather, "PMPI_Allgather");
    find(isend, "PMPI_Isend");
    find(irecv, "PMPI_Irecv");
    find(test, "PMPI_Test");
    find(wait, "PMPI_Wait");
    find(cancel, "PMPI_Cancel");
    find(end_all, "PMPI_Abort");
    find(finalize, "PMPI_Finalize");
    return missing;
  }
};

template <class Abi>
class OpenedMpi final : public PrivateMpi {
 public:
  using Handle = typename Abi::Handle;

  /// The sentence of an error, or "".
  std::string open(void* library) {
    const std::string missing = mpi_.find_in(library);
    if (!missing.empty()) return "has no " + missing;
    byte_ = Abi::byte(library);
    int level = 0;
    mpi_.init_thread(nullptr, nullptr, kSerialized, &level);
    if (level < kSerialized) return "does not let threads take turns (MPI_THREAD_SERIALIZED)";
    mpi_.comm_dup(Abi::world(library), &comm_);
    mpi_.comm_rank(comm_, &process_);
    mpi_.comm_size(comm_, &process_count_);
    transport_ = {this, send, receive, test, withdraw};
    return "";
  }

  int process() const override { return process_; }
  int process_count() const override { return process_count_; }
  std::vector<ProcessTold> tell_all(const ProcessTold& own) override {
    std::vector<ProcessTold> all(static_cast<std::size_t>(process_count_));
    constexpr int kBytes = sizeof own;
    mpi_.allgather(&own, kBytes, byte_, all.data(), kBytes, byte_, comm_);
    return all;
  }
  const terrace_ranks_transport* transport() override { return &transport_; }
  /// Keeps ranks out of the MPI, which lets threads only take turns. One that does not return from
  /// it is not waited for.
  void end_all(int code) override {
    is_ending_.store(true);  // seq_cst: as in `Turn`, the partner
    constexpr int kMostLooks = 500;
    const timespec millisecond = {0, 1'000'000};
    // seq_cst: of this and the rank's look at `is_ending_`, one sees the other. Partner: `Turn`.
    for (int looks = 0; looks < kMostLooks && is_inside_.load(); ++looks)
      nanosleep(&millisecond, nullptr);
    mpi_.end_all(comm_, code);
  }
  void finish() override { mpi_.finalize(); }

 private:
  static OpenedMpi& of(void* self) { return *static_cast<OpenedMpi*>(self); }
  static std::uint64_t number_of(int handle) { return static_cast<std::uint32_t>(handle); }
  static std::uint64_t number_of(void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }
  static Handle handle_of(const terrace_ranks_request& request) {
    if constexpr (std::is_pointer_v<Handle>)
      return reinterpret_cast<void*>(static_cast<std::uintptr_t>(request.handle));
    else
      return static_cast<int>(request.handle);
  }

  /// A rank's call of the MPI. Ranks take turns by themselves, but not with the end of the job.
  class Turn {
   public:
    explicit Turn(OpenedMpi& its) : its_(its) {
      its_.is_inside_.store(true);  // seq_cst, both: as in `end_all`, the partner
      if (!its_.is_ending_.load()) return;
      // release: pairs with the load in `end_all`.
      its_.is_inside_.store(false, std::memory_order_release);
      for (;;) ::pause();  // until the process ends
    }
    // release: pairs with the load in `end_all`; the call is over.
    ~Turn() { its_.is_inside_.store(false, std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    OpenedMpi& its_;
  };

  static void send(void* self, int process, int channel, const void* from, std::size_t bytes,
                   terrace_ranks_request* request) {
    OpenedMpi& its = of(self);
    const Turn turn(its);
    Handle handle{};
    its.mpi_.isend(from, static_cast<int>(bytes), its.byte_, process, channel, its.comm_, &handle);
    request->handle = number_of(handle);
  }
  static void receive(void* self, int process, int channel, void* to, std::size_t bytes,
                      terrace_ranks_request* request) {
    OpenedMpi& its = of(self);
    const Turn turn(its);
    Handle handle{};
    its.mpi_.irecv(to, static_cast<int>(bytes), its.byte_, process, channel, its.comm_, &handle);
    request->handle = number_of(handle);
  }
  static int test(void* self, terrace_ranks_request* request) {
    OpenedMpi& its = of(self);
    const Turn turn(its);
    Handle handle = handle_of(*request);
    int is_over = 0;
    its.mpi_.test(&handle, &is_over, Abi::status_ignore());
    request->handle = number_of(handle);
    return is_over;
  }
  static void withdraw(void* self, terrace_ranks_request* request) {
    OpenedMpi& its = of(self);
    Handle handle = handle_of(*request);
    its.mpi_.cancel(&handle);
    its.mpi_.wait(&handle, Abi::status_ignore());
  }

  Functions<Handle> mpi_{};
  Handle comm_{}, byte_{};
  int process_ = 0, process_count_ = 1;
  terrace_ranks_transport transport_{};
  std::atomic<bool> is_inside_{false}, is_ending_{false};
};

/// Sets a variable for as long as the MPI reads it. Ranks do not see it.
class SetWhileOpening {
 public:
  SetWhileOpening(const char* name, const char* value) : name_(name) {
    is_ours_ = std::getenv(name) == nullptr && setenv(name, value, 1) == 0;
  }
  ~SetWhileOpening() {
    if (is_ours_) unsetenv(name_);
  }
  SetWhileOpening(const SetWhileOpening&) = delete;
  SetWhileOpening& operator=(const SetWhileOpening&) = delete;

 private:
  const char* name_;
  bool is_ours_;
};

template <class Abi>
Result<std::unique_ptr<PrivateMpi>> begin(void* library, const std::string& path,
                                          const OuterLauncher& launcher) {
  auto opened = std::make_unique<OpenedMpi<Abi>>();
  const std::string failure = opened->open(library);
  if (!failure.empty()) return Error{ErrorCode::system, path + " " + failure};
  if (opened->process_count() != launcher.processes)
    return Error{ErrorCode::system,
                 "the launcher has started " + std::to_string(launcher.processes) +
                     " processes, but " + path + " sees " +
                     std::to_string(opened->process_count()) +
                     ": it is the MPI of another launcher; name the right one by --over PATH, "
                     "its library or its folder (under srun, see also --mpi), or set "
                     "TERRACE_ACROSS_NODES=0 for a job in each process"};
  return std::unique_ptr<PrivateMpi>(std::move(opened));
}

}  // namespace

Result<std::unique_ptr<PrivateMpi>> open_private_mpi(const OuterLauncher& launcher,
                                                     const std::vector<std::string>& paths) {
  // Crashes are ours to report; UCX, when it is loaded, and Open MPI would catch them first.
  const SetWhileOpening no_signals_of_ucx("UCX_ERROR_SIGNALS", "");
  const SetWhileOpening no_signals_of_open_mpi("OMPI_MCA_opal_signal", "");
  std::string failures;
  for (const std::string& path : paths) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      failures += std::string(failures.empty() ? ": " : "; ") + dlerror();
      continue;
    }
    return dlsym(library, "ompi_mpi_comm_world") != nullptr
               ? begin<OpenMpiAbi>(library, path, launcher)
               : begin<MpichAbi>(library, path, launcher);
  }
  return Error{ErrorCode::system,
               "the launcher has started " + std::to_string(launcher.processes) +
                   " processes, which need its MPI to form one job, and that was not found" +
                   failures +
                   "; name it by --over PATH, its library or its folder, or set "
                   "TERRACE_ACROSS_NODES=0 for a job in each process"};
}

}  // namespace terrace
