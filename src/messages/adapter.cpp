// SPDX-License-Identifier: BSD-3-Clause
// The adapter to one ABI, which the build names (abi/mpich.hpp and others): messages of the MPI
// that has been loaded. It is built once per ABI, in the ABI's namespace.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include TERRACE_ABI_HEADER

#include "abi/library_version.hpp"
#include "abi/mpi_function_table.hpp"
#include "base/loaded_libraries.hpp"
#include "base/ticks.hpp"
#include "messages/job_messages.hpp"

namespace terrace::messages::TERRACE_ABI {

namespace {

namespace abi = terrace::abi::TERRACE_ABI;
using abi::Comm, abi::Datatype, abi::Info, abi::Request;
using terrace::abi::MpiFunction, terrace::abi::MpiFunctionTable;
using Clock = KernelClock;
using measure::MessageKind;

/// The MPI's functions, bypassing all tools. MPI_ERRORS_ARE_FATAL is in force, so what they return
/// says nothing.
struct Functions : MpiFunctionTable {
  Functions() : MpiFunctionTable(find_in_loaded_mpi) {}

  MpiFunction<int(int*, char***)> init{*this, "PMPI_Init"};
  MpiFunction<int()> finalize{*this, "PMPI_Finalize"};
  MpiFunction<int(char*, int*)> get_library_version{*this, "PMPI_Get_library_version"};
  MpiFunction<int(Comm, int*)> comm_rank{*this, "PMPI_Comm_rank"};
  MpiFunction<int(Comm, int*)> comm_size{*this, "PMPI_Comm_size"};
  MpiFunction<int(Comm, int, int, Info, Comm*)> comm_split_type{*this, "PMPI_Comm_split_type"};
  MpiFunction<int(Comm*)> comm_free{*this, "PMPI_Comm_free"};
  MpiFunction<int(void*, int, Datatype, int, Comm)> bcast{*this, "PMPI_Bcast"};
  MpiFunction<int(const void*, int, Datatype, void*, int, Datatype, Comm)> allgather{
      *this, "PMPI_Allgather"};
  MpiFunction<int(const void*, int, Datatype, int, int, Comm)> send{*this, "PMPI_Send"};
  MpiFunction<int(void*, int, Datatype, int, int, Comm, void*)> recv{*this, "PMPI_Recv"};
  MpiFunction<int(const void*, int, Datatype, int, int, Comm, Request*)> isend{*this, "PMPI_Isend"};
  MpiFunction<int(void*, int, Datatype, int, int, Comm, Request*)> irecv{*this, "PMPI_Irecv"};
  MpiFunction<int(Request*, int*, void*)> test{*this, "PMPI_Test"};
  MpiFunction<int(Comm, int)> abort{*this, "PMPI_Abort"};
};

/// Shorter messages leave without their receiver in all MPIs.
constexpr std::size_t kShortBytes = 1024;
constexpr std::chrono::seconds kPatience{3};

class Adapter final : public JobMessages {
 public:
  explicit Adapter(const std::atomic<bool>& is_stopped) : is_stopped_(is_stopped) {}
  bool is_complete() const { return mpi_.is_complete(); }
  void begin() {
    mpi_.init(nullptr, nullptr);
    world_ = abi::handle_of(abi::kCommWorld, find_in_loaded_mpi);
    byte_ = abi::handle_of(abi::kByte, find_in_loaded_mpi);
    mpi_.comm_rank(world_, &rank_);
    mpi_.comm_size(world_, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string library() const override {
    return terrace::abi::short_version(
        [this](char* text, int* length) { mpi_.get_library_version(text, length); });
  }
  std::vector<int> first_on_nodes() override;
  void end() override { mpi_.finalize(); }

  void send(int to, MessageKind kind, const void* bytes, std::size_t count) override {
    if (count <= kShortBytes)
      mpi_.send(bytes, static_cast<int>(count), byte_, to, static_cast<int>(kind), world_);
    else
      await(begun_sending(to, kind, bytes, count), false);
  }
  void receive(int from, MessageKind kind, void* bytes, std::size_t count) override {
    await(begun_receiving(from, kind, bytes, count), false);
  }
  void receive_quietly(int from, MessageKind kind, void* bytes, std::size_t count) override {
    await(begun_receiving(from, kind, bytes, count), true);
  }
  bool begin_sending(int to, MessageKind kind, const void* bytes, std::size_t count,
                     std::chrono::nanoseconds patience) override;
  void end_sending() override { await(sending_, false); }

 private:
  static void* status_ignore() { return reinterpret_cast<void*>(abi::kStatusIgnore); }
  bool is_done(Request& request) {
    int flag = 0;
    mpi_.test(&request, &flag, status_ignore());
    return flag != 0;
  }

  Request begun_sending(int to, MessageKind kind, const void* bytes, std::size_t count) {
    Request request{};
    mpi_.isend(bytes, static_cast<int>(count), byte_, to, static_cast<int>(kind), world_, &request);
    return request;
  }
  Request begun_receiving(int from, MessageKind kind, void* bytes, std::size_t count) {
    Request request{};
    mpi_.irecv(bytes, static_cast<int>(count), byte_, from, static_cast<int>(kind), world_,
               &request);
    return request;
  }
  void await(Request request, bool is_quiet);

  const std::atomic<bool>& is_stopped_;
  Functions mpi_;
  Comm world_{};
  Datatype byte_{};
  Request sending_{};
  int rank_ = 0, size_ = 1;
};

std::vector<int> Adapter::first_on_nodes() {
  Comm node{};
  mpi_.comm_split_type(world_, abi::kTypeShared, 0,
                       abi::handle_of(abi::kInfoNull, find_in_loaded_mpi), &node);
  int first = rank_;
  constexpr int kBytes = sizeof first;
  mpi_.bcast(&first, kBytes, byte_, 0, node);
  mpi_.comm_free(&node);
  std::vector<int> all(static_cast<std::size_t>(size_));
  mpi_.allgather(&first, kBytes, byte_, all.data(), kBytes, byte_, world_);
  return all;
}

void Adapter::await(Request request, bool is_quiet) {
  constexpr std::chrono::milliseconds kAwake{2};
  constexpr std::chrono::microseconds kNap{500};
  if (is_done(request)) return;
  const auto begin = Clock::now();
  auto last_wanted = begin;
  while (!is_done(request)) {
    // relaxed: a flag that orders nothing. Partner: its writer.
    const bool is_stopped = is_stopped_.load(std::memory_order_relaxed);
    if (!is_quiet && !is_stopped) continue;
    const auto now = Clock::now();
    if (!is_stopped) last_wanted = now;
    if (now - last_wanted > kPatience) mpi_.abort(world_, 1);
    if (now - begin > kAwake)
      std::this_thread::sleep_for(kNap);
    else
      sched_yield();
  }
}

bool Adapter::begin_sending(int to, MessageKind kind, const void* bytes, std::size_t count,
                            std::chrono::nanoseconds patience) {
  sending_ = begun_sending(to, kind, bytes, count);
  const auto end = Clock::now() + patience;
  bool has_left = is_done(sending_);
  while (!has_left && Clock::now() < end) has_left = is_done(sending_);
  return has_left;
}

}  // namespace

std::unique_ptr<JobMessages> adapter(const std::atomic<bool>& is_stopped) {
  auto made = std::make_unique<Adapter>(is_stopped);
  if (!made->is_complete()) return nullptr;
  made->begin();
  return made;
}

}  // namespace terrace::messages::TERRACE_ABI
