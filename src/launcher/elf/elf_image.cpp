// SPDX-License-Identifier: BSD-3-Clause
// Copies records out of the file and into it, and never points to them, so nothing in a file need
// be aligned.
#include "launcher/elf/elf_image.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/contract.hpp"
#include "base/pages.hpp"
#include "launcher/elf/processor.hpp"

namespace terrace {

namespace {

/// A tag that loaders skip: no system defines it.
constexpr std::int64_t kIgnored = DT_LOOS;

Error wrong(const std::string& sentence) {
  return {ErrorCode::argument, sentence};
}

bool continues(const FilePart& part, const FilePart& page) {
  return part.offset + part.bytes == page.offset && part.address + part.bytes == page.address &&
         part.is_code == page.is_code && part.is_for_loader == page.is_for_loader &&
         part.is_shared == page.is_shared;
}

constexpr int kOurByteOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

}  // namespace

template <class Row>
std::optional<Row> ElfImage::row_at(std::uint64_t offset) const {
  if (!holds(offset, sizeof(Row))) return std::nullopt;
  Row row;
  std::memcpy(&row, bytes().data() + offset, sizeof row);
  return row;
}

template <class Row>
void ElfImage::write_at(std::uint64_t offset, const Row& row) {
  if (holds(offset, sizeof row)) put(offset, &row, sizeof row);
}

/// Edits the file.
void ElfImage::put(std::uint64_t offset, const void* from, std::size_t bytes) {
  TERRACE_ASSERT(holds(offset, bytes), offset, bytes);
  std::memcpy(bytes_.data() + offset, from, bytes);
  edits_.push_back({offset, bytes});
}

bool ElfImage::holds(std::uint64_t offset, std::uint64_t bytes) const {
  return offset <= this->bytes().size() && bytes <= this->bytes().size() - offset;
}

/// The offset in the file of an address in the loaded image.
std::optional<std::uint64_t> ElfImage::offset_of(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  return std::nullopt;
}

std::optional<std::uint64_t> ElfImage::dynamic_value(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : dynamic_)
    if (entry.d_tag == tag) return entry.d_un.d_val;
  return std::nullopt;
}

/// The text up to the next zero, or to the end of the file.
std::string ElfImage::text_at(std::uint64_t offset) const {
  if (offset >= bytes().size()) return "";
  const std::string_view rest = bytes().substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::string ElfImage::string_at(std::uint64_t index) const {
  return index < string_bytes_ ? text_at(strings_ + index) : "";
}

void ElfImage::set_dynamic(std::size_t index, std::int64_t tag, std::uint64_t value) {
  TERRACE_ASSERT(index < dynamic_.size(), index, dynamic_.size());
  TERRACE_ASSERT(holds(dynamic_offset_ + index * sizeof(Elf64_Dyn), sizeof(Elf64_Dyn)), index);
  dynamic_[index].d_tag = tag;
  dynamic_[index].d_un.d_val = value;
  write_at(dynamic_offset_ + index * sizeof(Elf64_Dyn), dynamic_[index]);
}

Result<ElfImage> ElfImage::from_bytes(FileBytes bytes) {
  ElfImage image(std::move(bytes));
  if (auto error = image.read_header()) return *error;
  if (auto error = image.read_segments()) return *error;
  return Result<ElfImage>(std::move(image));
}

std::optional<Error> ElfImage::read_header() {
  if (!bytes().starts_with(ELFMAG))
    return Error{ErrorCode::unsupported, "is not a program or library in machine code"};
  const auto header = row_at<Elf64_Ehdr>(0);
  if (!header) return wrong("is cut off within its header");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != kOurByteOrder)
    return Error{ErrorCode::unsupported, "is not a 64-bit file of this byte order"};
  if (header->e_phnum != 0 && header->e_phentsize != sizeof(Elf64_Phdr))
    return wrong("has segments of another size than " + std::to_string(sizeof(Elf64_Phdr)));
  header_ = *header;
  return std::nullopt;
}

std::optional<Error> ElfImage::read_segments() {
  for (unsigned i = 0; i < header_.e_phnum; ++i) {
    const auto segment = row_at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return wrong("is cut off within its list of segments");
    if (!holds(segment->p_offset, segment->p_filesz) && segment->p_type != PT_NOTE)
      return wrong("is cut off: segment " + std::to_string(i) + " ends behind the file");
    segments_.push_back(*segment);
  }
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_INTERP)
      interpreter_ = text_at(segment.p_offset).substr(0, segment.p_filesz);
    if (segment.p_type == PT_TLS) {
      thread_locals_ = {segment.p_vaddr, segment.p_offset, segment.p_filesz, segment.p_memsz,
                        segment.p_align == 0 ? 1 : segment.p_align};
      if (segment.p_filesz > segment.p_memsz || !std::has_single_bit(thread_locals_->alignment))
        return wrong("has thread-local variables that contradict themselves");
    }
    if (segment.p_type == PT_GNU_RELRO) unwritable_later_ = {segment.p_vaddr, segment.p_memsz};
    if (segment.p_type == PT_DYNAMIC)
      if (auto error = read_dynamic(segment)) return error;
  }
  return std::nullopt;
}

std::optional<Error> ElfImage::read_dynamic(const Elf64_Phdr& segment) {
  dynamic_offset_ = segment.p_offset;
  dynamic_.clear();
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
    const auto entry = row_at<Elf64_Dyn>(segment.p_offset + at);
    if (!entry || entry->d_tag == DT_NULL) break;
    dynamic_.push_back(*entry);
  }
  const auto strings = dynamic_value(DT_STRTAB), bytes = dynamic_value(DT_STRSZ);
  if (!strings || !bytes) return wrong("has no table of names for the loader");
  const auto offset = offset_of(*strings);
  if (!offset || !holds(*offset, *bytes)) return wrong("has its table of names outside itself");
  strings_ = *offset;
  string_bytes_ = *bytes;
  needed_.clear();
  for (const Elf64_Dyn& entry : dynamic_)
    if (entry.d_tag == DT_NEEDED)
      needed_.push_back({string_at(entry.d_un.d_val), entry.d_un.d_val});
  return std::nullopt;
}

std::vector<std::string> ElfImage::needed() const {
  std::vector<std::string> names;
  for (const Needed& needed : needed_) names.push_back(needed.name);
  return names;
}

std::string ElfImage::name() const {
  const auto index = dynamic_value(DT_SONAME);
  return index ? string_at(*index) : "";
}

bool ElfImage::wants_static_thread_locals() const {
  return (dynamic_value(DT_FLAGS).value_or(0) & DF_STATIC_TLS) != 0;
}

void ElfImage::make_private() {
  for (std::size_t i = 0; i < dynamic_.size(); ++i) {
    const auto value = dynamic_[i].d_un.d_val;
    if (dynamic_[i].d_tag == DT_SONAME) set_dynamic(i, kIgnored, value);
    if (dynamic_[i].d_tag == DT_FLAGS_1)
      set_dynamic(i, DT_FLAGS_1, value & ~std::uint64_t{DF_1_PIE | DF_1_NODELETE});
  }
  demote_unique_symbols();
}

/// The loader keeps one instance of these per process: static members of C++ templates.
void ElfImage::demote_unique_symbols() {
  const auto table = symbol_table();
  if (!table) return;
  const std::uint64_t count = symbol_count();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = *table + i * sizeof(Elf64_Sym);
    auto symbol = row_at<Elf64_Sym>(at);
    if (!symbol) return;
    if (ELF64_ST_BIND(symbol->st_info) != STB_GNU_UNIQUE) continue;
    symbol->st_info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbol->st_info));
    write_at(at, *symbol);
  }
}

std::optional<std::uint64_t> ElfImage::symbol_table() const {
  const auto address = dynamic_value(DT_SYMTAB);
  return address ? offset_of(*address) : std::nullopt;
}

std::vector<Symbol> ElfImage::copied_variables() const {
  std::vector<Symbol> found;
  const auto address = dynamic_value(DT_RELA);
  const auto rows = address ? offset_of(*address) : std::nullopt;
  const auto symbols = symbol_table();
  const auto types = relocation_types(header_.e_machine);
  const std::uint64_t bytes = dynamic_value(DT_RELASZ).value_or(0);
  for (std::uint64_t at = 0; rows && symbols && types && at < bytes; at += sizeof(Elf64_Rela)) {
    const auto row = row_at<Elf64_Rela>(*rows + at);
    if (!row) break;
    if (ELF64_R_TYPE(row->r_info) != types->copy) continue;
    const auto symbol = row_at<Elf64_Sym>(*symbols + ELF64_R_SYM(row->r_info) * sizeof(Elf64_Sym));
    if (symbol) found.push_back({string_at(symbol->st_name), row->r_offset, symbol->st_size});
  }
  return found;
}

bool ElfImage::is_named(const Elf64_Sym& symbol, const std::string& name) const {
  return symbol.st_name < string_bytes_ &&
         bytes().compare(strings_ + symbol.st_name, name.size() + 1, name.c_str(),
                         name.size() + 1) == 0;
}

std::optional<Symbol> ElfImage::defined(const std::string& name) const {
  const auto address = dynamic_value(DT_GNU_HASH);
  if (const auto table = address ? offset_of(*address) : std::nullopt)
    return defined_by_gnu_hash(*table, name);
  const std::uint64_t count = symbol_count();
  for (std::uint64_t i = 0; i < count; ++i)
    if (auto found = defined_at(i, name)) return found;
  return std::nullopt;
}

/// The symbol of that index, if it is defined here and has that name.
std::optional<Symbol> ElfImage::defined_at(std::uint64_t index, const std::string& name) const {
  const auto table = symbol_table();
  const auto symbol = table ? row_at<Elf64_Sym>(*table + index * sizeof(Elf64_Sym)) : std::nullopt;
  if (!symbol || symbol->st_shndx == SHN_UNDEF || !is_named(*symbol, name)) return std::nullopt;
  return Symbol{name, symbol->st_value, symbol->st_size};
}

/// Looks for a name as the loader does: in the bucket of its hash, up to the symbol that ends it.
std::optional<Symbol> ElfImage::defined_by_gnu_hash(std::uint64_t table,
                                                    const std::string& name) const {
  const auto buckets = row_at<std::uint32_t>(table), first = row_at<std::uint32_t>(table + 4),
             words = row_at<std::uint32_t>(table + 8);
  if (!buckets || !first || !words || *buckets == 0) return std::nullopt;
  const std::uint32_t hash = gnu_hash_of(name);
  const std::uint64_t bucket_table = table + 16 + std::uint64_t{*words} * 8;
  const std::uint64_t chain_table = bucket_table + std::uint64_t{*buckets} * 4;
  const auto begin = row_at<std::uint32_t>(bucket_table + std::uint64_t{hash % *buckets} * 4);
  if (!begin || *begin < *first) return std::nullopt;
  for (std::uint64_t at = *begin;; ++at) {
    const auto link = row_at<std::uint32_t>(chain_table + (at - *first) * 4);
    if (!link) return std::nullopt;
    if ((*link | 1) == (hash | 1))
      if (auto found = defined_at(at, name)) return found;
    if ((*link & 1) != 0) return std::nullopt;
  }
}

bool ElfImage::defines_any(std::initializer_list<std::string_view> beginnings,
                           std::string& found) const {
  const auto table = symbol_table();
  const std::uint64_t count = table ? symbol_count() : 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = row_at<Elf64_Sym>(*table + i * sizeof(Elf64_Sym));
    if (!symbol) break;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= string_bytes_) continue;
    found = string_at(symbol->st_name);
    for (const std::string_view beginning : beginnings)
      if (found.starts_with(beginning)) return true;
  }
  return false;
}

bool ElfImage::imports(const std::string& name) const {
  const auto symbols = symbol_table();
  for (const auto& [where, length] : {std::pair{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}}) {
    const auto address = dynamic_value(where);
    const auto rows = address ? offset_of(*address) : std::nullopt;
    const std::uint64_t bytes = dynamic_value(length).value_or(0);
    for (std::uint64_t at = 0; rows && symbols && at < bytes; at += sizeof(Elf64_Rela)) {
      const auto row = row_at<Elf64_Rela>(*rows + at);
      if (!row) break;
      const auto symbol =
          row_at<Elf64_Sym>(*symbols + ELF64_R_SYM(row->r_info) * sizeof(Elf64_Sym));
      if (symbol && symbol->st_shndx == SHN_UNDEF && is_named(*symbol, name)) return true;
    }
  }
  return false;
}

/// The number of symbols. No field holds it; the hash tables of the loader do.
std::uint64_t ElfImage::symbol_count() const {
  if (const auto address = dynamic_value(DT_HASH)) {
    const auto table = offset_of(*address);
    const auto chains = table ? row_at<std::uint32_t>(*table + 4) : std::nullopt;
    if (chains) return *chains;
  }
  const auto address = dynamic_value(DT_GNU_HASH);
  const auto table = address ? offset_of(*address) : std::nullopt;
  return table ? symbol_count_by_gnu_hash(*table) : 0;
}

/// Header (buckets, first symbol, words of the filter, shift), filter, buckets, chains: the highest
/// bucket's chain ends with the last symbol, whose lowest bit is set.
std::uint64_t ElfImage::symbol_count_by_gnu_hash(std::uint64_t table) const {
  const auto buckets = row_at<std::uint32_t>(table), first = row_at<std::uint32_t>(table + 4),
             words = row_at<std::uint32_t>(table + 8);
  if (!buckets || !first || !words) return 0;
  const std::uint64_t bucket_table = table + 16 + std::uint64_t{*words} * 8;
  const std::uint64_t chain_table = bucket_table + std::uint64_t{*buckets} * 4;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < *buckets; ++i) {
    const auto symbol = row_at<std::uint32_t>(bucket_table + i * 4);
    if (!symbol) return 0;
    if (*symbol > last) last = *symbol;
  }
  if (last < *first) return *first;
  for (;; ++last) {
    const auto link = row_at<std::uint32_t>(chain_table + (last - *first) * 4);
    if (!link || (*link & 1) != 0) return last + 1;
  }
}

Result<bool> ElfImage::rename_needed(const std::map<std::string, std::string>& names) {
  std::map<std::string, std::uint64_t> index_of;
  for (const auto& [old, index] : needed_) {
    const auto renamed = names.find(old);
    if (renamed == names.end()) continue;
    if (auto error = obstacle_to_renaming(index, old, renamed->second)) return *error;
    index_of[old] = index;
  }
  rename_versions(index_of);
  for (const auto& [old, index] : index_of) {
    const std::string& name = names.at(old);
    put(strings_ + index, name.c_str(), name.size() + 1);
    edits_.push_back({strings_ + index, old.size() + 1});  // the next copy's name may be longer
  }
  return true;
}

std::optional<Error> ElfImage::obstacle_to_renaming(std::uint64_t index, const std::string& old,
                                                    const std::string& name) const {
  if (name.size() > old.size() || strings_ + index + old.size() >= bytes().size())
    return Error{ErrorCode::unsupported, "has no room to rename \"" + old + "\""};
  for (const Elf64_Dyn& other : dynamic_)
    if ((other.d_tag == DT_NEEDED || other.d_tag == DT_RUNPATH || other.d_tag == DT_RPATH) &&
        other.d_un.d_val != index && other.d_un.d_val > index &&
        other.d_un.d_val <= index + old.size())
      return Error{ErrorCode::unsupported, "uses a name inside of \"" + old + "\""};
  return std::nullopt;
}

/// The list of versions also names libraries, mostly by the same place.
void ElfImage::rename_versions(const std::map<std::string, std::uint64_t>& index_of) {
  const auto address = dynamic_value(DT_VERNEED);
  const std::uint64_t count = dynamic_value(DT_VERNEEDNUM).value_or(0);
  auto at = address ? offset_of(*address) : std::nullopt;
  for (std::uint64_t i = 0; at && i < count; ++i) {
    auto version = row_at<Elf64_Verneed>(*at);
    if (!version) return;
    const auto renamed = index_of.find(string_at(version->vn_file));
    if (renamed != index_of.end()) {
      version->vn_file = static_cast<Elf64_Word>(renamed->second);
      write_at(*at, *version);
    }
    if (version->vn_next == 0) return;
    *at += version->vn_next;
  }
}

bool ElfImage::is_edited(std::uint64_t offset, std::uint64_t bytes) const {
  return std::any_of(edits_.begin(), edits_.end(), [&](const Extent& edit) {
    return edit.address < offset + bytes && offset < edit.address + edit.bytes;
  });
}

/// Functions that choose others, which the loader calls before any constructor (STT_GNU_IFUNC).
bool ElfImage::has_early_functions() const {
  const auto types = relocation_types(header_.e_machine);
  if (!types) return true;
  const auto table = symbol_table();
  const std::uint64_t count = table ? symbol_count() : 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = row_at<Elf64_Sym>(*table + i * sizeof(Elf64_Sym));
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) return true;
  }
  for (const auto& [where, length] : {std::pair{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}}) {
    const auto address = dynamic_value(where);
    const auto rows = address ? offset_of(*address) : std::nullopt;
    const std::uint64_t bytes = dynamic_value(length).value_or(0);
    for (std::uint64_t at = 0; rows && at < bytes; at += sizeof(Elf64_Rela)) {
      const auto row = row_at<Elf64_Rela>(*rows + at);
      if (!row || ELF64_R_TYPE(row->r_info) == types->irelative) return true;
    }
  }
  return false;
}

/// Headers, notes, the first values of thread-local variables, or tables.
bool ElfImage::is_read_by_loader(const Elf64_Phdr& segment) const {
  const auto has_part = [&](const Elf64_Phdr& part) {
    return part.p_type != PT_LOAD && part.p_type != PT_GNU_EH_FRAME &&
           part.p_type != PT_GNU_STACK && part.p_offset < segment.p_offset + segment.p_filesz &&
           segment.p_offset < part.p_offset + part.p_filesz;
  };
  if (segment.p_offset == 0 || std::any_of(segments_.begin(), segments_.end(), has_part))
    return true;
  constexpr std::int64_t kTables[] = {DT_SYMTAB, DT_STRTAB, DT_HASH,   DT_GNU_HASH, DT_RELA,
                                      DT_JMPREL, DT_VERSYM, DT_VERDEF, DT_VERNEED,  DT_RELR};
  return std::any_of(std::begin(kTables), std::end(kTables), [&](std::int64_t tag) {
    const auto address = dynamic_value(tag);
    return address && *address - segment.p_vaddr < segment.p_memsz;
  });
}

/// Whether another part of the memory has bytes of this page of the file.
bool ElfImage::is_of_several_segments(std::uint64_t page) const {
  return std::count_if(segments_.begin(), segments_.end(), [&](const Elf64_Phdr& segment) {
           return segment.p_type == PT_LOAD && segment.p_offset < page + page_bytes() &&
                  page < segment.p_offset + segment.p_filesz;
         }) > 1;
}

std::vector<FilePart> ElfImage::parts_of_file() const {
  std::vector<FilePart> parts;
  const std::uint64_t page_size = page_bytes();
  const bool is_relocated =
      dynamic_value(DT_TEXTREL) || (dynamic_value(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
  const bool is_called_early = has_early_functions();
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0 || is_relocated) continue;
    const std::uint64_t distance = segment.p_vaddr - segment.p_offset;
    if (distance % page_size != 0 || segment.p_memsz != segment.p_filesz) continue;
    const bool is_code = (segment.p_flags & PF_X) != 0;
    const bool is_read = is_called_early || is_read_by_loader(segment);
    const std::uint64_t end = segment.p_offset + segment.p_filesz;
    for (std::uint64_t at = segment.p_offset / page_size * page_size; at < end; at += page_size) {
      if (is_edited(at, page_size)) continue;
      const bool is_shared = is_of_several_segments(at);
      const FilePart page{at, at + distance, page_size, is_code, is_read || is_shared, is_shared};
      if (!parts.empty() && continues(parts.back(), page))
        parts.back().bytes += page_size;
      else
        parts.push_back(page);
    }
  }
  return parts;
}

void ElfImage::order_needed(const std::vector<std::string>& names) {
  std::vector<Needed> ordered;
  for (const std::string& name : names)
    for (const Needed& needed : needed_)
      if (needed.name == name) ordered.push_back(needed);
  TERRACE_ASSERT(ordered.size() == needed_.size(), ordered.size(), needed_.size());
  if (ordered.size() != needed_.size()) return;
  needed_ = ordered;
  std::size_t next = 0;
  for (std::size_t i = 0; i < dynamic_.size(); ++i)
    if (dynamic_[i].d_tag == DT_NEEDED) set_dynamic(i, DT_NEEDED, needed_[next++].index);
}

bool ElfImage::need_instead_of_name(const std::string& library) {
  for (std::size_t i = 0; i < dynamic_.size(); ++i) {
    const std::uint64_t index = dynamic_[i].d_un.d_val;
    if (dynamic_[i].d_tag != DT_SONAME || obstacle_to_renaming(index, string_at(index), library))
      continue;
    put(strings_ + index, library.c_str(), library.size() + 1);
    set_dynamic(i, DT_NEEDED, index);
    return true;
  }
  return false;
}

/// Returns the place of the name of a symbol that compilers let files ask for, but nothing defines:
/// the loader takes 0 for it, whatever it is called.
std::optional<std::uint64_t> ElfImage::name_of_weak_symbol(const std::string& replacement) const {
  const auto table = symbol_table();
  const std::uint64_t count = table ? symbol_count() : 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = row_at<Elf64_Sym>(*table + i * sizeof(Elf64_Sym));
    if (!symbol) break;
    if (symbol->st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) != STB_WEAK) continue;
    const std::string name = string_at(symbol->st_name);
    if (name.starts_with("_ITM_") && !obstacle_to_renaming(symbol->st_name, name, replacement))
      return symbol->st_name;
  }
  return std::nullopt;
}

bool ElfImage::need_instead_of_weak_symbol(const std::string& library) {
  const auto index = name_of_weak_symbol(library);
  // A hint that the loader can do without.
  const auto hint = std::find_if(dynamic_.begin(), dynamic_.end(), [](const Elf64_Dyn& entry) {
    return entry.d_tag == DT_RELACOUNT || entry.d_tag == DT_DEBUG;
  });
  if (!index || hint == dynamic_.end()) return false;
  put(strings_ + *index, library.c_str(), library.size() + 1);
  set_dynamic(static_cast<std::size_t>(hint - dynamic_.begin()), DT_NEEDED, *index);
  return true;
}

Constructors ElfImage::take_constructors() {
  Constructors constructors{
      dynamic_value(DT_INIT).value_or(0),
      {dynamic_value(DT_INIT_ARRAY).value_or(0), dynamic_value(DT_INIT_ARRAYSZ).value_or(0)}};
  for (std::size_t i = 0; i < dynamic_.size(); ++i) {
    const auto tag = dynamic_[i].d_tag;
    if (tag == DT_INIT || tag == DT_INIT_ARRAY || tag == DT_INIT_ARRAYSZ)
      set_dynamic(i, kIgnored, dynamic_[i].d_un.d_val);
  }
  return constructors;
}

bool ElfImage::need_only(const std::string& library) {
  const auto has_room = [&](const Needed& one) {
    return !obstacle_to_renaming(one.index, one.name, library);
  };
  const auto place = std::find_if(needed_.begin(), needed_.end(), has_room);
  if (place == needed_.end()) return false;
  const std::uint64_t index = place->index;
  for (std::size_t i = 0; i < dynamic_.size(); ++i)
    if (dynamic_[i].d_tag == DT_NEEDED && dynamic_[i].d_un.d_val != index)
      set_dynamic(i, kIgnored, dynamic_[i].d_un.d_val);
  put(strings_ + index, library.c_str(), library.size() + 1);
  needed_ = {{library, index}};
  return true;
}

void ElfImage::forget_needed() {
  needed_.clear();
  for (std::size_t i = 0; i < dynamic_.size(); ++i)
    if (dynamic_[i].d_tag == DT_NEEDED) set_dynamic(i, kIgnored, dynamic_[i].d_un.d_val);
}

}  // namespace terrace
