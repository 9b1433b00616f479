// SPDX-License-Identifier: BSD-3-Clause
// ElfImage: a program or a shared library as bytes, which can be edited so that the dynamic loader
// takes it for another one. Every offset in the file is checked when it is read: a truncated or
// corrupt file gives an error and nothing else, unless it is cut while it is mapped.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "launcher/elf/file_bytes.hpp"

namespace terrace {

/// The initial values of a thread's thread-local variables.
struct ThreadLocals {
  std::uint64_t address = 0;  ///< of the initial values, counted from where the image is loaded
  std::uint64_t offset = 0;   ///< of the same in the file
  std::uint64_t initial_bytes = 0;
  std::uint64_t bytes = 0;  ///< what follows the initial values is zero
  std::uint64_t alignment = 1;
};

/// A variable or function that an image defines or needs.
struct Symbol {
  std::string name;
  std::uint64_t address = 0;  ///< counted from where the image is loaded
  std::uint64_t bytes = 0;
};

/// The hash of a symbol's name in DT_GNU_HASH.
constexpr std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char one : name) hash = 33 * hash + static_cast<unsigned char>(one);
  return hash;
}

/// A part of the image's memory.
struct Extent {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// Functions that are called when the image has been loaded, by addresses that are counted from
/// there: one, and then those of a list. 0: there are none.
struct Constructors {
  std::uint64_t first = 0;
  Extent list;
};

/// Whole pages of the image, read-only in memory, that are as in the file it was read from.
struct FilePart {
  std::uint64_t offset = 0;   ///< in the file
  std::uint64_t address = 0;  ///< counted from where the image is loaded
  std::uint64_t bytes = 0;
  bool is_code = false;
  bool is_for_loader = false;  ///< the loader reads it, or calls functions in it
  bool is_shared = false;      ///< variables begin in the same page of the file
};

class ElfImage {
 public:
  /// Errors: unsupported, if it is no 64-bit ELF file of this byte order; argument, if it
  /// contradicts itself. Error sentences have no subject: "is cut off".
  static Result<ElfImage> from_bytes(FileBytes bytes);

  std::string_view bytes() const { return bytes_.view(); }
  std::uint16_t machine() const { return header_.e_machine; }
  std::uint64_t entry() const { return header_.e_entry; }
  bool is_position_independent() const { return header_.e_type == ET_DYN; }
  bool is_dynamic() const { return !dynamic_.empty(); }

  /// The dynamic loader that the image asks for; "" for libraries and static programs.
  const std::string& interpreter() const { return interpreter_; }
  /// The libraries that it needs, in order, by the names that the file had.
  std::vector<std::string> needed() const;
  /// The image's own name (DT_SONAME); "" if it has none.
  std::string name() const;
  const std::optional<ThreadLocals>& thread_locals() const { return thread_locals_; }
  /// Whether its thread-local variables need static storage, of which the loader has little.
  bool wants_static_thread_locals() const;
  /// The part that the loader makes read-only after relocation.
  const Extent& unwritable_later() const { return unwritable_later_; }
  /// Variables of libraries for which the program reserves places (copy relocations), as programs
  /// do that were not compiled with -fPIC: the loader must copy their initial values there.
  std::vector<Symbol> copied_variables() const;
  /// The symbol that other images find here under a name.
  std::optional<Symbol> defined(const std::string& name) const;
  /// Whether other images find any symbol here whose name begins so, and such a name.
  bool defines_any(std::initializer_list<std::string_view> beginnings, std::string& found) const;
  /// Whether it uses a symbol of that name of another image.
  bool imports(const std::string& name) const;

  /// Returns the parts that all copies can have from the file itself, as long as nothing of it is
  /// edited.
  std::vector<FilePart> parts_of_file() const;

  /// Lets dlopen take a program, and makes every copy a library of its own: removes the name by
  /// which the loader would find another copy, and symbols that it keeps unique in a process.
  void make_private();
  /// Renames needed libraries in place, and again for another copy. Errors: unsupported, if a new
  /// name is too long, or if the file stores one of these names inside another.
  Result<bool> rename_needed(const std::map<std::string, std::string>& names);
  /// Needs the same libraries in another order, in which the loader looks for symbols.
  void order_needed(const std::vector<std::string>& names);
  /// Needs another library, in place of the image's own name; false: it has none, or no room.
  bool need_instead_of_name(const std::string& library);
  /// Needs another library, whose name takes the place of that of a symbol that no library
  /// defines; false: there is none, or no room.
  bool need_instead_of_weak_symbol(const std::string& library);
  /// Keeps the loader from calling constructors, and returns them.
  Constructors take_constructors();
  /// Removes all needed libraries: they are loaded already.
  void forget_needed();
  /// Needs this library alone; false: there is no room for its name.
  bool need_only(const std::string& library);
  /// Frees the file's bytes; what has been read from them stays: entry, thread-local variables.
  void forget_bytes() { bytes_ = FileBytes(std::string()); }

 private:
  explicit ElfImage(FileBytes bytes) : bytes_(std::move(bytes)) {}

  template <class Row>
  std::optional<Row> row_at(std::uint64_t offset) const;
  template <class Row>
  void write_at(std::uint64_t offset, const Row& row);
  bool holds(std::uint64_t offset, std::uint64_t bytes) const;
  void put(std::uint64_t offset, const void* from, std::size_t bytes);
  bool is_edited(std::uint64_t offset, std::uint64_t bytes) const;
  bool has_early_functions() const;
  bool is_read_by_loader(const Elf64_Phdr& segment) const;
  bool is_of_several_segments(std::uint64_t page) const;
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  std::optional<std::uint64_t> dynamic_value(std::int64_t tag) const;
  std::string text_at(std::uint64_t offset) const;
  std::string string_at(std::uint64_t index) const;
  void set_dynamic(std::size_t index, std::int64_t tag, std::uint64_t value);

  std::optional<Error> read_header();
  std::optional<Error> read_segments();
  std::optional<Error> read_dynamic(const Elf64_Phdr& segment);
  std::optional<std::uint64_t> symbol_table() const;
  std::uint64_t symbol_count() const;
  bool is_named(const Elf64_Sym& symbol, const std::string& name) const;
  std::uint64_t symbol_count_by_gnu_hash(std::uint64_t table) const;
  std::optional<Symbol> defined_at(std::uint64_t index, const std::string& name) const;
  std::optional<Symbol> defined_by_gnu_hash(std::uint64_t table, const std::string& name) const;
  void demote_unique_symbols();
  std::optional<std::uint64_t> name_of_weak_symbol(const std::string& replacement) const;
  std::optional<Error> obstacle_to_renaming(std::uint64_t index, const std::string& old,
                                            const std::string& name) const;
  void rename_versions(const std::map<std::string, std::uint64_t>& index_of);

  FileBytes bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> dynamic_;
  std::uint64_t dynamic_offset_ = 0;
  std::uint64_t strings_ = 0, string_bytes_ = 0;  ///< where names lie
  struct Needed {
    std::string name;
    std::uint64_t index;  ///< among the strings
  };
  std::vector<Needed> needed_;
  std::string interpreter_;
  std::optional<ThreadLocals> thread_locals_;
  Extent unwritable_later_;
  std::vector<Extent> edits_;  ///< by offsets in the file, in no order
};

}  // namespace terrace
