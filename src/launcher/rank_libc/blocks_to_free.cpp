// SPDX-License-Identifier: BSD-3-Clause
// Functions of libc that return memory for the program to free, or that change its size. A program
// may have an allocator of its own, such as jemalloc's or mimalloc's: in a process libc uses that
// one, too, but here libc is older than the program, and uses its own.
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "launcher/rank_libc/rank_libc.hpp"

namespace terrace::rank_libc {

namespace {

OfLibc<void(void*)> free_of_libc("free");

bool has_own_allocator = false;

/// A block of libc as one of the program's allocator, with room for `room` bytes. Null, and errno:
/// there is no memory, or no block.
void* handed_over(void* block, size_t bytes, size_t room) {
  if (block == nullptr || !has_own_allocator) return block;
  void* const own = malloc(room);
  if (own != nullptr) memcpy(own, block, bytes);
  free_of_libc(block);
  if (own == nullptr) errno = ENOMEM;
  return own;
}

char* handed_over(char* text, size_t room = 0) {
  if (text == nullptr) return nullptr;
  const size_t bytes = strlen(text) + 1;
  return static_cast<char*>(handed_over(text, bytes, room > bytes ? room : bytes));
}

void* copy_of(const void* from, size_t bytes) {
  void* const to = malloc(bytes);
  return to == nullptr ? nullptr : memcpy(to, from, bytes);
}

char* beginning_of(const char* text, size_t most) {
  const size_t length = strnlen(text, most);
  auto* const to = static_cast<char*>(malloc(length + 1));
  if (to == nullptr) return nullptr;
  to[length] = '\0';
  return static_cast<char*>(memcpy(to, text, length));
}

OfLibc<int(char**, const char*, va_list)> print_of_libc("vasprintf");
OfLibc<ssize_t(char**, size_t*, int, FILE*)> read_of_libc("getdelim");
OfLibc<FILE*(char**, size_t*)> stream_of_libc("open_memstream");
OfLibc<char*(char*, size_t)> folder_of_libc("getcwd");
OfLibc<char*()> any_folder_of_libc("get_current_dir_name");
OfLibc<char*(const char*, const char*)> name_of_libc("tempnam");
OfLibc<char**(void* const*, int)> symbols_of_libc("backtrace_symbols");
using Wanted = int(const dirent*);
using Compare = int(const dirent**, const dirent**);
OfLibc<int(int, const char*, dirent***, Wanted*, Compare*)> entries_of_libc("scandirat");

int print(char** text, const char* format, va_list values) {
  const int length = print_of_libc(text, format, values);
  if (length < 0) return length;
  const size_t bytes = static_cast<size_t>(length) + 1;
  *text = static_cast<char*>(handed_over(*text, bytes, bytes));
  return *text == nullptr ? -1 : length;
}

/// Reads into memory of libc, and copies to the program's.
ssize_t read_into_own(char** line, size_t* room, int end, FILE* stream) {
  char* text = nullptr;
  size_t bytes = 0;
  ssize_t length = read_of_libc(&text, &bytes, end, stream);
  const size_t needed = static_cast<size_t>(length) + 1;
  if (length >= 0 && (*line == nullptr || *room < needed)) {
    const size_t larger = needed < 120 ? 120 : needed;
    void* const moved = realloc(*line, larger);
    if (moved == nullptr) {
      length = -1;
    } else {
      *line = static_cast<char*>(moved);
      *room = larger;
    }
  }
  if (length >= 0) memcpy(*line, text, needed);
  free_of_libc(text);
  return length;
}

ssize_t read(char** line, size_t* room, int end, FILE* stream) {
  if (line == nullptr || room == nullptr || !has_own_allocator)
    return read_of_libc(line, room, end, stream);
  return read_into_own(line, room, end, stream);
}

/// The block that a stream writes: the program sees it whenever the stream is flushed.
struct MemoryStream {
  char** text;
  size_t* bytes;
  char* block = nullptr;
  size_t room = 0, length = 0, at = 0;

  bool has_room(size_t needed) {
    if (needed < room) return true;
    const size_t larger = needed < 128 ? 128 : 2 * needed;
    auto* const moved = static_cast<char*>(realloc(block, larger));
    if (moved == nullptr) return false;
    memset(moved + length, 0, larger - length);
    block = moved;
    room = larger;
    return true;
  }
  void tell() {
    *text = block;
    *bytes = at < length ? at : length;
  }
};

ssize_t write_to_memory(void* cookie, const char* from, size_t bytes) {
  auto* const its = static_cast<MemoryStream*>(cookie);
  if (!its->has_room(its->at + bytes)) return 0;
  memcpy(its->block + its->at, from, bytes);
  its->at += bytes;
  if (its->length < its->at) its->length = its->at;
  its->tell();
  return static_cast<ssize_t>(bytes);
}

int seek_in_memory(void* cookie, off64_t* place, int whence) {
  auto* const its = static_cast<MemoryStream*>(cookie);
  const size_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? its->at : its->length;
  const off64_t to = static_cast<off64_t>(from) + *place;
  if (to < 0) {
    errno = EINVAL;
    return -1;
  }
  its->at = static_cast<size_t>(to);
  its->tell();
  *place = to;
  return 0;
}

int close_memory(void* cookie) {
  auto* const its = static_cast<MemoryStream*>(cookie);
  its->tell();
  its->block[*its->bytes] = '\0';  // as libc cuts off what is behind
  free(its);
  return 0;
}

FILE* open_own_memory(char** text, size_t* bytes) {
  auto* const its = static_cast<MemoryStream*>(malloc(sizeof(MemoryStream)));
  if (its == nullptr) return nullptr;
  *its = MemoryStream{text, bytes};
  FILE* const stream = its->has_room(0)
                           ? terrace_rank_open_stream_of_cookie(
                                 its, "w", {nullptr, write_to_memory, seek_in_memory, close_memory})
                           : nullptr;
  if (stream == nullptr) {
    free(its->block);
    free(its);
    return nullptr;
  }
  its->tell();
  return stream;
}

/// Returns -1 if there is no memory; what has been handed over until then is lost.
int hand_over_entries(dirent*** entries, int count) {
  const bool are_any = count > 0 || (count == 0 && *entries != nullptr);  // of none, libc has null
  if (!are_any || !has_own_allocator) return count;
  const size_t bytes = static_cast<size_t>(count) * sizeof **entries;
  *entries = static_cast<dirent**>(handed_over(*entries, bytes, bytes + sizeof **entries));
  if (*entries == nullptr) return -1;
  for (int i = 0; i < count; ++i) {
    dirent*& one = (*entries)[i];
    one = static_cast<dirent*>(handed_over(one, one->d_reclen, one->d_reclen));
    if (one == nullptr) return -1;
  }
  return count;
}

/// Hands over the one block in which libc has them: pointers, and then texts.
char** hand_over_symbols(char** symbols, int count) {
  if (symbols == nullptr || !has_own_allocator) return symbols;
  if (count <= 0) return static_cast<char**>(handed_over(symbols, 0, 1));
  const char* const last = symbols[count - 1];
  auto* const begin = reinterpret_cast<char*>(symbols);
  const size_t bytes = static_cast<size_t>(last - begin) + strlen(last) + 1;
  auto** const own = static_cast<char**>(copy_of(symbols, bytes));
  for (int i = 0; i < count && own != nullptr; ++i)
    own[i] = reinterpret_cast<char*>(own) + (symbols[i] - begin);
  free_of_libc(symbols);
  return own;
}

}  // namespace

void begin_blocks() {
  has_own_allocator = reinterpret_cast<void*>(&malloc) != terrace_rank_libc_function("malloc");
}

char* text_of_program(char* text) {
  return handed_over(text);
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

void* own_reallocarray(void* block, size_t count, size_t bytes) TERRACE_INSTEAD_OF(reallocarray);
void* own_reallocarray(void* block, size_t count, size_t bytes) {
  size_t all = 0;
  if (!__builtin_mul_overflow(count, bytes, &all)) return realloc(block, all);
  errno = ENOMEM;
  return nullptr;
}

char* own_strdup(const char* text) TERRACE_INSTEAD_OF(strdup);
char* own_strdup(const char* text) {
  return static_cast<char*>(copy_of(text, strlen(text) + 1));
}

char* own_strndup(const char* text, size_t most) TERRACE_INSTEAD_OF(strndup);
char* own_strndup(const char* text, size_t most) {
  return beginning_of(text, most);
}

// The names under which older headers have them.
extern char* own_strdup_too(const char*) TERRACE_ALSO_AS(__strdup, strdup);
extern char* own_strndup_too(const char*, size_t) TERRACE_ALSO_AS(__strndup, strndup);

wchar_t* own_wcsdup(const wchar_t* text) TERRACE_INSTEAD_OF(wcsdup);
wchar_t* own_wcsdup(const wchar_t* text) {
  return static_cast<wchar_t*>(copy_of(text, (wcslen(text) + 1) * sizeof *text));
}

int own_vasprintf(char** text, const char* format, va_list values) TERRACE_INSTEAD_OF(vasprintf);
int own_vasprintf(char** text, const char* format, va_list values) {
  return print(text, format, values);
}

int own_asprintf(char** text, const char* format, ...) TERRACE_INSTEAD_OF(asprintf);
int own_asprintf(char** text, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = print(text, format, values);
  va_end(values);
  return length;
}

extern int own_asprintf_too(char**, const char*, ...) TERRACE_ALSO_AS(__asprintf, asprintf);

// The names under -D_FORTIFY_SOURCE.
int own_vasprintf_checked(char** text, int, const char* format, va_list values)
    TERRACE_INSTEAD_OF(__vasprintf_chk);
int own_vasprintf_checked(char** text, int, const char* format, va_list values) {
  return print(text, format, values);
}

int own_asprintf_checked(char** text, int, const char* format, ...)
    TERRACE_INSTEAD_OF(__asprintf_chk);
int own_asprintf_checked(char** text, int, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = print(text, format, values);
  va_end(values);
  return length;
}

ssize_t own_getdelim(char** line, size_t* room, int end, FILE* stream) TERRACE_INSTEAD_OF(getdelim);
ssize_t own_getdelim(char** line, size_t* room, int end, FILE* stream) {
  return read(line, room, end, stream);
}

/// The name to which headers change both with optimization.
ssize_t own_getdelim_too(char** line, size_t* room, int end, FILE* stream)
    TERRACE_INSTEAD_OF(__getdelim);
ssize_t own_getdelim_too(char** line, size_t* room, int end, FILE* stream) {
  return read(line, room, end, stream);
}

ssize_t own_getline(char** line, size_t* room, FILE* stream) TERRACE_INSTEAD_OF(getline);
ssize_t own_getline(char** line, size_t* room, FILE* stream) {
  return read(line, room, '\n', stream);
}

FILE* own_memory_stream(char** text, size_t* bytes) TERRACE_INSTEAD_OF(open_memstream);
FILE* own_memory_stream(char** text, size_t* bytes) {
  return with_note(has_own_allocator ? open_own_memory(text, bytes) : stream_of_libc(text, bytes));
}

char* own_getcwd(char* to, size_t room) TERRACE_INSTEAD_OF(getcwd);
char* own_getcwd(char* to, size_t room) {
  char* const found = folder_of_libc(to, room);
  return to == nullptr ? handed_over(found, room) : found;
}

char* own_current_folder() TERRACE_INSTEAD_OF(get_current_dir_name);
char* own_current_folder() {
  return handed_over(any_folder_of_libc());
}

char* own_tempnam(const char* folder, const char* beginning) TERRACE_INSTEAD_OF(tempnam);
char* own_tempnam(const char* folder, const char* beginning) {
  return handed_over(name_of_libc(folder, beginning));
}

int own_scandirat(int folder, const char* path, dirent*** entries, Wanted* wanted, Compare* compare)
    TERRACE_INSTEAD_OF(scandirat);
int own_scandirat(int folder, const char* path, dirent*** entries, Wanted* wanted,
                  Compare* compare) {
  return hand_over_entries(entries, entries_of_libc(folder, path, entries, wanted, compare));
}

int own_scandir(const char* path, dirent*** entries, Wanted* wanted, Compare* compare)
    TERRACE_INSTEAD_OF(scandir);
int own_scandir(const char* path, dirent*** entries, Wanted* wanted, Compare* compare) {
  return own_scandirat(AT_FDCWD, path, entries, wanted, compare);
}

// Names for the same functions on these machines, where all files may be long.
extern int own_scandirat64(int, const char*, dirent***, Wanted*, Compare*)
    TERRACE_ALSO_AS(scandirat64, scandirat);
extern int own_scandir64(const char*, dirent***, Wanted*, Compare*)
    TERRACE_ALSO_AS(scandir64, scandir);

char** own_backtrace_symbols(void* const* addresses, int count)
    TERRACE_INSTEAD_OF(backtrace_symbols);
char** own_backtrace_symbols(void* const* addresses, int count) {
  return hand_over_symbols(symbols_of_libc(addresses, count), count);
}

}  // extern "C"
