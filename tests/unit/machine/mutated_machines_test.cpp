// SPDX-License-Identifier: BSD-3-Clause
// Files and words that no lstopo wrote: hwloc crashes on some of them, and we do not. What is read
// nevertheless is a machine like any other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/text_file.hpp"
#include "hierarchy/hierarchy.hpp"
#include "machine/machine.hpp"
#include "machine/machine_lines.hpp"
#include "machine/synthetic.hpp"

namespace terrace {
namespace {

const std::string kRecordedMachines = std::string(TERRACE_SOURCE_DIR) + "/tests/machines/";
constexpr const char* kNames[] = {"virtual_two_cores", "uneven_l3",   "two_memories",
                                  "limited_cpuset",    "memory_pool", "nested_groups",
                                  "memory_side_cache", "memory_alone"};
/// Values that stand in the place of others.
constexpr const char* kOddValues[] = {"",
                                      "0",
                                      "-1",
                                      "4294967295",
                                      "0x0",
                                      "0xf...f",
                                      "0xf...f,,0x1",
                                      "18446744073709551616",
                                      "x",
                                      "0xffffffff,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x1"};

using Random = std::mt19937_64;

std::size_t below(std::size_t end, Random& random) {
  return static_cast<std::size_t>(random() % end);
}

/// Place of a piece of text.
struct Span {
  std::size_t begin = 0, bytes = 0;
};

/// ` name="value"`, of all objects.
std::vector<Span> attributes_of(const std::string& text) {
  std::vector<Span> found;
  for (std::size_t equals = text.find("=\""); equals != text.npos;
       equals = text.find("=\"", equals + 2)) {
    const std::size_t begin = text.rfind(' ', equals), end = text.find('"', equals + 2);
    if (begin != text.npos && end != text.npos) found.push_back({begin, end + 1 - begin});
  }
  return found;
}

std::vector<Span> lines_of_text(const std::string& text) {
  std::vector<Span> found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    found.push_back({begin, end - begin});
    begin = end;
  }
  return found;
}

std::string piece(const std::string& text, Span span) {
  return text.substr(span.begin, span.bytes);
}

/// Gives an attribute another value: that of another one of this name or any, or an odd one.
void change_value(std::string& text, Random& random) {
  const std::vector<Span> all = attributes_of(text);
  const std::string other = piece(text, all[below(all.size(), random)]);
  const Span changed = all[below(all.size(), random)];
  std::string words = piece(text, changed);
  const std::size_t value = words.find('"') + 1;
  const std::string odd = kOddValues[below(std::size(kOddValues), random)];
  words =
      words.substr(0, value) + (random() % 2 == 0 ? odd + '"' : other.substr(other.find('"') + 1));
  text.replace(changed.begin, changed.bytes, words);
}

void mutate(std::string& text, Random& random) {
  const std::vector<Span> attributes = attributes_of(text), lines = lines_of_text(text);
  if (attributes.empty() || lines.empty()) return;
  const Span attribute = attributes[below(attributes.size(), random)];
  const Span line = lines[below(lines.size(), random)];
  switch (random() % 8) {
    case 0:
    case 1:
      text.erase(attribute.begin, attribute.bytes);
      break;
    case 2:
    case 3:
      change_value(text, random);
      break;
    case 4:
      text.erase(line.begin, line.bytes);
      break;
    case 5:
      text.insert(lines[below(lines.size(), random)].begin, piece(text, line));
      break;
    case 6:
      text.resize(below(text.size(), random));
      break;
    default:
      text[below(text.size(), random)] = static_cast<char>(random() % 128);
  }
}

/// Asks all that is ever asked of machines.
void expect_usable(const Machine& machine) {
  EXPECT_TRUE(machine_from_lines(lines_of(machine)).has_value());
  EXPECT_FALSE(to_text(machine).empty());
  EXPECT_EQ(levels_of(machine).front(), "node");
  (void)words_of(machine);
  std::vector<Locality> localities;
  for (const Resource* pu : resources_at(machine, "pu"))
    localities.push_back(locality_of(machine, pu->pus, 0));
  EXPECT_FALSE(localities.empty());
  EXPECT_EQ(hierarchy_of(localities).rank_count(), localities.size());
}

void expect_read_or_refused(const std::string& path_or_text) {
  const Result<Machine> machine = read_machine(path_or_text);
  if (machine)
    expect_usable(machine.value());
  else
    EXPECT_EQ(machine.error().code, ErrorCode::argument) << machine.error().sentence;
}

TEST(MutatedMachines, a_file_that_makes_hwloc_crash_is_refused) {
  const Result<Machine> machine = read_machine(kRecordedMachines + "broken/no_complete_cpuset.xml");
  if (machine) GTEST_SKIP() << "this hwloc reads it";
  EXPECT_EQ(machine.error().code, ErrorCode::argument);
  EXPECT_NE(machine.error().sentence.find("no_complete_cpuset.xml"), std::string::npos);
  EXPECT_NE(machine.error().sentence.find("expected a file that"), std::string::npos);
}

TEST(MutatedMachines, files_are_read_or_refused) {
  const std::string path = testing::TempDir() + "mutated_machine.xml";
  for (const char* name : kNames)
    for (unsigned seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Random random(seed);
      std::string text =
          read_text_file(kRecordedMachines + name + ".xml", std::size_t{1} << 24).value();
      for (std::size_t i = below(3, random) + 1; i > 0; --i) mutate(text, random);
      std::ofstream(path) << text;
      expect_read_or_refused(path);
    }
  std::remove(path.c_str());
}

TEST(MutatedMachines, words_are_read_or_refused) {
  for (const char* text : {"pack:2 core:2 pu:1(indexes=5000000000,1,2,3)",
                           "pack:2 core:2 pu:1(indexes=65536,1,2,3)",
                           "pack:2 core:2 pu:1(indexes=0,0,0,0)",
                           "core:4 pu:1(indexes=-1,2,3,4)",
                           "core:4 pu:1(indexes=core:pu)",
                           "core:4 pu:1(indexes=1*4:9*9)",
                           "core:4 pu:1(indexes=)",
                           "pack:2 [numa(memory=99999999999999999999)] core:2 pu:1",
                           "pu:1 pu:1 pu:1",
                           "core:2",
                           "l1:2 l2:2 l3:2 pu:1",
                           "numa:2 numa:2 pu:1",
                           "pack:2 [numa] [numa] [numa] core:1 pu:1",
                           "pack:2 [[numa]] core:2",
                           "pack:2 [core] pu:2",
                           "[numa]",
                           "(memory=1) pack:1",
                           "pack:2 (",
                           "group:2 group:2 group:2 pu:2",
                           "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
                           "pack:-1 pu:2",
                           "pack:0x10 pu:0x2",
                           "l2:2(size=-1) pu:2",
                           "misc:2 pu:2",
                           "machine:2 pu:2"}) {
    SCOPED_TRACE(text);
    expect_read_or_refused(text);
  }
}

}  // namespace
}  // namespace terrace
