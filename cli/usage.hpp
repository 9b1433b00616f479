// SPDX-License-Identifier: BSD-3-Clause
// Usage lines of subcommands whose last arguments belong to another program, which CLI11 cannot
// print.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace terrace {

class Usage final : public CLI::Formatter {
 public:
  explicit Usage(std::string words) : words_(std::move(words)) {}

  std::string make_usage(const CLI::App* verb, std::string) const override {
    return "Usage: terrace " + verb->get_name() + " " + words_ + "\n";
  }

 private:
  std::string words_;
};

}  // namespace terrace
