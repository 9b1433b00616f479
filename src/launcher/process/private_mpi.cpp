// SPDX-License-Identifier: BSD-3-Clause
// Opens an MPI by its path, in the local scope, and calls it by its PMPI_ names in its own ABI.
#include "launcher/process/private_mpi.hpp"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "abi/mpi_function_table.hpp"
#include "abi/mpich.hpp"
#include "abi/openmpi.hpp"

namespace terrace {

namespace {

using abi::MpiFunction, abi::MpiFunctionTable;
using FindSymbol = MpiFunctionTable::FindSymbol;

constexpr int kSerialized = abi::mpich::kThreadSerialized;
static_assert(kSerialized == abi::openmpi::kThreadSerialized);

/// The MPI's functions. All handles of an ABI have one type.
template <class Handle>
struct Functions : MpiFunctionTable {
  explicit Functions(const FindSymbol& find) : MpiFunctionTable(find) {}

  MpiFunction<int(int*, char***, int, int*)> init_thread{*this, "PMPI_Init_thread"};
  MpiFunction<int(Handle, int*)> comm_rank{*this, "PMPI_Comm_rank"};
  MpiFunction<int(Handle, int*)> comm_size{*this, "PMPI_Comm_size"};
  MpiFunction<int(Handle, Handle*)> comm_dup{*this, "PMPI_Comm_dup"};
  MpiFunction<int(const void*, int, Handle, void*, int, Handle, Handle)> allgather{
      *this, "PMPI_Allgather"};
  MpiFunction<int(const void*, int, Handle, int, int, Handle, Handle*)> isend{*this, "PMPI_Isend"};
  MpiFunction<int(void*, int, Handle, int, int, Handle, Handle*)> irecv{*this, "PMPI_Irecv"};
  MpiFunction<int(Handle*, int*, void*)> test{*this, "PMPI_Test"};
  MpiFunction<int(Handle*, void*)> wait{*this, "PMPI_Wait"};
  MpiFunction<int(Handle*)> cancel{*this, "PMPI_Cancel"};
  MpiFunction<int(Handle, int)> end_all{*this, "PMPI_Abort"};
  MpiFunction<int()> finalize{*this, "PMPI_Finalize"};
};

/// Constants of an ABI.
template <class Handle>
struct Constants {
  Handle comm_world, byte;
  std::intptr_t status_ignore;
};

Constants<abi::mpich::Comm> constants_of_mpich(const FindSymbol& find) {
  namespace its = abi::mpich;
  return {its::handle_of(its::kCommWorld, find), its::handle_of(its::kByte, find),
          its::kStatusIgnore};
}
Constants<abi::openmpi::Comm> constants_of_open_mpi(const FindSymbol& find) {
  namespace its = abi::openmpi;
  return {its::handle_of(its::kCommWorld, find), its::handle_of(its::kByte, find),
          its::kStatusIgnore};
}

template <class Handle>
class OpenedMpi final : public PrivateMpi {
 public:
  OpenedMpi(const FindSymbol& find, const Constants<Handle>& constants)
      : mpi_(find), constants_(constants) {}

  /// The sentence of an error, or "".
  std::string begin() {
    if (!mpi_.is_complete()) return std::string("has no ") + mpi_.missing();
    int level = 0;
    mpi_.init_thread(nullptr, nullptr, kSerialized, &level);
    if (level < kSerialized) return "does not let threads take turns (MPI_THREAD_SERIALIZED)";
    mpi_.comm_dup(constants_.comm_world, &comm_);
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
    mpi_.allgather(&own, kBytes, constants_.byte, all.data(), kBytes, constants_.byte, comm_);
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
  void* status_ignore() const { return reinterpret_cast<void*>(constants_.status_ignore); }
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
    its.mpi_.isend(from, static_cast<int>(bytes), its.constants_.byte, process, channel, its.comm_,
                   &handle);
    request->handle = number_of(handle);
  }
  static void receive(void* self, int process, int channel, void* to, std::size_t bytes,
                      terrace_ranks_request* request) {
    OpenedMpi& its = of(self);
    const Turn turn(its);
    Handle handle{};
    its.mpi_.irecv(to, static_cast<int>(bytes), its.constants_.byte, process, channel, its.comm_,
                   &handle);
    request->handle = number_of(handle);
  }
  static int test(void* self, terrace_ranks_request* request) {
    OpenedMpi& its = of(self);
    const Turn turn(its);
    Handle handle = handle_of(*request);
    int is_over = 0;
    its.mpi_.test(&handle, &is_over, its.status_ignore());
    request->handle = number_of(handle);
    return is_over;
  }
  static void withdraw(void* self, terrace_ranks_request* request) {
    OpenedMpi& its = of(self);
    Handle handle = handle_of(*request);
    its.mpi_.cancel(&handle);
    its.mpi_.wait(&handle, its.status_ignore());
  }

  Functions<Handle> mpi_;
  Constants<Handle> constants_;
  Handle comm_{};
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

template <class Handle>
Result<std::unique_ptr<PrivateMpi>> begin(const FindSymbol& find,
                                          const Constants<Handle>& constants,
                                          const std::string& path, const OuterLauncher& launcher) {
  auto opened = std::make_unique<OpenedMpi<Handle>>(find, constants);
  const std::string failure = opened->begin();
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
    const auto find = [library](const char* name) { return dlsym(library, name); };
    const bool is_open_mpi = find(abi::openmpi::kCommWorld) != nullptr;
    return is_open_mpi ? begin(find, constants_of_open_mpi(find), path, launcher)
                       : begin(find, constants_of_mpich(find), path, launcher);
  }
  return Error{ErrorCode::system,
               "the launcher has started " + std::to_string(launcher.processes) +
                   " processes, which need its MPI to form one job, and that was not found" +
                   failures +
                   "; name it by --over PATH, its library or its folder, or set "
                   "TERRACE_ACROSS_NODES=0 for a job in each process"};
}

}  // namespace terrace
