// SPDX-License-Identifier: BSD-3-Clause
// Makes type signatures, and counts their elements.
#include "threadranks/types/type_signature.hpp"

#include <utility>

namespace terrace::threadranks {

std::int64_t elements_in(const TypeSignature& signature, std::size_t bytes) {
  auto elements = static_cast<std::int64_t>(bytes / signature.bytes * signature.elements);
  std::size_t left = bytes % signature.bytes;
  for (const TypeSignature* within = &signature; within != nullptr;) {
    const TypeSignature* next = nullptr;
    for (const TypeSignature::Part& part : within->parts) {
      if (left == 0) return elements;
      if (left >= part.bytes()) {
        elements += static_cast<std::int64_t>(part.elements());
        left -= part.bytes();
        continue;
      }
      const std::size_t each = part.repeated ? part.repeated->bytes : part.run.bytes;
      const std::size_t whole = left / each;
      elements += static_cast<std::int64_t>(whole * (part.repeated ? part.repeated->elements : 1));
      left -= whole * each;
      next = part.repeated.get();
      break;
    }
    within = next;
  }
  return left == 0 ? elements : -1;
}

std::size_t bytes_of_elements(const TypeSignature& signature, std::size_t elements) {
  std::size_t bytes = elements / signature.elements * signature.bytes;
  std::size_t left = elements % signature.elements;
  for (const TypeSignature* within = &signature; within != nullptr;) {
    const TypeSignature* next = nullptr;
    for (const TypeSignature::Part& part : within->parts) {
      if (left >= part.elements()) {
        bytes += part.bytes();
        left -= part.elements();
        continue;
      }
      const std::size_t each = part.repeated ? part.repeated->elements : 1;
      const std::size_t whole = left / each;
      bytes += whole * (part.repeated ? part.repeated->bytes : part.run.bytes);
      left -= whole * each;
      next = part.repeated.get();
      break;
    }
    within = next;
  }
  return bytes;
}

void SignatureList::add(const BasicRun& run) {
  if (run.count == 0) return;
  const bool goes_on = !parts_.empty() && parts_.back().repeated == nullptr &&
                       parts_.back().run.bytes == run.bytes && parts_.back().run.type == run.type;
  if (goes_on)
    parts_.back().run.count += run.count;
  else
    parts_.push_back({run, nullptr});
}

void SignatureList::add(const SharedSignature& signature, std::size_t count) {
  if (signature == nullptr || count == 0) return;
  if (const BasicRun* const run = signature->only_run()) {
    BasicRun longer = *run;
    longer.count *= count;
    add(longer);
  } else if (!parts_.empty() && parts_.back().repeated == signature) {
    parts_.back().run.count += count;
  } else {
    parts_.push_back({{0, count}, signature});
  }
}

SharedSignature SignatureList::joined() {
  if (parts_.empty()) return nullptr;
  const TypeSignature::Part& first = parts_.front();
  if (parts_.size() == 1 && first.repeated != nullptr && first.run.count == 1)
    return first.repeated;
  const auto made = std::make_shared<TypeSignature>();
  for (const TypeSignature::Part& part : parts_) {
    made->bytes += part.bytes();
    made->elements += part.elements();
    made->external_bytes += part.external_bytes();
  }
  made->parts = std::move(parts_);
  return made;
}

}  // namespace terrace::threadranks
