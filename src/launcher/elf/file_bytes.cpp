// SPDX-License-Identifier: BSD-3-Clause
// Maps files for what only this process sees of its changes.
#include "launcher/elf/file_bytes.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

namespace terrace {

std::optional<FileBytes> FileBytes::map(int number) {
  struct stat status {};
  if (fstat(number, &status) != 0) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes == 0) return FileBytes(std::string());
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, number, 0);
  if (mapped == MAP_FAILED) return std::nullopt;
  return FileBytes(static_cast<char*>(mapped), bytes);
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : text_(std::move(other.text_)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

FileBytes& FileBytes::operator=(FileBytes&& other) noexcept {
  std::swap(text_, other.text_);
  std::swap(mapped_, other.mapped_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

FileBytes::~FileBytes() {
  if (mapped_ != nullptr) munmap(mapped_, bytes_);
}

}  // namespace terrace
