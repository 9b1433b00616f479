// SPDX-License-Identifier: BSD-3-Clause
// Types and copies of sections of arrays.
#include <sections.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "threadranks/mpi/adapter.hpp"
#include "threadranks/ranks/requests.hpp"
#include "threadranks/types/layout_cursor.hpp"

namespace terrace::fortran {
namespace {

using threadranks::Datatype;
using threadranks::TypeBlock;

std::size_t elements_of(const Section& section) {
  std::size_t elements = 1;
  for (int i = 0; i < section.rank; ++i)
    elements *= static_cast<std::size_t>(section.dimensions[i].extent);
  return elements;
}

/// Returns the offset of an element, counted in Fortran's order, from the first one on.
std::ptrdiff_t offset_of(const Section& section, std::size_t element) {
  std::ptrdiff_t offset = 0;
  for (int i = 0; i < section.rank; ++i) {
    const auto extent = static_cast<std::size_t>(section.dimensions[i].extent);
    offset += static_cast<std::ptrdiff_t>(element % extent) * section.dimensions[i].stride;
    element /= extent;
  }
  return offset;
}

/// Returns how many elements from that one on lie without gaps, at most to the end of their column.
std::size_t run_at(const Section& section, std::size_t element) {
  const Section::Dimension& column = section.dimensions[0];
  if (column.stride != static_cast<std::ptrdiff_t>(section.element_bytes)) return 1;
  const auto extent = static_cast<std::size_t>(column.extent);
  return extent - element % extent;
}

/// Calls `use(offset, bytes)` for the places of some bytes of the section.
template <class Use>
void for_places(const Section& section, std::size_t begin, std::size_t bytes, Use&& use) {
  while (bytes > 0) {
    const std::size_t element = begin / section.element_bytes;
    const std::size_t inside = begin % section.element_bytes;
    const std::size_t some =
        std::min(bytes, run_at(section, element) * section.element_bytes - inside);
    use(offset_of(section, element) + static_cast<std::ptrdiff_t>(inside), some);
    begin += some;
    bytes -= some;
  }
}

struct Release {
  void operator()(Datatype* type) const { type->release(); }
};
using OwnedType = std::unique_ptr<Datatype, Release>;

/// A type of these blocks; null: a size or a bound overflows.
OwnedType type_of_blocks(std::span<const TypeBlock> blocks) {
  return OwnedType(Datatype::of_blocks(blocks, {}));
}

/// The first elements of a section, each an `element`, in that many dimensions: whole rows of one
/// dimension less, a stride apart, and the beginning of another.
OwnedType type_of_rows(const Section& section, int dimensions, std::size_t elements,
                       Datatype& element) {
  if (dimensions == 0) return type_of_blocks({{{0, 1, &element}}});
  const Section::Dimension& last = section.dimensions[dimensions - 1];
  std::size_t row = 1;
  for (int i = 0; i < dimensions - 1; ++i)
    row *= static_cast<std::size_t>(section.dimensions[i].extent);
  const auto rows = static_cast<std::ptrdiff_t>(elements / row);
  OwnedType whole, part;
  std::vector<TypeBlock> blocks;
  const auto add = [&](OwnedType& type, std::size_t its, std::ptrdiff_t at, std::ptrdiff_t times) {
    type = type_of_rows(section, dimensions - 1, its, element);
    blocks.push_back({at, 1, type.get(), times, last.stride});
  };
  if (rows > 0) add(whole, row, 0, rows);
  if (elements % row > 0) add(part, elements % row, rows * last.stride, 1);
  return type_of_blocks(blocks);
}

/// `count` of a type of which a section's elements are one or several each.
OwnedType type_of_elements(const Section& section, std::size_t count, Datatype& type) {
  const std::size_t each = section.element_bytes / type.size(), elements = count / each;
  const OwnedType element = type_of_blocks({{{0, static_cast<std::ptrdiff_t>(each), &type}}});
  const OwnedType whole = type_of_rows(section, section.rank, elements, *element);
  std::vector<TypeBlock> blocks{{0, 1, whole.get()}};
  if (const auto rest = static_cast<std::ptrdiff_t>(count % each); rest > 0)
    blocks.push_back({offset_of(section, elements), rest, &type});
  return type_of_blocks(blocks);
}

/// `count` of a type with gaps, or that is not whole in the section's elements: its bytes.
OwnedType type_of_bytes(const Section& section, std::size_t count, Datatype& type) {
  std::vector<TypeBlock> blocks;
  Datatype* const byte = threadranks::predefined_type(threadranks::kByte);
  const threadranks::Layout within{nullptr, count, &type};
  threadranks::LayoutCursor cursor(within);
  for (std::size_t left = within.bytes(); left > 0;) {
    const std::size_t bytes = cursor.room(left);
    for_places(section, cursor.address(), bytes, [&](std::ptrdiff_t offset, std::size_t some) {
      blocks.push_back({offset, static_cast<std::ptrdiff_t>(some), byte});
    });
    cursor.pass(bytes);
    left -= bytes;
  }
  return type_of_blocks(blocks);
}

/// Elements of the type where they are whole in the section, so that they keep their basic types;
/// otherwise bytes. Null: a size or a bound overflows.
OwnedType type_of(const Section& section, std::size_t count, Datatype& type) {
  if (count == 0) return type_of_blocks({});
  return type.is_dense() && section.element_bytes % type.size() == 0
             ? type_of_elements(section, count, type)
             : type_of_bytes(section, count, type);
}

/// Whether `count` elements of the type begin and end within the section.
bool is_within(const Section& section, std::size_t count, const Datatype& type) {
  const auto last = static_cast<std::ptrdiff_t>(count - 1) * type.extent();
  const std::ptrdiff_t begin = type.true_lower() + std::min<std::ptrdiff_t>(last, 0);
  const std::ptrdiff_t end =
      type.true_lower() + type.true_extent() + std::max<std::ptrdiff_t>(last, 0);
  return begin >= 0 &&
         end <= static_cast<std::ptrdiff_t>(elements_of(section) * section.element_bytes);
}

}  // namespace

class SectionCopy final : public threadranks::BufferCopy {
 public:
  SectionCopy(const Section& section, bool is_written)
      : section_(section),
        is_written_(is_written),
        bytes_(elements_of(section) * section.element_bytes) {
    SectionCopy::read();
  }

  void read() override {
    std::byte* to = bytes_.data();
    for_places(section_, 0, bytes_.size(), [&](std::ptrdiff_t offset, std::size_t some) {
      std::memcpy(to, section_.first + offset, some);
      to += some;
    });
  }
  void write_back() override {
    if (!is_written_) return;
    const std::byte* from = bytes_.data();
    for_places(section_, 0, bytes_.size(), [&](std::ptrdiff_t offset, std::size_t some) {
      std::memcpy(section_.first + offset, from, some);
      from += some;
    });
  }
  void* bytes() const { return const_cast<std::byte*>(bytes_.data()); }

 private:
  Section section_;
  bool is_written_;
  std::vector<std::byte> bytes_;
};

}  // namespace terrace::fortran

namespace mpi = terrace::threadranks::mpi;
using terrace::fortran::Section;
using terrace::fortran::SectionCopy;

extern "C" {

int MPII_Section_type(const char* function, const Section* section, MPI_Count count,
                      MPI_Datatype handle, MPI_Datatype* made) {
  const mpi::RankCall call;
  int error;
  terrace::threadranks::Datatype* const type = mpi::known_type(function, handle, error);
  if (error) return error;
  if (!type->is_committed)
    return mpi::fail(function, MPI_ERR_TYPE, "the datatype is not committed");
  if (count < 0) return mpi::fail(function, MPI_ERR_COUNT, std::to_string(count) + " elements");
  const auto elements = static_cast<std::size_t>(type->size() > 0 ? count : 0);
  if (elements > 0 && !terrace::fortran::is_within(*section, elements, *type))
    return mpi::fail(function, MPI_ERR_BUFFER,
                     "the section of an array is shorter than " + std::to_string(count) +
                         " elements of the datatype");
  auto whole = terrace::fortran::type_of(*section, elements, *type);
  whole->is_committed = true;
  *made = mpi::handle_of(whole.release());
  return MPI_SUCCESS;
}

SectionCopy* MPII_Section_copy(const Section* section, int is_written) {
  return new SectionCopy(*section, is_written != 0);
}

void* MPII_Section_bytes(const SectionCopy* copy) {
  return copy->bytes();
}

void MPII_Section_end(SectionCopy* copy) {
  copy->write_back();
  delete copy;
}

void MPII_Section_end_with(SectionCopy* copy, MPI_Request handle) {
  auto* const request = mpi::object_of<terrace::threadranks::Request>(handle);
  if (request == nullptr || request->is_shared) return MPII_Section_end(copy);
  copy->next = std::move(request->parts().copies);
  request->parts().copies.reset(copy);
}

int MPII_Fail(const char* function, int error_class, const char* sentence) {
  return mpi::fail(function, error_class, sentence);
}

}  // extern "C"
