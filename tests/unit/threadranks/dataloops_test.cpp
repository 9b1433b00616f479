// SPDX-License-Identifier: BSD-3-Clause
// Goal: however types are nested, their bytes lie where MPI says, wherever a copy begins and ends,
// and regular types need no memory per block. Method: random types, beside the flat list of their
// basic elements (the typemap), from which every answer is found the long way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "threadranks/files/file_view.hpp"
#include "threadranks/types/external32.hpp"
#include "threadranks/windows/runs.hpp"
#include "unit/threadranks/ranks.hpp"

namespace terrace::threadranks {
namespace {

using testing_ranks::class_of;
using testing_ranks::run_ranks;

/// A type's object, whether predefined or not.
Datatype& object_of_type(MPI_Datatype type) {
  Datatype* const predefined = predefined_type(reinterpret_cast<std::uintptr_t>(type));
  return predefined != nullptr ? *predefined : *reinterpret_cast<Datatype*>(type);
}

struct Basic {
  std::ptrdiff_t offset;
  std::size_t bytes;
};

/// A type as the standard defines it.
struct Typemap {
  std::vector<Basic> basics;
  std::ptrdiff_t lower = 0, upper = 0;
  bool is_empty = true;  ///< without bounds

  std::ptrdiff_t extent() const { return upper - lower; }
  std::size_t size() const {
    std::size_t bytes = 0;
    for (const Basic& basic : basics) bytes += basic.bytes;
    return bytes;
  }
  std::ptrdiff_t true_lower() const {
    std::ptrdiff_t least = basics.empty() ? 0 : basics.front().offset;
    for (const Basic& basic : basics) least = std::min(least, basic.offset);
    return least;
  }
  std::ptrdiff_t true_upper() const {
    std::ptrdiff_t most = basics.empty() ? 0 : std::numeric_limits<std::ptrdiff_t>::min();
    for (const Basic& basic : basics)
      most = std::max(most, basic.offset + static_cast<std::ptrdiff_t>(basic.bytes));
    return most;
  }
  void append(const Typemap& type, std::ptrdiff_t displacement, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::ptrdiff_t at = displacement + i * type.extent();
      for (const Basic& basic : type.basics) basics.push_back({at + basic.offset, basic.bytes});
      lower = is_empty ? at + type.lower : std::min(lower, at + type.lower);
      upper = is_empty ? at + type.upper : std::max(upper, at + type.upper);
      is_empty = false;
    }
  }
  /// The offset of each byte, in order.
  std::vector<std::ptrdiff_t> bytes_of(std::size_t count) const {
    std::vector<std::ptrdiff_t> places;
    for (std::size_t i = 0; i < count; ++i)
      for (const Basic& basic : basics)
        for (std::size_t byte = 0; byte < basic.bytes; ++byte)
          places.push_back(static_cast<std::ptrdiff_t>(i) * extent() + basic.offset +
                           static_cast<std::ptrdiff_t>(byte));
    return places;
  }
};

/// A type, and what it has to be.
struct Both {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Typemap map;
  std::ptrdiff_t alignment = 1;
};

class RandomTypes {
 public:
  explicit RandomTypes(unsigned seed) : random_(seed) {}

  int upto(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
  int between(int least, int most) { return least + upto(most - least); }

  /// Makes a type of that many levels. The caller frees it, if it is derived.
  Both nested(int depth) {
    if (depth == 0) return basic();
    Both inner = nested(depth - 1);
    if (inner.map.basics.size() > 300) return inner;
    Both made = derived(inner);
    const bool is_long = std::max(made.map.true_upper() - made.map.true_lower(),
                                  std::abs(made.map.extent())) > 50'000;
    free(is_long ? made : inner);
    return is_long ? inner : made;
  }
  void free(Both& both) {
    if (object_of_type(both.type).predefined() == nullptr) MPI_Type_free(&both.type);
  }

 private:
  Both basic() {
    const struct {
      MPI_Datatype type;
      std::vector<Basic> basics;
      int extent, alignment;
    } all[] = {{MPI_CHAR, {{0, 1}}, 1, 1},
               {MPI_SHORT, {{0, 2}}, 2, 2},
               {MPI_INT, {{0, 4}}, 4, 4},
               {MPI_DOUBLE, {{0, 8}}, 8, 8},
               {MPI_SHORT_INT, {{0, 2}, {4, 4}}, 8, 4},
               {MPI_DOUBLE_INT, {{0, 8}, {8, 4}}, 16, 8}};
    const auto& one = all[upto(5)];
    return {one.type, {one.basics, 0, one.extent, false}, one.alignment};
  }
  Both derived(const Both& old) {
    Both made = derived_by(upto(8), old);
    if (made.map.is_empty) made.alignment = 1;
    return made;
  }
  Both derived_by(int maker, const Both& old) {
    switch (maker) {
      case 0:
        return contiguous(old);
      case 1:
        return vector(old);
      case 2:
        return hvector(old);
      case 3:
        return indexed(old);
      case 4:
        return indexed_block(old);
      case 5:
        return structure(old);
      case 6:
        return resized(old);
      case 7:
        return subarray(old);
      default:
        return darray(old);
    }
  }
  static Both like(const Both& old) { return {MPI_DATATYPE_NULL, {}, old.alignment}; }
  Both contiguous(const Both& old) {
    const int count = upto(5);
    Both made = like(old);
    if (upto(4) == 0) {
      made.map = old.map;
      MPI_Type_dup(old.type, &made.type);
      return made;
    }
    MPI_Type_contiguous(count, old.type, &made.type);
    made.map.append(old.map, 0, count);
    return made;
  }
  Both vector(const Both& old) {
    const int count = upto(6), length = upto(3), stride = between(-5, 5);
    Both made = like(old);
    MPI_Type_vector(count, length, stride, old.type, &made.type);
    for (int i = 0; i < count; ++i) made.map.append(old.map, i * stride * old.map.extent(), length);
    return made;
  }
  Both hvector(const Both& old) {
    const int count = upto(6), length = upto(3);
    const MPI_Aint stride = between(-50, 50);
    Both made = like(old);
    MPI_Type_create_hvector(count, length, stride, old.type, &made.type);
    for (int i = 0; i < count; ++i) made.map.append(old.map, i * stride, length);
    return made;
  }
  Both indexed(const Both& old) {
    std::vector<int> lengths(static_cast<std::size_t>(upto(9))), places;
    std::vector<MPI_Aint> far;
    for (int& length : lengths) {
      length = upto(3);
      places.push_back(between(-20, 20));
      far.push_back(between(-90, 90));
    }
    const int count = static_cast<int>(lengths.size());
    const bool in_bytes = upto(1) == 0;
    Both made = like(old);
    if (in_bytes)
      MPI_Type_create_hindexed(count, lengths.data(), far.data(), old.type, &made.type);
    else
      MPI_Type_indexed(count, lengths.data(), places.data(), old.type, &made.type);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      made.map.append(old.map, in_bytes ? far[i] : places[i] * old.map.extent(), lengths[i]);
    return made;
  }
  /// Now and then as far apart as in a vector.
  Both indexed_block(const Both& old) {
    const int count = upto(9), length = upto(3), step = between(-4, 8);
    const bool is_regular = upto(1) == 0, in_bytes = upto(1) == 0;
    std::vector<int> places;
    std::vector<MPI_Aint> far;
    for (int i = 0; i < count; ++i) {
      places.push_back(is_regular ? i * step : between(-20, 20));
      far.push_back(is_regular ? i * step * 9 : between(-90, 90));
    }
    Both made = like(old);
    if (in_bytes)
      MPI_Type_create_hindexed_block(count, length, far.data(), old.type, &made.type);
    else
      MPI_Type_create_indexed_block(count, length, places.data(), old.type, &made.type);
    for (std::size_t i = 0; i < places.size(); ++i)
      made.map.append(old.map, in_bytes ? far[i] : places[i] * old.map.extent(), length);
    return made;
  }
  Both structure(const Both& old) {
    Both others[] = {nested(upto(1)), basic()};
    const Both* const parts[] = {&old, &others[0], &others[1], &old};
    int lengths[4];
    MPI_Aint places[4], end = between(-8, 8);
    MPI_Datatype types[4];
    Both made;
    for (std::size_t i = 0; i < 4; ++i) {
      lengths[i] = upto(2);
      places[i] = end;
      end += upto(3) == 0 ? between(-20, 20) : parts[i]->map.true_upper();
      types[i] = parts[i]->type;
      made.map.append(parts[i]->map, places[i], lengths[i]);
      if (lengths[i] > 0) made.alignment = std::max(made.alignment, parts[i]->alignment);
    }
    MPI_Type_create_struct(4, lengths, places, types, &made.type);
    const std::ptrdiff_t extent = made.map.extent() + made.alignment - 1;
    made.map.upper = made.map.lower + extent / made.alignment * made.alignment;
    free(others[0]);
    return made;
  }
  Both resized(const Both& old) {
    const MPI_Aint lower = between(-20, 20), extent = between(-10, 90);
    Both made = like(old);
    MPI_Type_create_resized(old.type, lower, extent, &made.type);
    made.map = old.map;
    made.map.lower = lower;
    made.map.upper = lower + extent;
    made.map.is_empty = false;
    return made;
  }
  Both subarray(const Both& old) {
    const int dimensions = between(1, 3);
    int sizes[3], parts[3], starts[3];
    for (int i = 0; i < dimensions; ++i) {
      sizes[i] = between(1, 5);
      parts[i] = between(1, sizes[i]);
      starts[i] = upto(sizes[i] - parts[i]);
    }
    const bool is_c = upto(1) == 0;
    Both made = like(old);
    MPI_Type_create_subarray(dimensions, sizes, parts, starts,
                             is_c ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old.type, &made.type);
    array_of(old.map, made, dimensions, sizes, is_c, [&](int dimension, int index) {
      return index >= starts[dimension] && index < starts[dimension] + parts[dimension];
    });
    return made;
  }
  Both darray(const Both& old) {
    const int dimensions = between(1, 3);
    int sizes[3], hows[3], arguments[3], parts[3], own[3], ranks = 1, rank = 0;
    for (int i = 0; i < dimensions; ++i) {
      sizes[i] = between(1, 7);
      hows[i] = upto(1) == 0 ? int{MPI_DISTRIBUTE_CYCLIC} : int{MPI_DISTRIBUTE_BLOCK};
      parts[i] = between(1, 3);
      const int whole = (sizes[i] + parts[i] - 1) / parts[i];
      arguments[i] = hows[i] == MPI_DISTRIBUTE_CYCLIC ? between(1, 3) : between(whole, whole + 2);
      if (upto(3) == 0) arguments[i] = MPI_DISTRIBUTE_DFLT_DARG;
      if (upto(3) == 0) hows[i] = MPI_DISTRIBUTE_NONE, parts[i] = 1;
      own[i] = upto(parts[i] - 1);
      ranks *= parts[i];
      rank = rank * parts[i] + own[i];
    }
    const bool is_c = upto(1) == 0;
    Both made = like(old);
    MPI_Type_create_darray(ranks, rank, dimensions, sizes, hows, arguments, parts,
                           is_c ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old.type, &made.type);
    array_of(old.map, made, dimensions, sizes, is_c, [&](int i, int index) {
      if (hows[i] == MPI_DISTRIBUTE_NONE) return true;
      const bool is_block = hows[i] == MPI_DISTRIBUTE_BLOCK;
      const bool is_default = arguments[i] == MPI_DISTRIBUTE_DFLT_DARG;
      const int usual = is_block ? (sizes[i] + parts[i] - 1) / parts[i] : 1;
      return index / (is_default ? usual : arguments[i]) % parts[i] == own[i];
    });
    return made;
  }
  /// The elements of an array whose indices are all wanted, the fastest dimension first.
  template <class Wanted>
  static void array_of(const Typemap& old, Both& both, int dimensions, const int* sizes, bool is_c,
                       Wanted&& wanted) {
    Typemap row = old;
    for (int step = 0; step < dimensions; ++step) {
      const int i = is_c ? dimensions - 1 - step : step;
      Typemap made;
      for (int index = 0; index < sizes[i]; ++index)
        if (wanted(i, index)) made.append(row, index * row.extent(), 1);
      if (made.is_empty) both.alignment = 1;
      made.lower = 0;
      made.upper = row.extent() * sizes[i];
      made.is_empty = false;
      row = made;
    }
    both.map = row;
  }

  std::mt19937 random_;
};

/// Memory around elements of a type, and where its bytes lie in it.
struct Elements {
  std::vector<unsigned char> memory;
  std::vector<std::size_t> places;  ///< of each byte, in order
  Layout layout;

  Elements(const Both& both, std::size_t count) {
    const std::vector<std::ptrdiff_t> offsets = both.map.bytes_of(count);
    std::ptrdiff_t least = 0, most = 0;
    for (const std::ptrdiff_t offset : offsets) {
      least = std::min(least, offset);
      most = std::max(most, offset);
    }
    memory.resize(static_cast<std::size_t>(most - least) + 1);
    for (const std::ptrdiff_t offset : offsets)
      places.push_back(static_cast<std::size_t>(offset - least));
    layout = {memory.data() - least, count, &object_of_type(both.type)};
  }
  void fill() {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<unsigned char>(i * 7 + 1 + i / 256);
  }
  std::vector<unsigned char> packed(std::size_t begin, std::size_t end) const {
    std::vector<unsigned char> bytes;
    for (std::size_t i = begin; i < end; ++i) bytes.push_back(memory[places[i]]);
    return bytes;
  }
  std::size_t bytes() const { return places.size(); }
  /// MPI forbids to receive so, as the order of what is written is open.
  bool is_twice() const {
    std::vector<std::size_t> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }
};

std::byte* bytes_at(std::vector<unsigned char>& bytes) {
  return reinterpret_cast<std::byte*>(bytes.data());
}

void check_queries(const Both& both) {
  const Datatype& type = object_of_type(both.type);
  EXPECT_EQ(type.size(), both.map.size());
  EXPECT_EQ(type.lower(), both.map.lower);
  EXPECT_EQ(type.extent(), both.map.extent());
  EXPECT_EQ(type.true_lower(), both.map.true_lower());
  EXPECT_EQ(type.true_extent(), both.map.true_upper() - both.map.true_lower());
}

/// Elements, counted in bytes and back, of two in a row.
void check_signature(const Both& both) {
  const TypeSignature* const signature = object_of_type(both.type).signature();
  ASSERT_EQ(signature == nullptr, both.map.basics.empty());
  if (signature == nullptr) return;
  EXPECT_EQ(signature->elements, both.map.basics.size());
  std::vector<std::int64_t> expected(2 * both.map.size() + 1, -1);
  std::size_t bytes = 0, elements = 0;
  expected[0] = 0;
  for (int round = 0; round < 2; ++round)
    for (const Basic& basic : both.map.basics) {
      bytes += basic.bytes;
      expected[bytes] = static_cast<std::int64_t>(++elements);
      EXPECT_EQ(bytes_of_elements(*signature, elements), bytes);
    }
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(elements_in(*signature, i), expected[i]) << i;
}

void check_packing(const Both& both, RandomTypes& random) {
  Elements from(both, static_cast<std::size_t>(random.upto(4)));
  from.fill();
  const auto most = static_cast<std::size_t>(random.upto(static_cast<int>(from.bytes())));
  std::vector<unsigned char> packed(most + 1);
  pack(from.layout, bytes_at(packed), most);
  packed.resize(most);
  ASSERT_EQ(packed, from.packed(0, most));
  if (from.is_twice()) return;
  Elements to(both, from.layout.count);
  std::vector<unsigned char> expected = to.memory;
  for (std::size_t i = 0; i < most; ++i) expected[to.places[i]] = packed[i];
  packed.push_back(0);  // not null
  unpack(bytes_at(packed), to.layout, most);
  ASSERT_EQ(to.memory, expected);
}

/// Any place is found, and pieces of any lengths follow it.
void check_cursor(const Both& both, RandomTypes& random) {
  Elements from(both, static_cast<std::size_t>(random.between(1, 4)));
  from.fill();
  if (from.bytes() == 0) return;
  auto at = static_cast<std::size_t>(random.upto(static_cast<int>(from.bytes()) - 1));
  LayoutCursor cursor(from.layout, at);
  ASSERT_EQ(cursor.address(),
            reinterpret_cast<std::uintptr_t>(from.memory.data()) + from.places[at]);
  while (at < from.bytes()) {
    const auto now = static_cast<std::size_t>(
        random.between(1, std::min(40, static_cast<int>(from.bytes() - at))));
    std::vector<unsigned char> packed(now);
    Runs runs;
    LayoutCursor same = cursor;
    add_runs(same, now, runs);
    gather(runs, bytes_at(packed));
    ASSERT_EQ(packed, from.packed(at, at + now)) << at;
    pack_next(cursor, bytes_at(packed), now);
    ASSERT_EQ(packed, from.packed(at, at + now)) << at;
    at += now;
  }
}

void check_copies(const Both& one, const Both& other, RandomTypes& random) {
  Elements from(one, static_cast<std::size_t>(random.upto(4)));
  Elements to(other, static_cast<std::size_t>(random.upto(4)));
  if (to.is_twice()) return;
  from.fill();
  std::vector<unsigned char> expected = to.memory;
  const std::size_t bytes = std::min(from.bytes(), to.bytes());
  for (std::size_t i = 0; i < bytes; ++i) expected[to.places[i]] = from.memory[from.places[i]];
  copy_elements(from.layout, to.layout, bytes);
  ASSERT_EQ(to.memory, expected);
}

/// Here, elements have the same lengths in external32, and other machines' order.
void check_external(const Both& both) {
  Elements from(both, 2);
  from.fill();
  const std::size_t bytes = 2 * external_bytes(*from.layout.type);
  ASSERT_EQ(bytes, from.bytes());
  std::vector<unsigned char> packed(bytes + 1), expected;
  pack_external(from.layout, bytes_at(packed));
  packed.pop_back();
  std::size_t at = 0;
  for (int round = 0; round < 2; ++round)
    for (const Basic& basic : both.map.basics) {
      const std::vector<unsigned char> own = from.packed(at, at + basic.bytes);
      expected.insert(expected.end(), own.rbegin(), own.rend());
      at += basic.bytes;
    }
  ASSERT_EQ(packed, expected);
}

bool is_ascending(const Typemap& map, bool may_overlap) {
  std::ptrdiff_t least = 0;
  for (const Basic& basic : map.basics) {
    if (basic.offset < least) return false;
    least = basic.offset + (may_overlap ? 0 : static_cast<std::ptrdiff_t>(basic.bytes));
  }
  return map.basics.empty() ? map.extent() >= 0 : map.extent() > 0;
}

void check_view(const Both& both) {
  constexpr std::int64_t kFrom = 13;
  Datatype& type = object_of_type(both.type);
  ASSERT_EQ(FileView::is_filetype(type, false), is_ascending(both.map, false));
  if (!is_ascending(both.map, true)) return;
  ASSERT_TRUE(FileView::is_filetype(type, true));
  const FileView view(kFrom, 1, type);
  if (type.size() == 0) return;
  const std::vector<std::ptrdiff_t> places = both.map.bytes_of(3), tile = both.map.bytes_of(1);
  for (std::size_t i = 0; i < places.size(); ++i)
    ASSERT_EQ(view.offset_of(static_cast<std::int64_t>(i)), kFrom + places[i]) << i;
  std::vector<std::ptrdiff_t> seen;
  for (const FileSegment& segment :
       view.segments(static_cast<std::int64_t>(tile.size() / 2), places.size() - tile.size() / 2))
    for (std::size_t i = 0; i < segment.bytes; ++i)
      seen.push_back(segment.offset - kFrom + static_cast<std::ptrdiff_t>(i));
  ASSERT_EQ(seen, std::vector(places.begin() + static_cast<std::ptrdiff_t>(tile.size() / 2),
                              places.end()));
  const std::int64_t step = std::max<std::int64_t>(both.map.extent() / 100, 1);
  for (std::int64_t distance = 0; distance < 3 * both.map.extent(); distance += step) {
    const std::int64_t rest = distance % both.map.extent();
    const auto before = std::count_if(tile.begin(), tile.end(), [&](auto at) { return at < rest; });
    const auto tiles = distance / both.map.extent() * static_cast<std::int64_t>(tile.size());
    ASSERT_EQ(view.bytes_before(kFrom + distance), tiles + before) << distance;
  }
}

void check_all(const Both& both, const Both& other, RandomTypes& random) {
  check_queries(both);
  check_signature(both);
  check_packing(both, random);
  check_cursor(both, random);
  check_copies(both, other, random);
  check_external(both);
  check_view(both);
}

/// Counts the blocks that a type lists.
std::size_t blocks_in(const Dataloop& loop) {
  std::size_t blocks = loop.blocks.size();
  if (loop.child) blocks += blocks_in(*loop.child);
  for (const SharedDataloop& child : loop.children)
    if (child) blocks += blocks_in(*child);
  return blocks;
}
std::size_t parts_in(const TypeSignature& signature) {
  std::size_t parts = 0;
  for (const TypeSignature::Part& part : signature.parts)
    parts += part.repeated ? 1 + parts_in(*part.repeated) : 1;
  return parts;
}
/// Counts all that a type lists, however many blocks it has.
std::size_t listed(MPI_Datatype type) {
  const Datatype& object = object_of_type(type);
  return blocks_in(*object.placed().loop) + parts_in(*object.signature());
}

}  // namespace

TEST(Dataloops, lie_where_the_typemap_says) {
  run_ranks(1, [](int) {
    RandomTypes random(38);
    for (int round = 0; round < 1500 && !testing::Test::HasFailure(); ++round) {
      SCOPED_TRACE(round);
      Both one = random.nested(random.upto(5)), other = random.nested(random.upto(2));
      check_all(one, other, random);
      random.free(one);
      random.free(other);
    }
  });
}

// Goal: more levels than cursors have room for without allocating.
TEST(Dataloops, may_be_nested_deeply) {
  run_ranks(1, [](int) {
    RandomTypes random(5);
    Both both{MPI_SHORT, {{{0, 2}}, 0, 2, false}}, bytes{MPI_CHAR, {{{0, 1}}, 0, 1, false}};
    for (int level = 0; level < 9; ++level) {
      Both outer;
      const MPI_Aint stride = both.map.extent() + 3;
      MPI_Type_create_hvector(2, 1, stride, both.type, &outer.type);
      for (int i = 0; i < 2; ++i) outer.map.append(both.map, i * stride, 1);
      random.free(both);
      both = outer;
      check_all(both, bytes, random);
    }
    random.free(both);
  });
}

TEST(Dataloops, take_no_memory_per_block) {
  run_ranks(1, [](int) {
    constexpr MPI_Count kMany = MPI_Count{1} << 40;
    MPI_Datatype vector, pairs, column, moved, matrix, part, share, indexed;
    MPI_Type_vector_c(kMany, 1, 3, MPI_INT, &vector);
    EXPECT_LE(listed(vector), 2u);
    MPI_Type_contiguous_c(kMany, MPI_DOUBLE_INT, &pairs);
    EXPECT_LE(listed(pairs), 6u);
    MPI_Type_vector(4000, 1, 4000, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, 8, &moved);
    MPI_Type_contiguous(4000, moved, &matrix);
    EXPECT_LE(listed(matrix), 2u);
    const MPI_Count sizes[] = {1 << 20, 1 << 20, 1 << 20}, parts[] = {1 << 19, 9, 7},
                    starts[] = {5, 6, 7};
    MPI_Type_create_subarray_c(3, sizes, parts, starts, MPI_ORDER_C, MPI_CHAR, &part);
    EXPECT_LE(listed(part), 2u);
    const int hows[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    const int arguments[] = {3, MPI_DISTRIBUTE_DFLT_DARG, 5}, grid[] = {2, 2, 2};
    MPI_Type_create_darray_c(8, 3, 3, sizes, hows, arguments, grid, MPI_ORDER_C, MPI_CHAR, &share);
    EXPECT_LE(listed(share), 8u);
    std::vector<int> places(100'000);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(7 * i);
    MPI_Type_create_indexed_block(100'000, 2, places.data(), MPI_INT, &indexed);
    EXPECT_LE(listed(indexed), 2u);
    for (MPI_Datatype* const type :
         {&vector, &pairs, &column, &moved, &matrix, &part, &share, &indexed})
      MPI_Type_free(type);
  });
}

// Goal: what no size, extent or bound can say is an error.
TEST(Dataloops, refuse_what_overflows) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    constexpr MPI_Count kHuge = MPI_Count{1} << 31, kMost = PTRDIFF_MAX;
    const MPI_Count sizes[] = {kHuge, kHuge, 4}, ones[] = {1, 1, 1}, none[] = {0, 0, 0};
    const MPI_Count last[] = {kHuge - 1, kHuge - 1, 3}, long_row[] = {kMost}, wraps[] = {kMost};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    const auto refuses = [](int error) { return class_of(error) == MPI_ERR_ARG; };
    const auto sub = [&](int dimensions, const MPI_Count* all, const MPI_Count* part,
                         const MPI_Count* from, MPI_Datatype type) {
      return MPI_Type_create_subarray_c(dimensions, all, part, from, MPI_ORDER_C, type, &made);
    };
    EXPECT_TRUE(refuses(sub(3, sizes, ones, none, MPI_CHAR)));
    EXPECT_TRUE(refuses(sub(3, sizes, ones, last, MPI_CHAR)));
    EXPECT_TRUE(refuses(sub(2, sizes, ones, none, MPI_INT)));
    EXPECT_TRUE(refuses(sub(1, long_row, ones, wraps, MPI_CHAR)));  // from the end on
    EXPECT_TRUE(refuses(sub(1, long_row, long_row, ones, MPI_CHAR)));
    const int cyclic[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
    const int usual[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG,
                         MPI_DISTRIBUTE_DFLT_DARG};
    const int grid[] = {1, 1, 1};
    EXPECT_TRUE(refuses(MPI_Type_create_darray_c(1, 0, 3, sizes, cyclic, usual, grid, MPI_ORDER_C,
                                                 MPI_CHAR, &made)));
    EXPECT_TRUE(refuses(MPI_Type_create_resized_c(MPI_INT, kMost, 1, &made)));
    EXPECT_TRUE(refuses(MPI_Type_create_resized(MPI_INT, -kMost, -2, &made)));
    EXPECT_TRUE(refuses(MPI_Type_vector_c(3, 1, kMost / 4, MPI_INT, &made)));
    EXPECT_TRUE(refuses(MPI_Type_vector_c(kMost / 4 + 1, 1, 1, MPI_INT, &made)));
    EXPECT_EQ(sub(2, sizes, ones, last, MPI_CHAR), MPI_SUCCESS);
    MPI_Count lower = 0, extent = 0;
    MPI_Type_get_true_extent_c(made, &lower, &extent);
    EXPECT_EQ(lower, kHuge * (kHuge - 1) + kHuge - 1);
    MPI_Type_free(&made);
  });
}

}  // namespace terrace::threadranks
