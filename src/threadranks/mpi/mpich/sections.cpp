// SPDX-License-Identifier: BSD-3-Clause
// Types and copies of sections of arrays.
#include <sections.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include "threadranks/matching/requests.hpp"
#include "threadranks/mpi/adapter.hpp"

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

/// Of an element, counted in Fortran's order, from the first one on.
std::ptrdiff_t offset_of(const Section& section, std::size_t element) {
  std::ptrdiff_t offset = 0;
  for (int i = 0; i < section.rank; ++i) {
    const auto extent = static_cast<std::size_t>(section.dimensions[i].extent);
    offset += static_cast<std::ptrdiff_t>(element % extent) * section.dimensions[i].stride;
    element /= extent;
  }
  return offset;
}

/// How many elements from that one on lie without gaps, at most to the end of their column.
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

/// Elements of the type where they are whole in the section, so that they keep their basic types;
/// otherwise bytes.
std::vector<TypeBlock> blocks_of(const Section& section, std::size_t count, Datatype& type) {
  std::vector<TypeBlock> blocks;
  const auto add = [&](Datatype& unit) {
    return [&blocks, &unit](std::ptrdiff_t offset, std::size_t bytes) {
      blocks.push_back({offset, static_cast<std::ptrdiff_t>(bytes / unit.size()), &unit});
    };
  };
  if (type.is_dense() && section.element_bytes % type.size() == 0) {
    for_places(section, 0, count * type.size(), add(type));
    return blocks;
  }
  Datatype& byte = *threadranks::predefined_type(threadranks::kByte);
  for (std::size_t i = 0; i < count; ++i)
    for (const threadranks::TypePiece& piece : type.pieces())
      for_places(
          section,
          static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) * type.extent() + piece.offset),
          piece.bytes, add(byte));
  return blocks;
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
  auto* const whole = terrace::threadranks::Datatype::of_blocks(
      terrace::fortran::blocks_of(*section, elements, *type), {});
  whole->is_committed = true;
  *made = mpi::handle_of(whole);
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
