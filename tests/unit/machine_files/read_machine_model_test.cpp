// SPDX-License-Identifier: BSD-3-Clause
// The machine files that come with Terrace, and what is said of files that are wrong.
#include "model/machine_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "base/text_file.hpp"
#include "machine_files/read_machine_model.hpp"
#include "model/hpdc13.hpp"

namespace terrace::model {
namespace {

using nlohmann::ordered_json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

const std::string kFolder = TERRACE_SOURCE_DIR "/machines/";

std::string text_of(const std::string& name) {
  return read_text_file(kFolder + name + ".json", kMostModelBytes).value();
}

MachineModel model_named(const std::string& name) {
  const Result<MachineModel> model = read_machine_model(kFolder + name + ".json");
  EXPECT_TRUE(model.ok()) << (model ? "" : model.error().sentence);
  return model ? model.value() : MachineModel{};
}

std::vector<std::string> names_in_folder() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    names.push_back(entry.path().stem().string());
  return names;
}

std::string complaint_about(const std::string& text) {
  const Result<MachineModel> model = machine_model_from_text(text, "m.json");
  return model ? "" : model.error().sentence;
}

std::string complaint_about_file(const ordered_json& file) {
  return complaint_about(file.dump());
}

ordered_json westmere() {
  return ordered_json::parse(text_of("westmere-x5650"));
}

TEST(MachineFiles, can_all_be_read_and_are_called_as_their_files) {
  const std::vector<std::string> names = names_in_folder();
  EXPECT_GE(names.size(), 12u);
  for (const std::string& name : names) {
    const MachineModel model = model_named(name);
    EXPECT_EQ(model.name, name);
    EXPECT_FALSE(model.given.empty());
    for (const Given& one : model.given)
      EXPECT_GT(one.source.size(), 5u) << name << ", " << one.key << " has no source";
  }
}

TEST(MachineFiles, are_found_by_name_beside_the_program) {
  EXPECT_THAT(machine_model_names(), Contains("westmere-x5650"));
  EXPECT_TRUE(read_machine_model("rome-2x64").ok());
  const Result<MachineModel> none = read_machine_model("no-such-machine");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().sentence, AllOf(HasSubstr("no-such-machine"), HasSubstr("rome-2x64")));
}

TEST(MachineFiles, have_distances_that_grow) {
  for (const std::string& name : names_in_folder()) {
    const MachineModel model = model_named(name);
    for (std::size_t i = 1; i < model.distances.size(); ++i) {
      const Distance &near = model.distances[i - 1], &far = model.distances[i];
      EXPECT_LE(near.modified, far.modified) << name << ", " << far.name;
      EXPECT_LE(near.b, far.b) << name << ", " << far.name;
      EXPECT_LE(near.memory, far.memory) << name << ", " << far.name;
    }
    for (const Distance& one : model.distances) {
      EXPECT_LE(one.shared, one.modified) << name << ", " << one.name;
      EXPECT_LE(one.B, one.b) << name << ", " << one.name;  // section 2.1 of the paper
    }
  }
}

TEST(MachineFiles, may_leave_out_what_depends_on_the_suppliers_cache) {
  const Distance rome = model_named("rome-2x64").distances.back();
  EXPECT_EQ(rome.b_outer, rome.b);
  EXPECT_EQ(rome.w, rome.B);
  EXPECT_EQ(rome.w_outer, rome.B);
  EXPECT_FALSE(rome.has_w);
  const Distance near = model_named("two-near-cores").distances.back();
  EXPECT_LT(near.b_outer, near.b);
  EXPECT_LT(near.w_outer, near.w);
  EXPECT_TRUE(near.has_w);
}

TEST(MachineFiles, have_the_papers_reads) {
  using hpdc13::line_tree_on_magny_cours, hpdc13::line_tree_on_westmere;
  const std::vector<Distance> two = model_named("westmere-x5650").distances;
  EXPECT_NEAR(line_tree_on_westmere({two[0].modified, two[1].modified, two[2].modified, 0}), 306.7,
              0.05);
  const std::vector<Distance> four = model_named("magny-cours-6100").distances;
  EXPECT_NEAR(line_tree_on_magny_cours(
                  {four[0].modified, four[1].modified, four[2].modified, four[3].modified}),
              608.4, 0.05);
}

TEST(MachineModels, know_how_far_two_ranks_are) {
  const MachineModel model = model_named("magny-cours-6100");
  const std::vector<Locality> ranks = localities_on(model, 32).value();
  const auto name = [&](Rank a, Rank b) {
    return model.distances[distance_between(model, ranks[a], ranks[b])].name;
  };
  EXPECT_EQ(name(3, 3), "own");
  EXPECT_EQ(name(0, 7), "l3");
  EXPECT_EQ(name(0, 8), "neighbour");
  EXPECT_EQ(name(23, 0), "neighbour");
  EXPECT_EQ(name(0, 24), "diagonal");
  EXPECT_EQ(name(16, 8), "diagonal");
}

TEST(MachineModels, know_how_far_two_nodes_are) {
  const MachineModel model = model_named("ntw24e5");
  const std::vector<Locality> ranks = localities_on(model, 576).value();
  const auto level = [&](Rank a, Rank b) {
    return model.networks[network_between(model, ranks[a], ranks[b])].level;
  };
  EXPECT_TRUE(on_one_node(ranks[0], ranks[23]));
  EXPECT_FALSE(on_one_node(ranks[23], ranks[24]));
  EXPECT_EQ(level(0, 11 * 24), "switch");  // of 12 nodes
  EXPECT_EQ(level(0, 12 * 24), "job");
  EXPECT_EQ(level(12 * 24, 17 * 24), "switch");
  EXPECT_EQ(to_text(ranks[575]), "switch:3/node:23/package:1/numa:3/l3:3/l2:23/core:23/pu:23");
}

TEST(MachineModels, have_room_for_so_many_ranks) {
  const MachineModel model = model_named("westmere-x5650");
  EXPECT_TRUE(localities_on(model, 12).ok());
  const auto more = localities_on(model, 13);
  ASSERT_FALSE(more.ok());
  EXPECT_THAT(more.error().sentence, HasSubstr("13"));
}

TEST(Units, are_turned_into_nanoseconds_and_bytes) {
  ordered_json file = westmere();
  file["core"]["clock"]["value"] = 2;
  file["core"]["step"] = {{"value", 10}, {"unit", "cycles"}, {"source", "test"}};
  file["distances"][1]["modified"] = {{"value", 0.5}, {"unit", "us"}, {"source", "test"}};
  file["distances"][1]["b"] = {{"value", 32}, {"unit", "GB/s"}, {"source", "test"}};
  file["caches"][0]["bytes"] = {{"value", 48}, {"unit", "KiB"}, {"source", "test"}};
  const Result<MachineModel> model = machine_model_from_text(file.dump(), "m.json");
  ASSERT_TRUE(model.ok()) << model.error().sentence;
  EXPECT_DOUBLE_EQ(model.value().core.step, 5);
  EXPECT_DOUBLE_EQ(model.value().distances[1].modified, 500);
  EXPECT_DOUBLE_EQ(model.value().distances[1].b, 2);
  EXPECT_DOUBLE_EQ(model.value().caches[0].bytes, 49152);
}

TEST(Complaints, name_line_and_column_of_what_is_no_json) {
  std::string text = text_of("westmere-x5650");
  text.insert(text.find("\"title\""), "nonsense ");
  EXPECT_THAT(complaint_about(text),
              AllOf(HasSubstr("m.json, line 4, column "), HasSubstr("invalid")));
  EXPECT_THAT(complaint_about("{\n  \"name\": "), HasSubstr("line 2, column "));
}

TEST(Complaints, name_a_number_that_is_too_large_and_its_place) {
  EXPECT_THAT(complaint_about("{\n  \"bytes\": 1e400}"),
              HasSubstr("m.json, line 2, column 12: the number 1e400 is too large"));
}

TEST(Complaints, name_the_key) {
  const auto after = [](auto change) {
    ordered_json file = westmere();
    change(file);
    return complaint_about_file(file);
  };
  EXPECT_EQ(after([](ordered_json& f) { f["distances"][1].erase("modified"); }),
            "m.json: distances[1].modified: missing");
  EXPECT_EQ(after([](ordered_json& f) { f["caches"][2]["bites"] = 1; }),
            "m.json: caches[2].bites: unknown key");
  EXPECT_EQ(after([](ordered_json& f) { f["core"]["step"].erase("source"); }),
            "m.json: core.step.source: missing");
  EXPECT_EQ(after([](ordered_json& f) { f["core"]["step"]["unit"] = "GB/s"; }),
            "m.json: core.step.unit: 'GB/s' given, expected one of ns, us, cycles");
  EXPECT_EQ(after([](ordered_json& f) { f["core"]["step"]["value"] = -1; }),
            "m.json: core.step.value: -1 cycles is no value that a machine has: expected 0 to "
            "1000000000 ns");
  EXPECT_EQ(after([](ordered_json& f) { f["core"]["step"]["value"] = "1"; }),
            "m.json: core.step.value: expected a number, got \"1\"");
  EXPECT_EQ(after([](ordered_json& f) { f["core"]["step"]["unit"] = "a\nb\x1b"; }),
            "m.json: core.step.unit: 'a?b?' given, expected one of ns, us, cycles");
  EXPECT_THAT(after([](ordered_json& f) { f["distances"][1]["level"] = "l4"; }),
              HasSubstr("distances[1].level: the machine has no level 'l4', but node, "));
  EXPECT_THAT(after([](ordered_json& f) { f["distances"].erase(2); }),
              HasSubstr("distances[1].level: expected node"));
  EXPECT_THAT(after([](ordered_json& f) { f["machine"]["value"] = "pack:x"; }),
              HasSubstr("machine.value: cannot understand"));
  EXPECT_THAT(after([](ordered_json& f) { f["nodes"]["value"] = 2; }),
              HasSubstr("networks: expected one of level job"));
  EXPECT_THAT(after([](ordered_json& f) { f["line"]["value"] = 60; }),
              HasSubstr("line.value: expected a power of two"));
}

TEST(Complaints, name_a_format_that_is_not_known_before_any_key_of_it) {
  ordered_json file = westmere();
  file["a key of the future"] = 1;
  file["format"] = "terrace machine 2";
  EXPECT_EQ(complaint_about_file(file),
            "m.json: format: \"terrace machine 2\" given, this release reads "
            "\"terrace machine 1\"; a newer Terrace reads newer files");
  file["format"] = 1;
  EXPECT_THAT(complaint_about_file(file), HasSubstr("m.json: format: 1 given"));
}

TEST(MachineFiles, may_leave_out_their_format) {
  ordered_json file = westmere();
  ASSERT_EQ(file["format"], kMachineFormat);
  file.erase("format");
  EXPECT_EQ(complaint_about_file(file), "");
}

TEST(Complaints, speak_of_the_file_where_it_is_no_object) {
  EXPECT_EQ(complaint_about("[]"), "m.json: expected an object { }");
}

TEST(Complaints, refuse_a_key_that_comes_twice) {
  std::string text = text_of("westmere-x5650");
  text.insert(text.find("\"title\""), "\"name\": \"other\", ");
  EXPECT_THAT(complaint_about(text), HasSubstr("'name' comes twice"));
}

TEST(Complaints, refuse_what_asks_for_too_much) {
  ordered_json file = westmere();
  file["machine"]["value"] = "pack:60000 core:60000";
  EXPECT_THAT(complaint_about_file(file), HasSubstr("more than"));
  EXPECT_NE(complaint_about(std::string(kMostModelBytes + 1, ' ')), "");
  EXPECT_NE(complaint_about(std::string(kMostModelBytes, '[')), "");
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_THAT(complaint_about("{\"name\": " + deep + "}"), HasSubstr("inside each other"));
}

// What is left of a file after a few bytes were changed is a machine or an error, and nothing
// else: what can be read has finite costs.
TEST(Fuzzing, finds_no_file_that_does_harm) {
  std::mt19937 random(20261122);
  const std::string letters =
      "{}[]\",:0123456789.eE-+ \n\\ux\xff"
      "ntrfalsnul";
  const std::vector<std::string> seeds = {text_of("westmere-x5650"), text_of("ntw24e5"),
                                          text_of("a64fx")};
  int readable = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = seeds[random() % seeds.size()];
    for (auto changes = 1 + random() % 3; changes != 0; --changes) {
      const std::size_t at = random() % text.size(), length = random() % 20;
      switch (random() % 4) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), length));
          break;
        default:
          text.resize(std::max<std::size_t>(at, 1));
      }
    }
    const Result<MachineModel> model = machine_model_from_text(text, "m.json");
    if (!model) {
      EXPECT_THAT(model.error().sentence, HasSubstr("m.json"));
      continue;
    }
    ++readable;
    for (const Distance& one : model.value().distances)
      EXPECT_TRUE(std::isfinite(one.a + one.b + one.B + one.modified));
  }
  EXPECT_GT(readable, 100);  // changes of sources and values, mostly
}

// What `terrace measure` asks before it writes, and what readers refuse.
TEST(MachineModel, has_bounds_that_a_writer_can_ask_for) {
  EXPECT_TRUE(is_possible(3.5, "ns/line"));
  EXPECT_FALSE(is_possible(5'963'000, "ns/line"));
  EXPECT_FALSE(is_possible(-1, "ns"));
  EXPECT_FALSE(is_possible(std::nan(""), "ns"));
  EXPECT_FALSE(is_possible(0, "GB/s"));
  EXPECT_TRUE(is_possible(1e9, "ns"));
  EXPECT_FALSE(is_possible(1e9, "us"));
  EXPECT_FALSE(is_possible(0, "GHz"));
}

}  // namespace
}  // namespace terrace::model
