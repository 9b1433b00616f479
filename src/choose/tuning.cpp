// SPDX-License-Identifier: BSD-3-Clause
// Packs rows into a fixed number of integers each.
#include "choose/tuning.hpp"

#include "base/contract.hpp"
#include "choose/chooser.hpp"

namespace terrace {

namespace {

constexpr std::size_t kNumbers = 13;

/// Numbers algorithms: those that are chosen, then those by name. Rows have been read by names that
/// the tables have.
std::size_t number_of(std::string_view name) {
  std::size_t number = 0;
  for (const auto& table : {algorithms(), algorithms_by_name()})
    for (const Algorithm& row : table) {
      if (row.name == name) return number;
      ++number;
    }
  TERRACE_ASSERT(!"an algorithm of the tables");
  return number;
}

const Algorithm* algorithm_at(std::size_t number) {
  for (const auto& table : {algorithms(), algorithms_by_name()}) {
    if (number < table.size()) return &table[number];
    number -= table.size();
  }
  return nullptr;
}

}  // namespace

std::string to_text(const TunedRow& row) {
  return row.is_mpi ? "the MPI" : to_text(row.choice);
}

const TunedRow* find_row(std::span<const TunedRow> rows, Collective collective, std::size_t bytes) {
  for (const TunedRow& row : rows)
    if (row.collective == collective && row.bytes == length_class(bytes)) return &row;
  return nullptr;
}

std::vector<double> to_numbers(std::span<const TunedRow> rows) {
  std::vector<double> numbers;
  for (const TunedRow& row : rows) {
    const Choice& choice = row.choice;
    const std::size_t strip = choice.strip_bytes == kWhole ? 0 : choice.strip_bytes;
    numbers.insert(numbers.end(),
                   {static_cast<double>(row.collective), static_cast<double>(row.bytes),
                    row.is_mpi ? 1.0 : 0.0,
                    row.is_mpi ? 0.0 : static_cast<double>(number_of(choice.algorithm)),
                    static_cast<double>(choice.radix), static_cast<double>(strip),
                    static_cast<double>(choice.ring),
                    (choice.streams ? 1.0 : 0.0) + (choice.bounces ? 2.0 : 0.0),
                    (choice.streams_scratch ? 1.0 : 0.0) + (choice.avoids_lines ? 2.0 : 0.0),
                    static_cast<double>(choice.scratch_span), static_cast<double>(choice.depth),
                    row.predicted_ns, row.measured_ns});
  }
  return numbers;
}

std::optional<std::vector<TunedRow>> rows_from_numbers(std::span<const double> numbers) {
  if (numbers.size() % kNumbers != 0) return std::nullopt;
  std::vector<TunedRow> rows;
  for (; !numbers.empty(); numbers = numbers.subspan(kNumbers)) {
    const auto whole = [&](std::size_t at) { return static_cast<std::size_t>(numbers[at]); };
    const Algorithm* const algorithm = algorithm_at(whole(3));
    if (whole(0) >= kCollectiveCount || algorithm == nullptr) return std::nullopt;
    TunedRow row;
    row.collective = static_cast<Collective>(whole(0));
    row.bytes = whole(1);
    row.is_mpi = numbers[2] != 0;
    row.choice = {row.is_mpi ? "" : algorithm->name,
                  static_cast<std::uint32_t>(whole(4)),
                  whole(5) == 0 ? kWhole : whole(5),
                  static_cast<std::uint32_t>(whole(6)),
                  (whole(7) & 1) != 0,
                  (whole(7) & 2) != 0,
                  (whole(8) & 1) != 0,
                  whole(9),
                  static_cast<std::uint32_t>(whole(10)),
                  (whole(8) & 2) != 0};
    row.predicted_ns = numbers[11];
    row.measured_ns = numbers[12];
    rows.push_back(row);
  }
  return rows;
}

}  // namespace terrace
