// SPDX-License-Identifier: BSD-3-Clause
// The adapter to one ABI, which the build names (abi/mpich.hpp and others): gives communicators the
// functions of the MPI. It is built once per ABI, in the ABI's namespace.
#include <array>
#include <cstring>
#include <mutex>
#include <type_traits>

#include TERRACE_ABI_HEADER

#include "abi/mpi_function_table.hpp"
#include "base/found_function.hpp"
#include "communicators/library/comm_attribute.hpp"
#include "communicators/library/mpi.hpp"
#include "communicators/library/splitting.hpp"

namespace terrace::communicators::TERRACE_ABI {

namespace {

namespace abi = terrace::abi::TERRACE_ABI;
using abi::Comm, abi::Datatype, abi::Info;
using terrace::abi::MpiFunction, terrace::abi::MpiFunctionTable;

constexpr int kSuccess = 0;

/// Calls that make communicators go through tools, which may track them; all others bypass tools.
struct Functions : MpiFunctionTable {
  Functions() : MpiFunctionTable(find_symbol) {}

  using Copy = int(Comm, int, void*, void*, void*, int*);
  using Delete = int(Comm, int, void*, void*);

  MpiFunction<int(Comm, int*)> comm_size{*this, "PMPI_Comm_size"};
  MpiFunction<int(Comm, int*)> comm_rank{*this, "PMPI_Comm_rank"};
  MpiFunction<int(Comm, int*)> comm_test_inter{*this, "PMPI_Comm_test_inter"};
  MpiFunction<int(const void*, int, Datatype, void*, int, Datatype, Comm)> allgather{
      *this, "PMPI_Allgather"};
  MpiFunction<int(Comm, int, int, Comm*)> comm_split{*this, "MPI_Comm_split"};
  MpiFunction<int(Comm, int, int, Info, Comm*)> comm_split_type{*this, "MPI_Comm_split_type"};
  MpiFunction<int(Comm, Info*)> comm_get_info{*this, "PMPI_Comm_get_info"};
  MpiFunction<int(Info*)> info_create{*this, "PMPI_Info_create"};
  MpiFunction<int(int*, int*)> get_version{*this, "PMPI_Get_version"};
  MpiFunction<int(int*)> initialized{*this, "PMPI_Initialized"};
  MpiFunction<int(int*)> finalized{*this, "PMPI_Finalized"};
  MpiFunction<int(Info, const char*, const char*)> info_set{*this, "PMPI_Info_set"};
  MpiFunction<int(Info, const char*, int, char*, int*)> info_get{*this, "PMPI_Info_get"};
  MpiFunction<int(Copy*, Delete*, int*, void*)> comm_create_keyval{*this,
                                                                   "PMPI_Comm_create_keyval"};
  MpiFunction<int(Comm, int, void*)> comm_set_attr{*this, "PMPI_Comm_set_attr"};
  MpiFunction<int(Comm, int, void*, int*)> comm_get_attr{*this, "PMPI_Comm_get_attr"};
  MpiFunction<int(Comm, int)> comm_call_errhandler{*this, "PMPI_Comm_call_errhandler"};
};

/// The attribute's value in the MPI. One thread may read it while another splits the communicator,
/// so both hold a reference.
using Kept = std::shared_ptr<const CommAttribute>;
std::mutex keeping;

/// A duplicate has the same members.
int copy_kept(Comm, int, void*, void* kept, void* copy, int* flag) {
  const std::lock_guard lock(keeping);
  *static_cast<void**>(copy) = new Kept(*static_cast<Kept*>(kept));
  *flag = 1;
  return kSuccess;
}
int drop_kept(Comm, int, void* kept, void*) {
  const std::lock_guard lock(keeping);
  delete static_cast<Kept*>(kept);
  return kSuccess;
}

/// Fortran has handles in integers, and so has C in some ABIs: the same. In the others the MPI has
/// functions; `name` is that of one.
template <class Native>
Handle of_fortran(int integer, [[maybe_unused]] const char* name, Handle none) {
  if constexpr (std::is_same_v<Native, int>) {
    return widen(integer);
  } else {
    const FoundFunction<Native(int)> made_by(find_symbol(name));
    const Handle made = made_by ? widen(made_by(integer)) : 0;
    return made == 0 ? none : made;
  }
}
template <class Native>
int in_fortran(Handle handle, [[maybe_unused]] const char* name) {
  if constexpr (std::is_same_v<Native, int>) {
    return narrow<Native>(handle);
  } else {
    const FoundFunction<int(Native)> made_by(find_symbol(name));
    return made_by ? made_by(narrow<Native>(handle)) : 0;
  }
}

class Adapter final : public Mpi {
 public:
  Handle world() const override { return widen(abi::handle_of(abi::kCommWorld, find_symbol)); }
  Handle null() const override { return widen(abi::handle_of(abi::kCommNull, find_symbol)); }
  Handle handle(std::uintptr_t word) const override { return widen(narrow<Comm>(word)); }
  void put_at(Handle handle, void* array, std::size_t index) const override {
    const Comm native = narrow<Comm>(handle);
    std::memcpy(static_cast<char*>(array) + index * sizeof native, &native, sizeof native);
  }
  Handle taken_from(const void* array, std::size_t index) const override {
    static_assert(sizeof(Comm) == sizeof(Info));
    Comm native{};
    std::memcpy(&native, static_cast<const char*>(array) + index * sizeof native, sizeof native);
    return widen(native);
  }
  Handle comm_of_fortran(int integer) const override {
    return of_fortran<Comm>(integer, abi::kCommFromFortran, null());
  }
  Handle info_of_fortran(int integer) const override {
    return of_fortran<Info>(integer, abi::kInfoFromFortran,
                            widen(abi::handle_of(abi::kInfoNull, find_symbol)));
  }
  int comm_in_fortran(Handle comm) const override {
    return in_fortran<Comm>(comm, abi::kCommToFortran);
  }
  int info_in_fortran(Handle info) const override {
    return in_fortran<Info>(info, abi::kInfoToFortran);
  }
  int undefined() const override { return abi::kUndefined; }
  int shared_type() const override { return abi::kTypeShared; }
  std::optional<int> native_type(int split_type) const override;
  bool is_active() override {
    int is_initialized = 0, is_finalized = 0;
    mpi_.initialized(&is_initialized);
    mpi_.finalized(&is_finalized);
    return is_initialized && !is_finalized;
  }
  int error_code(Failure failure) const override;

  int size_of(Handle comm) override {
    int size = 0;
    return mpi_.comm_size(narrow<Comm>(comm), &size) == kSuccess ? size : 0;
  }
  int rank_in(Handle comm) override {
    int rank = 0;
    return mpi_.comm_rank(narrow<Comm>(comm), &rank) == kSuccess ? rank : 0;
  }
  bool is_intercommunicator(Handle comm) override {
    int flag = 0;
    return mpi_.comm_test_inter(narrow<Comm>(comm), &flag) != kSuccess || flag != 0;
  }
  int allgather(Handle comm, const void* own, void* all, std::size_t bytes) override {
    const int count = static_cast<int>(bytes);
    const Datatype type = abi::handle_of(abi::kByte, find_symbol);
    return mpi_.allgather(own, count, type, all, count, type, narrow<Comm>(comm));
  }
  int split(Handle comm, int color, int key, Handle& newcomm) override {
    Comm made = abi::handle_of(abi::kCommNull, find_symbol);
    const int error =
        mpi_.comm_split(narrow<Comm>(comm), color < 0 ? abi::kUndefined : color, key, &made);
    newcomm = widen(made);
    return error;
  }
  int split_type(Handle comm, int type, int key, Handle info, Handle& newcomm) override {
    Comm made = abi::handle_of(abi::kCommNull, find_symbol);
    const int error =
        mpi_.comm_split_type(narrow<Comm>(comm), type, key, narrow<Info>(info), &made);
    newcomm = widen(made);
    return error;
  }

  std::optional<std::string> value_of(Handle info, const char* key) override;
  void set_value(Handle info, const char* key, const std::string& value) override {
    const Info native = narrow<Info>(info);
    if (native != abi::handle_of(abi::kInfoNull, find_symbol))
      mpi_.info_set(native, key, value.c_str());
  }
  int new_info(std::optional<Handle> comm, std::span<const KeyAndValue> pairs, void* info) override;
  std::shared_ptr<const CommAttribute> attached_to(Handle comm) override;
  void attach(Handle comm, std::shared_ptr<const CommAttribute> attached) override;
  int raise(Handle comm, int code) override {
    if (comm != world() || is_active()) mpi_.comm_call_errhandler(narrow<Comm>(comm), code);
    return code;
  }

  bool is_complete() const { return mpi_.is_complete(); }

 private:
  int key();

  Functions mpi_;
  std::mutex mutex_;  ///< guards `key_`
  int key_ = abi::kKeyvalInvalid;
};

int Adapter::error_code(Failure failure) const {
  switch (failure) {
    case Failure::none:
      return kSuccess;
    case Failure::communicator:
      return abi::kErrorComm;
    case Failure::rank:
      return abi::kErrorRank;
    case Failure::argument:
      return abi::kErrorArg;
    case Failure::other:
      return abi::kErrorOther;
  }
  return abi::kErrorOther;
}

/// Returns the MPI's own number of a split type; an MPI that knows less has other types, or none.
/// (Open MPI has had guided splits before the rest of MPI 4.0; it knows no names but levels.)
std::optional<int> Adapter::native_type(int split_type) const {
  int version = 0, subversion = 0;
  if (mpi_.get_version(&version, &subversion) != kSuccess || version < 4) return std::nullopt;
  if (split_type == kHwGuided) return abi::kTypeHwGuided;
  if (split_type == kHwUnguided) return abi::kTypeHwUnguided;
  const bool has_resources = version > 4 || subversion > 0;
  if (split_type == kResourceGuided && has_resources) return abi::kTypeResourceGuided;
  return std::nullopt;
}

std::optional<std::string> Adapter::value_of(Handle info, const char* key) {
  const Info native = narrow<Info>(info);
  if (native == abi::handle_of(abi::kInfoNull, find_symbol)) return std::nullopt;
  std::array<char, 1025> value{};  // the longest that any MPI has
  int flag = 0;
  // Open MPI refuses lengths above its own longest, 256.
  if (mpi_.info_get(native, key, 255, value.data(), &flag) != kSuccess || !flag)
    return std::nullopt;
  return value.data();
}

int Adapter::new_info(std::optional<Handle> comm, std::span<const KeyAndValue> pairs, void* info) {
  Info made = abi::handle_of(abi::kInfoNull, find_symbol);
  int error = comm ? mpi_.comm_get_info(narrow<Comm>(*comm), &made) : mpi_.info_create(&made);
  for (const auto& [key, value] : pairs)
    if (error == kSuccess) error = mpi_.info_set(made, key, value.c_str());
  std::memcpy(info, &made, sizeof made);
  return error;
}

int Adapter::key() {
  const std::lock_guard lock(mutex_);
  if (key_ == abi::kKeyvalInvalid) mpi_.comm_create_keyval(copy_kept, drop_kept, &key_, nullptr);
  return key_;
}

std::shared_ptr<const CommAttribute> Adapter::attached_to(Handle comm) {
  const int own_key = key();
  const std::lock_guard lock(keeping);
  void* kept = nullptr;
  int flag = 0;
  if (mpi_.comm_get_attr(narrow<Comm>(comm), own_key, &kept, &flag) != kSuccess || !flag)
    return nullptr;
  return *static_cast<Kept*>(kept);
}

/// The MPI calls `drop_kept` on the previous value.
void Adapter::attach(Handle comm, std::shared_ptr<const CommAttribute> attached) {
  auto kept = std::make_unique<Kept>(std::move(attached));
  if (mpi_.comm_set_attr(narrow<Comm>(comm), key(), kept.get()) == kSuccess) kept.release();
}

}  // namespace

std::unique_ptr<Mpi> adapter() {
  auto found = std::make_unique<Adapter>();
  if (!found->is_complete()) return nullptr;
  return found;
}

}  // namespace terrace::communicators::TERRACE_ABI
