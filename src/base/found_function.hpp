// SPDX-License-Identifier: BSD-3-Clause
// A function of another library, looked up by name at run time.
#pragma once

namespace terrace {

/// Called like the function itself; false: it was not found.
template <class Signature>
class FoundFunction {
 public:
  explicit FoundFunction(void* found) : found_(reinterpret_cast<Signature*>(found)) {}
  explicit operator bool() const { return found_ != nullptr; }
  template <class... Arguments>
  auto operator()(Arguments... arguments) const {
    return found_(arguments...);
  }

 private:
  Signature* found_;
};

}  // namespace terrace
