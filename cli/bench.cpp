// SPDX-License-Identifier: BSD-3-Clause
// `terrace bench`: times the collectives on this machine against the hardware's floors and
// peers: OpenMP for teams of threads, the underlying MPI for processes.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/number.hpp"
#include "base/own_program.hpp"
#include "measure.hpp"
#include "subcommands.hpp"

namespace bench_verb {
namespace {

using namespace terrace;
namespace files = std::filesystem;

struct Options {
  std::vector<std::string> collectives;
  std::vector<std::string> bytes = {"8", "64", "512", "4K", "32K", "256K", "1M"};
  std::string ranks = "2";
  std::string mode = "threads";
  double seconds = 1;
  bool as_json = false;
};

constexpr Rank kMostRanks = 256;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// A multiple of 8 bytes, since vectors are of doubles. 0 if it is none.
std::size_t bytes_of(const std::string& text) {
  const std::size_t bytes = bytes_from_text(text, kMostBytes).value_or(0);
  return bytes % sizeof(double) == 0 ? bytes : 0;
}

std::string complaint_on_bytes(const std::string& text) {
  if (bytes_of(text) != 0) return "";
  return "'" + text + "' given, expected a multiple of 8 bytes up to 1024M, such as 8, 4K or 1M";
}

std::string complaint_on_ranks(const std::string& text) {
  if (number_from_text(text, 2u, kMostRanks)) return "";
  return "'" + text + "' given, expected a number of ranks from 2 to " + std::to_string(kMostRanks);
}

std::string complaint_on_collective(const std::string& text) {
  const std::optional<Collective> collective = collective_from_text(text);
  if (collective && !is_vector(*collective)) return "";
  return "'" + text + "' given, expected barrier, bcast, reduce, allreduce, allgather, ...";
}

void print_head() {
  std::printf("%-20s %9s %6s %-7s %-27s %10s %10s %-24s %10s %6s  %s\n", "collective", "bytes",
              "ranks", "regime", "plan", "us", "floor us", "peer", "peer us", "ratio", "verdict");
}

/// A number of the table; "-" where there was nothing to measure.
std::string cell(const char* format, double value, bool is_there) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return is_there ? text : "-";
}

void print_row(const bench::Row& row) {
  const bool has_peer = !row.peer.empty();
  std::printf("%-20s %9zu %6u %-7s %-27s %10.3f %10s %-24s %10s %6s  %s\n",
              to_text(row.point.collective), row.point.bytes, row.point.ranks, row.regime.c_str(),
              row.plan.c_str(), row.us.value, cell("%.3f", row.floor_us, row.floor_us > 0).c_str(),
              has_peer ? row.peer.c_str() : "-", cell("%.3f", row.peer_us, has_peer).c_str(),
              cell("%.2f", row.ratio.value, has_peer).c_str(),
              bench::verdict(row.ratio, row.us.value, row.floor_us).c_str());
}

void print(const std::vector<bench::Row>& rows, bool as_json) {
  for (const bench::Row& row : rows)
    if (as_json)
      std::printf("%s\n", bench::to_json(row).c_str());
    else
      print_row(row);
  std::fflush(stdout);
}

std::vector<bench::Point> points_of(const Options& options) {
  std::vector<bench::Point> points;
  const auto ranks = *number_from_text<Rank>(options.ranks);
  for (const std::string& name : options.collectives) {
    const Collective collective = *collective_from_text(name);
    if (collective == Collective::barrier) {
      points.push_back({collective, 0, ranks});
      continue;
    }
    for (const std::string& bytes : options.bytes)
      points.push_back({collective, bytes_of(bytes), ranks});
  }
  return points;
}

void bench_threads(const Options& options) {
  bench::Effort effort;
  effort.most_seconds = options.seconds;
  if (!options.as_json) print_head();
  for (const bench::Point& point : points_of(options))
    print(bench::bench_threads(point, effort), options.as_json);
}

/// The program of ./dev bench preload lies in the repository: it builds one binary per MPI.
files::path preload_question() {
  std::error_code ignored;
  for (files::path folder = own_program(); folder.has_relative_path();
       folder = folder.parent_path())
    if (files::path found = folder / "bench" / "preload" / "run.py"; files::exists(found, ignored))
      return found;
  return {};
}

[[noreturn]] void bench_preload(const Options& options) {
  const files::path question = preload_question();
  if (question.empty())
    throw CLI::RuntimeError(
        "terrace bench: --mode preload compiles a program for each MPI, so it needs the "
        "repository: run it there as `./dev terrace bench --mode preload`",
        1);
  std::vector<std::string> words = {"python3", question.string(), "--quick",
                                    "--ranks", options.ranks,     "--collectives"};
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
    return text;
  };
  words.push_back(joined(options.collectives));
  std::vector<std::string> sizes;
  for (const std::string& bytes : options.bytes) sizes.push_back(std::to_string(bytes_of(bytes)));
  words.insert(words.end(), {"--bytes", joined(sizes)});
  if (options.as_json) words.push_back("--json");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setenv("TERRACE_BUILD", own_prefix().c_str(), 0);
  execvp(arguments[0], arguments.data());
  throw CLI::RuntimeError("terrace bench: --mode preload needs python3, which is not on the PATH",
                          1);
}

/// Starts this very command again with what OpenMP reads when a process starts.
void restart_with_same_words() {
  std::FILE* file = std::fopen("/proc/self/cmdline", "r");
  if (file == nullptr) return;
  std::string all;
  for (int letter = std::fgetc(file); letter != EOF; letter = std::fgetc(file))
    all.push_back(static_cast<char>(letter));
  std::fclose(file);
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1)
    arguments.push_back(&all[at]);
  arguments.push_back(nullptr);
  bench::restart_for_peers(arguments.data());
}

void run(const Options& options) {
  if (options.mode == "preload") bench_preload(options);
  restart_with_same_words();
  bench_threads(options);
}

}  // namespace
}  // namespace bench_verb

void add_bench_subcommand(CLI::App& app) {
  using namespace bench_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("bench", "Time the collectives against floors and peers");
  verb->footer(
      "A floor is what the bare hardware takes: an exchange of lines, the least copying, a bare\n"
      "barrier that yields when ranks outnumber PUs. Ratio is the peer's time over Terrace's,\n"
      "paired batch by batch. Run nothing else on this machine meanwhile.\n"
      "Examples:\n"
      "  terrace bench                                  a team of 2 threads\n"
      "  terrace bench --collective allreduce --bytes 8,1M --json\n"
      "  terrace bench --ranks 8 --collective barrier   more ranks than PUs, perhaps\n"
      "  terrace bench --mode preload                   processes of each MPI found here");
  verb->add_option("--collective", options->collectives,
                   "barrier, bcast, reduce, allreduce (these), and the others")
      ->delimiter(',')
      ->check(complaint_on_collective);
  verb->add_option("--bytes", options->bytes,
                   "sizes of a rank's vector of doubles, or of each block: 8,4K,1M")
      ->delimiter(',')
      ->check(complaint_on_bytes);
  verb->add_option("--ranks", options->ranks, "how many ranks (2)")->check(complaint_on_ranks);
  verb->add_option("--mode", options->mode, "threads (default) or preload")
      ->check([](const std::string& text) {
        return text == "threads" || text == "preload"
                   ? std::string()
                   : "'" + text + "' given, expected threads or preload";
      });
  verb->add_option("--seconds", options->seconds, "at most this long per point (1)")
      ->check(CLI::Range(0.01, 600.0));
  verb->add_flag("--json", options->as_json, "print one JSON object per line");
  verb->callback([options] {
    if (options->collectives.empty())
      options->collectives = {"barrier", "bcast", "reduce", "allreduce"};
    run(*options);
  });
}
