// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: where the bytes of an element lie, as dataloops, by which a rank can also copy
// messages from another rank's memory, and which basic elements they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "mpi_calls/predefined_types_and_operators.hpp"
#include "threadranks/handles/integer_handles.hpp"
#include "threadranks/types/dataloop.hpp"
#include "threadranks/types/type_signature.hpp"

namespace terrace::threadranks {

/// The function that made a derived type, for MPI_Type_get_contents.
enum class Maker : std::uint8_t {
  named,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  resized,
  f90_real,
  f90_complex,
  f90_integer,
};

class Datatype;

/// Attributes that programs attach to objects, by keys, in the order of setting. They stay where
/// they are, since C gets the address of a number that Fortran has attached.
struct Attribute {
  /// The kind of what was attached: a pointer by C, a number by Fortran. The numbers are MPICH's.
  enum class Kind : std::uint8_t { pointer = 0, address = 1, integer = 3 };

  int key = 0;
  void* value = nullptr;
  Kind kind = Kind::pointer;
};
using Attributes = std::list<Attribute>;

struct Recipe {
  Maker maker = Maker::named;
  bool is_large = false;  ///< made by a function with large counts, which are in `counts`
  std::vector<int> integers;
  std::vector<std::ptrdiff_t> addresses;
  std::vector<Datatype*> types;
  std::vector<std::int64_t> counts;

  void add_count(std::int64_t count) {
    if (is_large)
      counts.push_back(count);
    else
      integers.push_back(static_cast<int>(count));
  }
  void add_address(std::ptrdiff_t address) {
    if (is_large)
      counts.push_back(address);
    else
      addresses.push_back(address);
  }
};

/// `count` elements of a type, one extent apart, from `displacement` on; all that `repeats` times,
/// `stride` bytes apart.
struct TypeBlock {
  std::ptrdiff_t displacement;
  std::ptrdiff_t count;
  Datatype* type;
  std::ptrdiff_t repeats = 1;
  std::ptrdiff_t stride = 0;
};

/// Reference-counted by its rank alone. Predefined ones are shared by all ranks and live forever.
class Datatype : public Numbered<ObjectKind::datatype> {
 public:
  /// A predefined type, and its handle in the ABI of MPI 5.0.
  Datatype(const NamedType& predefined, std::uintptr_t standard);
  /// Made with one reference, the caller's. `pads` rounds the extent up to the alignment, as C does
  /// for a struct. Null, as of `resized`: the size, the extent, or a bound overflows.
  static Datatype* of_blocks(std::span<const TypeBlock> blocks, Recipe recipe, bool pads = false);
  static Datatype* resized(Datatype& old, std::ptrdiff_t lower, std::ptrdiff_t extent,
                           Recipe recipe);
  /// Another name of a predefined type, with whose operators its elements are combined.
  static Datatype* alike(Datatype& predefined, Recipe recipe);
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  void retain() {
    if (predefined_ == nullptr) ++references_;
  }
  void release() {
    if (predefined_ != nullptr) return;
    TERRACE_ASSERT(references_ > 0, references_);
    if (--references_ == 0) destroy();
  }
  /// The program gets the handle once more, and frees it once more.
  void give_again() {
    if (predefined_ != nullptr) return;
    retain();
    hand_out();
  }

  const NamedType* predefined() const { return predefined_; }
  /// The predefined type whose operators combine its elements; null: none.
  const NamedType* combined_as() const { return combined_as_; }
  std::uintptr_t standard() const { return standard_; }
  /// The predefined type of all elements; null if there are several or none.
  const NamedType* only_basic() const { return only_basic_; }
  std::size_t size() const { return size_; }
  std::ptrdiff_t lower() const { return lower_; }
  std::ptrdiff_t extent() const { return extent_; }
  std::ptrdiff_t true_lower() const { return true_lower_; }
  std::ptrdiff_t true_extent() const { return true_extent_; }
  const PlacedDataloop& placed() const { return placed_; }
  /// Null: it has no elements.
  const TypeSignature* signature() const { return signature_.get(); }
  const Recipe& recipe() const { return recipe_; }
  /// Whether elements are contiguous, from the buffer's address on.
  bool is_dense() const { return is_dense_; }

  std::string name;
  bool is_committed = false;
  Attributes attributes;

 private:
  Datatype() = default;
  ~Datatype() = default;
  void destroy();
  void join(std::span<const TypeBlock> blocks);
  void require_sound() const;
  void settle();

  const NamedType* predefined_ = nullptr;
  const NamedType* combined_as_ = nullptr;
  std::uintptr_t standard_ = 0;
  const NamedType* only_basic_ = nullptr;
  std::size_t size_ = 0;
  std::ptrdiff_t lower_ = 0, extent_ = 0, true_lower_ = 0, true_extent_ = 0;
  std::size_t alignment_ = 1;
  PlacedDataloop placed_;
  SharedSignature signature_;
  Recipe recipe_;
  bool is_dense_ = false;
  int references_ = 1;
};

/// The predefined type with that handle of MPI 5.0's ABI; null: there is none.
Datatype* predefined_type(std::uintptr_t standard);
inline constexpr std::uintptr_t kByte = 0x247;  ///< MPI_BYTE

/// Elements in a rank's memory.
struct Layout {
  const void* buffer = nullptr;
  std::size_t count = 0;
  Datatype* type = nullptr;

  std::size_t bytes() const { return count * type->size(); }
};

/// Keeps the type of a layout, if it has one: another thread of the rank may free it meanwhile.
/// Made and destroyed with the rank's lock.
class KeptType {
 public:
  explicit KeptType(const Layout& layout) : type_(layout.type) {
    if (type_ != nullptr) type_->retain();
  }
  ~KeptType() {
    if (type_ != nullptr) type_->release();
  }
  KeptType(const KeptType&) = delete;
  KeptType& operator=(const KeptType&) = delete;

 private:
  Datatype* const type_;
};

/// Copies at most `bytes`, the first of each, from memory laid out one way to memory laid out
/// another way.
void copy_elements(const Layout& from, const Layout& to, std::size_t bytes);
void pack_pieces(const Layout& from, std::byte* packed, std::size_t bytes);
void unpack_pieces(const std::byte* packed, const Layout& to, std::size_t bytes);
inline void pack(const Layout& from, std::byte* packed, std::size_t bytes) {
  if (!from.type->is_dense()) return pack_pieces(from, packed, bytes);
  if (bytes = std::min(bytes, from.bytes()); bytes > 0) std::memcpy(packed, from.buffer, bytes);
}
inline void unpack(const std::byte* packed, const Layout& to, std::size_t bytes) {
  if (!to.type->is_dense()) return unpack_pieces(packed, to, bytes);
  bytes = std::min(bytes, to.bytes());
  if (bytes > 0) std::memcpy(const_cast<void*>(to.buffer), packed, bytes);
}

}  // namespace terrace::threadranks
