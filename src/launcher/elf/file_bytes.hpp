// SPDX-License-Identifier: BSD-3-Clause
// FileBytes: the bytes of a file, which can be changed without changing the file. Of a mapped file,
// only the pages that are read or written cost anything, and the kernel reads ahead, as it does for
// the loader.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace terrace {

class FileBytes {
 public:
  FileBytes(std::string text) : text_(std::move(text)) {}
  /// Maps an open file, which may be closed then. Nothing: errno says why.
  static std::optional<FileBytes> map(int number);
  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  ~FileBytes();

  std::string_view view() const {
    return mapped_ != nullptr ? std::string_view{mapped_, bytes_} : text_;
  }
  char* data() { return mapped_ != nullptr ? mapped_ : text_.data(); }

 private:
  FileBytes(char* mapped, std::size_t bytes) : mapped_(mapped), bytes_(bytes) {}

  std::string text_;
  char* mapped_ = nullptr;
  std::size_t bytes_ = 0;  ///< that are mapped
};

}  // namespace terrace
