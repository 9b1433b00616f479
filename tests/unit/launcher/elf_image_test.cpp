// SPDX-License-Identifier: BSD-3-Clause
// Programs and libraries as bytes: this test itself, its libraries, and wrong ones made of it.
#include "launcher/elf/elf_image.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <random>
#include <string>

#include "launcher/elf/libraries.hpp"
#include "launcher/elf/processor.hpp"
#include "launcher/elf/program.hpp"
#include "launcher/process/settings.hpp"

namespace terrace {
namespace {

thread_local volatile int of_this_test = 5;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string bytes(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

ElfImage this_test() {
  return ElfImage::from_bytes(bytes_of("/proc/self/exe")).value();
}

/// One of this test's libraries, by the beginning of its name.
ElfImage library(const std::string& beginning) {
  ElfImage image = this_test();
  const std::string path_of_this = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto paths = libraries_of(image.interpreter(), path_of_this).value();
  for (const auto& [name, path] : paths)
    if (name.starts_with(beginning)) return ElfImage::from_bytes(bytes_of(path)).value();
  ADD_FAILURE() << "this test is not linked to " << beginning;
  return image;
}

bool contains(const std::vector<std::string>& all, const std::string& beginning) {
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& one) { return one.starts_with(beginning); });
}

/// All that the launcher asks of a file.
void use(ElfImage image) {
  std::map<std::string, std::string> names;
  for (const std::string& name : image.needed()) names[name] = "200";
  static_cast<void>(image.defined("main"));
  static_cast<void>(image.copied_variables());
  static_cast<void>(image.name());
  static_cast<void>(image.wants_static_thread_locals());
  static_cast<void>(obstacle_in("it", image, {65536, 4096}));
  static_cast<void>(image.parts_of_file());
  std::string found;
  static_cast<void>(image.defines_any({"MPI_"}, found));
  image.make_private();
  static_cast<void>(image.rename_needed(names));
  static_cast<void>(image.need_only("200"));
  image.forget_needed();
}

TEST(ElfImage, says_what_a_program_is) {
  of_this_test = 6;
  const ElfImage image = this_test();
  EXPECT_TRUE(image.is_position_independent());
  EXPECT_TRUE(image.is_dynamic());
  EXPECT_NE(image.interpreter().find("ld-linux"), std::string::npos);
  EXPECT_TRUE(contains(image.needed(), "libc.so."));
  EXPECT_TRUE(contains(image.needed(), "libstdc++.so."));
  EXPECT_EQ(image.name(), "");
  ASSERT_TRUE(image.thread_locals().has_value());
  EXPECT_GE(image.thread_locals()->bytes, sizeof of_this_test);
  EXPECT_NE(image.entry(), 0u);
}

TEST(ElfImage, says_what_a_library_is) {
  const ElfImage image = library("libstdc++.so.");
  EXPECT_EQ(image.name(), "libstdc++.so.6");
  EXPECT_EQ(image.interpreter(), "");
  const auto cout = image.defined("_ZSt4cout");
  ASSERT_TRUE(cout.has_value());
  EXPECT_EQ(cout->bytes, sizeof(std::ostream));
  EXPECT_FALSE(image.defined("_ZSt4cou").has_value());
  EXPECT_FALSE(image.defined("no such name").has_value());
}

TEST(ElfImage, renames_what_is_needed) {
  ElfImage image = this_test();
  const std::size_t before = image.bytes().size();
  const auto renamed = image.rename_needed({{"libc.so.6", "200"}, {"libnone.so", "201"}});
  ASSERT_TRUE(renamed.ok()) << renamed.error().sentence;
  EXPECT_EQ(image.bytes().size(), before);
  const ElfImage read_again = ElfImage::from_bytes(std::string(image.bytes())).value();
  EXPECT_TRUE(contains(read_again.needed(), "200"));
  EXPECT_FALSE(contains(read_again.needed(), "libc.so."));
  EXPECT_TRUE(contains(read_again.needed(), "libstdc++.so."));
  EXPECT_FALSE(image.rename_needed({{"libstdc++.so.6", "a name that is longer"}}).ok());
}

TEST(ElfImage, needs_libraries_in_another_order) {
  ElfImage image = this_test();
  std::vector<std::string> order = image.needed();
  ASSERT_GT(order.size(), 1u);
  std::reverse(order.begin(), order.end());
  image.order_needed(order);
  EXPECT_EQ(image.needed(), order);
  EXPECT_EQ(ElfImage::from_bytes(std::string(image.bytes())).value().needed(), order);
}

TEST(ElfImage, knows_what_a_program_imports) {
  const ElfImage image = this_test();
  EXPECT_TRUE(image.imports("memcpy") || image.imports("strlen"));
  EXPECT_FALSE(image.imports("__monstartup"));
  EXPECT_FALSE(image.imports("memcp"));
}

TEST(ElfImage, makes_a_library_one_of_its_own) {
  ElfImage image = library("libstdc++.so.");
  const auto count_of_unique = [](std::string_view bytes) {
    // In the symbol table, "unique" is the upper half of a byte; elsewhere it hardly occurs.
    return std::count(bytes.begin(), bytes.end(),
                      static_cast<char>(STB_GNU_UNIQUE << 4 | STT_OBJECT));
  };
  const auto before = count_of_unique(image.bytes());
  image.make_private();
  const ElfImage read_again = ElfImage::from_bytes(std::string(image.bytes())).value();
  EXPECT_EQ(read_again.name(), "");
  EXPECT_LT(count_of_unique(read_again.bytes()), before);
  EXPECT_TRUE(contains(read_again.needed(), "libc.so."));
  const auto needed_again = [&] {
    return ElfImage::from_bytes(std::string(image.bytes())).value().needed();
  };
  EXPECT_FALSE(image.need_only(std::string(100, 'x')));
  ASSERT_TRUE(image.need_only("200"));
  EXPECT_EQ(needed_again(), std::vector<std::string>{"200"});
  image.forget_needed();
  EXPECT_TRUE(needed_again().empty());
}

TEST(ElfImage, finds_what_is_defined) {
  const ElfImage image = library("libstdc++.so.");
  EXPECT_TRUE(image.defined("_ZSt4cout"));
  EXPECT_FALSE(image.defined("_ZSt4cou"));
  EXPECT_FALSE(image.defined("malloc")) << "it is needed, not defined";
  std::string found;
  EXPECT_TRUE(image.defines_any({"none", "_ZNSolsE"}, found));
  EXPECT_TRUE(found.starts_with("_ZNSolsE")) << found;
  EXPECT_FALSE(image.defines_any({"malloc", "none"}, found));
}

TEST(ElfImage, says_which_pages_are_the_files) {
  ElfImage image = library("libstdc++.so.");
  const std::string original(image.bytes());
  image.make_private();
  ASSERT_TRUE(image.rename_needed({{"libc.so.6", "<copy>"}}).ok());
  const std::size_t name = image.bytes().find("<copy>");
  ASSERT_NE(name, std::string::npos);
  std::uint64_t all = 0;
  bool has_code = false;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const FilePart& part : image.parts_of_file()) {
    EXPECT_EQ(part.offset % page, 0u);
    EXPECT_EQ(part.address % page, 0u);
    ASSERT_LT(part.offset + part.bytes, original.size() + page);
    EXPECT_EQ(image.bytes().compare(part.offset, part.bytes, original, part.offset, part.bytes), 0);
    EXPECT_FALSE(name >= part.offset && name < part.offset + part.bytes) << "of the new name";
    all += part.bytes;
    has_code |= part.is_code;
  }
  EXPECT_GT(all, original.size() / 2);
  EXPECT_TRUE(has_code);
}

TEST(ElfImage, takes_constructors_from_the_loader) {
  ElfImage image = library("libstdc++.so.");
  const terrace::Constructors constructors = image.take_constructors();
  EXPECT_NE(constructors.list.address, 0u);
  EXPECT_NE(constructors.list.bytes, 0u);
  EXPECT_EQ(constructors.list.bytes % sizeof(void*), 0u);
  ElfImage read_again = ElfImage::from_bytes(std::string(image.bytes())).value();
  const terrace::Constructors left = read_again.take_constructors();
  EXPECT_EQ(left.first, 0u);
  EXPECT_EQ(left.list.bytes, 0u);
}

/// Constants need not be in a copy: no loader reads them.
TEST(ElfImage, knows_what_the_loader_reads) {
  std::uint64_t read = 0, other = 0;
  for (const FilePart& part : library("libstdc++.so.").parts_of_file())
    if (!part.is_code) (part.is_for_loader ? read : other) += part.bytes;
  EXPECT_GT(read, 0u);
  EXPECT_GT(other, 0u);
}

TEST(FileBytes, change_without_the_file) {
  const std::string path = testing::TempDir() + "terrace-file-bytes-" + std::to_string(getpid());
  std::ofstream(path) << "as it was";
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto bytes = terrace::FileBytes::map(number);
  close(number);
  ASSERT_TRUE(bytes.has_value());
  bytes->data()[0] = 'A';
  EXPECT_EQ(bytes->view(), "As it was");
  EXPECT_EQ(bytes_of(path), "as it was");
  const terrace::FileBytes moved = std::move(*bytes);
  EXPECT_EQ(moved.view(), "As it was");
  std::ofstream(path, std::ios::trunc);
  const int empty = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(terrace::FileBytes::map(empty)->view(), "");
  close(empty);
  unlink(path.c_str());
  EXPECT_FALSE(terrace::FileBytes::map(-1).has_value());
}

TEST(ElfImage, refuses_what_is_no_program) {
  for (const std::string& text : {std::string(), std::string("#!/bin/sh\n"), std::string("\177EL")})
    EXPECT_EQ(ElfImage::from_bytes(text).error().sentence,
              "is not a program or library in machine code");
  EXPECT_EQ(ElfImage::from_bytes(std::string("\177ELF")).error().sentence,
            "is cut off within its header");
  std::string narrow = bytes_of("/proc/self/exe").substr(0, 4096);
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_FALSE(ElfImage::from_bytes(narrow).ok());
}

/// Every beginning of a file gives an error or an image that can be asked anything.
TEST(ElfImage, survives_files_that_are_cut_off) {
  const std::string bytes(library("libgcc_s.so.").bytes());
  std::size_t refused = 0;
  for (std::size_t length = 0; length < bytes.size(); length += length < 2048 ? 7 : 1009) {
    auto image = ElfImage::from_bytes(bytes.substr(0, length));
    refused += !image.ok();
    if (image)
      use(std::move(image).value());
    else
      EXPECT_FALSE(image.error().sentence.empty());
  }
  EXPECT_GT(refused, 10u);
}

/// Bytes are changed where the file says where things are: its beginning, and what the loader
/// reads.
TEST(ElfImage, survives_files_in_which_bytes_are_changed) {
  const std::string bytes(library("libgcc_s.so.").bytes());
  std::mt19937 random(20261122);
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  std::size_t dynamic = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + sizeof(Elf64_Ehdr) + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_DYNAMIC) dynamic = segment.p_offset;
  }
  ASSERT_NE(dynamic, 0u);
  const std::size_t places[][2] = {{16, 1024}, {dynamic, 512}, {1024, 16384}};
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string changed = bytes;
    const auto& [begin, length] = places[below(3)];
    for (std::size_t n = 1 + below(8); n > 0; --n)
      changed[begin + below(length)] = below(2) == 0 ? '\xff' : static_cast<char>(below(256));
    auto image = ElfImage::from_bytes(std::move(changed));
    refused += !image.ok();
    if (image) use(std::move(image).value());
  }
  EXPECT_GT(refused, 100u);
  EXPECT_LT(refused, 3000u);
}

/// The places are those that linkers give to programs' variables.
TEST(ThreadLocals, begin_where_programs_of_each_processor_expect_them) {
  const ThreadLocals ints{0x1f000, 0, 4, 12, 4};
  EXPECT_EQ(offset_of_locals(ints, EM_X86_64), -12);
  EXPECT_EQ(reserve_for(ints, EM_X86_64), 12u);
  EXPECT_EQ(offset_of_locals(ints, EM_AARCH64), 16);
  EXPECT_EQ(reserve_for(ints, EM_AARCH64), 12u);
  const ThreadLocals lines{0x1f000, 0, 0, 72, 64};
  EXPECT_EQ(offset_of_locals(lines, EM_X86_64), -128);
  EXPECT_EQ(offset_of_locals(lines, EM_AARCH64), 64);
  EXPECT_EQ(reserve_for(lines, EM_AARCH64), 64 - 16 + 72u);
  const ThreadLocals within_a_line{0x1f020, 0, 0, 8, 64};
  EXPECT_EQ(offset_of_locals(within_a_line, EM_AARCH64), 32);
  EXPECT_EQ(offset_of_locals(within_a_line, EM_X86_64), -32);
  EXPECT_EQ(reserve_for(within_a_line, EM_X86_64), 32u);
  const ThreadLocals over_a_line{0x1f030, 0, 0, 24, 64};
  EXPECT_EQ(offset_of_locals(over_a_line, EM_X86_64), -80);
}

TEST(ThreadLocals, of_this_test_lie_there) {
  of_this_test = 7;
  const ElfImage image = this_test();
  ASSERT_TRUE(image.thread_locals().has_value());
  const auto* const begin = static_cast<const char*>(__builtin_thread_pointer()) +
                            offset_of_locals(*image.thread_locals(), kThisProcessor);
  const auto* const variable = const_cast<const char*>(
      reinterpret_cast<volatile char*>(const_cast<volatile int*>(&of_this_test)));
  EXPECT_GE(variable, begin);
  EXPECT_LE(variable + sizeof of_this_test, begin + image.thread_locals()->bytes);
}

TEST(Relocations, have_numbers_of_each_processor) {
  EXPECT_EQ(relocation_types(EM_X86_64)->copy, 5u);
  EXPECT_EQ(relocation_types(EM_X86_64)->irelative, 37u);
  EXPECT_EQ(relocation_types(EM_AARCH64)->copy, 1024u);
  EXPECT_EQ(relocation_types(EM_AARCH64)->irelative, 1032u);
  EXPECT_FALSE(relocation_types(EM_PPC64).has_value());
}

TEST(Obstacle, is_named) {
  const ElfImage image = this_test();
  EXPECT_EQ(obstacle_in("./this", image, {1 << 20, 4096}), "");
  EXPECT_NE(obstacle_in("./this", image, {0, 4096}).find("bytes of thread-local variables"),
            std::string::npos);
  EXPECT_NE(obstacle_in("./perl5.36", image, {1 << 20, 4096}).find("an interpreter"),
            std::string::npos);
  EXPECT_EQ(obstacle_in("./python3.11", image, {1 << 20, 4096}), "");
}

TEST(WeakSymbol, lends_its_name_to_a_needed_library) {
  ElfImage image = this_test();
  const std::vector<std::string> before = image.needed();
  ASSERT_TRUE(image.need_instead_of_weak_symbol("202"));
  const Result<ElfImage> read_again = ElfImage::from_bytes(FileBytes(std::string(image.bytes())));
  ASSERT_TRUE(read_again);
  std::vector<std::string> after = read_again.value().needed();
  ASSERT_EQ(after.size(), before.size() + 1);
  EXPECT_EQ(std::count(after.begin(), after.end(), "202"), 1);
  EXPECT_FALSE(image.need_instead_of_weak_symbol(std::string(40, 'x')));
}

TEST(Libraries, are_read_from_the_loaders_list) {
  const auto paths = paths_in_list(
      "\tlinux-vdso.so.1 (0x00007fff)\n\tlibm.so.6 => /lib/libm.so.6 (0x00007f)\n"
      "\tlibnone.so => not found\n\t./plain.so (0x00007f)\n\t/lib64/ld-linux.so.2 (0x0)\n");
  const std::map<std::string, std::string> expected = {
      {"libm.so.6", "/lib/libm.so.6"},
      {"libnone.so", ""},
      {"./plain.so", "./plain.so"},
      {"/lib64/ld-linux.so.2", "/lib64/ld-linux.so.2"}};
  EXPECT_EQ(paths, expected);
  EXPECT_TRUE(paths_in_list("").empty());
}

TEST(Libraries, have_owners) {
  EXPECT_EQ(owner_of("libc.so.6"), LibraryOwner::process);
  EXPECT_EQ(owner_of("ld-linux-x86-64.so.2"), LibraryOwner::process);
  EXPECT_EQ(owner_of("/lib64/ld-linux-x86-64.so.2"), LibraryOwner::process);
  EXPECT_EQ(owner_of("/lib/ld-linux-aarch64.so.1"), LibraryOwner::process);
  EXPECT_EQ(owner_of("libcrypt.so.1"), LibraryOwner::rank);
  EXPECT_EQ(owner_of("libmpi_abi.so.1"), LibraryOwner::mpi);
  EXPECT_EQ(owner_of("libmpi.so.12"), LibraryOwner::mpi);
  EXPECT_EQ(owner_of("libgfortran.so.5"), LibraryOwner::rank);
  EXPECT_EQ(owner_of("libquadmath.so.0"), LibraryOwner::process);
  EXPECT_EQ(owner_of("libmpifort.so.12"), LibraryOwner::rank);
  EXPECT_EQ(owner_of("libmpichfort.so.12"), LibraryOwner::rank);
  EXPECT_EQ(owner_of("libmpi.so.40"), LibraryOwner::mpi);
  EXPECT_EQ(owner_of("libmpi_mpifh.so.40"), LibraryOwner::rank);
  EXPECT_TRUE(obstacle_in_name("libmpi.so.20").starts_with("is built for Open MPI 2 ("));
  EXPECT_TRUE(obstacle_in_name("libmpi_ilp64.so.4").starts_with("is built with integers of 8"));
  EXPECT_EQ(obstacle_in_name("libmpi.so.40"), "");
  EXPECT_EQ(obstacle_in_name("libmpi.so.12"), "");
}

TEST(LaunchSettings, come_back_from_their_text) {
  LaunchSettings settings;
  settings.ranks = 3;
  settings.stack_bytes = 1 << 20;
  settings.library_local_bytes = 4000;
  settings.labels = true;
  settings.workers = {0, -1, 7};
  settings.tells_obstacle = true;
  settings.bindings = {{0, 1}, {2}, {3, 5}};
  const auto back = launch_settings_from_text(to_text(settings));
  ASSERT_TRUE(back.ok()) << back.error().sentence;
  EXPECT_EQ(back.value().ranks, 3);
  EXPECT_EQ(back.value().stack_bytes, settings.stack_bytes);
  EXPECT_EQ(back.value().library_local_bytes, settings.library_local_bytes);
  EXPECT_TRUE(back.value().labels);
  EXPECT_TRUE(back.value().tells_obstacle);
  EXPECT_EQ(back.value().workers, settings.workers);
  EXPECT_EQ(back.value().bindings, settings.bindings);
  for (const char* text : {"ranks=0", "ranks=", "ranks", "stack=much", "bind=x", "colour=1", "="})
    EXPECT_FALSE(launch_settings_from_text(text).ok()) << text;
}

}  // namespace
}  // namespace terrace
