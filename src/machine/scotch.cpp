// SPDX-License-Identifier: BSD-3-Clause
// Calls Scotch, if the build found its header.
#include "machine/scotch.hpp"

#ifdef TERRACE_SCOTCH
#include <dlfcn.h>

#include <cstdio>
// Needs FILE, and to come after it.
#include <scotch.h>
#endif

#include <string>

namespace terrace {

#ifdef TERRACE_SCOTCH
namespace {

/// Its own names before those of another Scotch in the program; sanitizers do not like that.
#ifdef __SANITIZE_ADDRESS__
constexpr int kHow = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int kHow = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

void* library() {
  static void* const handle = dlopen(TERRACE_SCOTCH, kHow);
  return handle;
}

template <class Signature>
Signature* function(const char* name) {
  return reinterpret_cast<Signature*>(dlsym(library(), name));
}

/// Adjacency as Scotch has it: the neighbours of vertex i begin at `begins[i]`.
struct Arrays {
  std::vector<SCOTCH_Num> begins, loads, ends, weights;

  explicit Arrays(const WeightedGraph& graph) : loads(graph.loads.begin(), graph.loads.end()) {
    for (const auto& neighbours : graph.neighbours) {
      begins.push_back(static_cast<SCOTCH_Num>(ends.size()));
      for (const auto& [to, weight] : neighbours) {
        ends.push_back(to);
        weights.push_back(weight);
      }
    }
    begins.push_back(static_cast<SCOTCH_Num>(ends.size()));
  }
};

bool run(Arrays& arrays, std::int32_t parts, std::vector<SCOTCH_Num>& result) {
  SCOTCH_Graph graph;
  SCOTCH_Strat strategy;
  function<decltype(SCOTCH_randomReset)>("SCOTCH_randomReset")();  // the same answer each time
  if (function<decltype(SCOTCH_graphInit)>("SCOTCH_graphInit")(&graph) != 0) return false;
  function<decltype(SCOTCH_stratInit)>("SCOTCH_stratInit")(&strategy);
  const auto vertices = static_cast<SCOTCH_Num>(arrays.loads.size());
  const auto build = function<decltype(SCOTCH_graphBuild)>("SCOTCH_graphBuild");
  const auto part = function<decltype(SCOTCH_graphPart)>("SCOTCH_graphPart");
  const bool is_done =
      build(&graph, 0, vertices, arrays.begins.data(), nullptr, arrays.loads.data(), nullptr,
            static_cast<SCOTCH_Num>(arrays.ends.size()), arrays.ends.data(),
            arrays.weights.data()) == 0 &&
      part(&graph, parts, &strategy, result.data()) == 0;
  function<decltype(SCOTCH_stratExit)>("SCOTCH_stratExit")(&strategy);
  function<decltype(SCOTCH_graphExit)>("SCOTCH_graphExit")(&graph);
  return is_done;
}

}  // namespace

Result<std::vector<std::int32_t>> partition(const WeightedGraph& graph, std::int32_t parts) {
  if (library() == nullptr)
    return Error{ErrorCode::unsupported,
                 std::string("partitioning a graph needs Scotch, which cannot be loaded (") +
                     dlerror() +
                     "): install " TERRACE_SCOTCH ", or describe the network as a tree"};
  Arrays arrays(graph);
  std::vector<SCOTCH_Num> result(graph.loads.size());
  if (!run(arrays, parts, result))
    return Error{ErrorCode::system, "Scotch could not divide the graph"};
  return std::vector<std::int32_t>(result.begin(), result.end());
}
#else
Result<std::vector<std::int32_t>> partition(const WeightedGraph&, std::int32_t) {
  return Error{
      ErrorCode::unsupported,
      "partitioning a graph needs Scotch, and this library was built without it: build where "
      "scotch.h is (Debian's libscotch-dev), or describe the network as a tree"};
}
#endif

}  // namespace terrace
