// SPDX-License-Identifier: BSD-3-Clause
// Rates worked out step by step against all rates worked out from the beginning.
#include "simulate/rates.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace terrace::simulate {
namespace {

constexpr std::uint32_t kPlaces = 12, kClasses = 40;

/// The same comings and goings, twice: once as they change, once all anew.
class Twice {
 public:
  explicit Twice(std::uint64_t seed) : random_(seed) {
    for (std::uint32_t number = 0; number < kClasses; ++number) {
      std::vector<ResourceShare> shares;
      for (std::uint32_t place = 0; place < kPlaces; ++place)
        if (below(4) == 0) shares.push_back({place, 0.02 * (1 + below(20))});
      const double cap = 0.5 * (1 + below(30));
      step_by_step_.add_class(cap, shares);
      anew_.add_class(cap, shares);
    }
  }

  /// Some flows come or go at the same time.
  void change() {
    for (int i = 0; i <= below(3); ++i) {
      const auto number = static_cast<std::uint32_t>(below(kClasses));
      std::size_t& members = members_[number];
      members = members != 0 && below(2) == 0 ? members - 1 : members + 1;
      step_by_step_.set_members(number, members);
      anew_.set_members(number, members);
    }
    changed_.clear();
    before_ = rates(step_by_step_);
    step_by_step_.share_out(changed_);
    anew_.share_out_anew();
  }

  void check() {
    for (std::uint32_t number = 0; number < kClasses; ++number) {
      const double rate = step_by_step_.rate(number);
      EXPECT_NEAR(rate, anew_.rate(number), 1e-9 * anew_.rate(number)) << "class " << number;
      EXPECT_EQ(rate > 0, members_[number] > 0) << "class " << number;
      if (rate != before_[number] && rate != 0) {
        EXPECT_THAT(changed_, testing::Contains(number));
      }
    }
    EXPECT_LE(fullest(), 1 + 1e-9);
  }

  /// How many rates were other ones afterwards.
  std::size_t changed() const { return changed_.size(); }
  std::size_t active() const {
    return kClasses - static_cast<std::size_t>(std::count(members_.begin(), members_.end(), 0u));
  }

 private:
  int below(int most) { return std::uniform_int_distribution(0, most - 1)(random_); }

  static std::vector<double> rates(const Rates& all) {
    std::vector<double> result;
    for (std::uint32_t number = 0; number < kClasses; ++number) result.push_back(all.rate(number));
    return result;
  }

  double fullest() const {
    std::vector<double> busy(kPlaces);
    for (std::uint32_t number = 0; number < kClasses; ++number)
      for (const ResourceShare& share : step_by_step_.shares(number))
        busy[share.resource] +=
            share.busy * step_by_step_.rate(number) * static_cast<double>(members_[number]);
    return *std::max_element(busy.begin(), busy.end());
  }

  std::mt19937_64 random_;
  Rates step_by_step_{kPlaces}, anew_{kPlaces};
  std::vector<std::size_t> members_ = std::vector<std::size_t>(kClasses);
  std::vector<double> before_;
  std::vector<std::uint32_t> changed_;
};

TEST(Rates, step_by_step_are_those_worked_out_anew) {
  std::size_t changed = 0, active = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Twice rates(seed);
    for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
      rates.change();
      rates.check();
      changed += rates.changed();
      active += rates.active();
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_LT(changed, active) << "all rates changed each time: nothing was tried";
}

TEST(Rates, who_shares_no_full_place_keeps_its_rate) {
  Rates rates(3);
  std::vector<std::uint32_t> changed;
  rates.add_class(100, std::vector<ResourceShare>{{0, 0.1}});           // alone in its place
  rates.add_class(1, std::vector<ResourceShare>{{1, 0.1}, {2, 0.01}});  // held up by its cap
  rates.add_class(1, std::vector<ResourceShare>{{2, 0.01}});            // likewise
  for (const std::uint32_t number : {0u, 1u}) rates.set_members(number, 1);
  rates.share_out(changed);
  EXPECT_THAT(changed, testing::UnorderedElementsAre(0, 1));
  changed.clear();
  rates.set_members(2, 1);
  rates.share_out(changed);
  EXPECT_THAT(changed, testing::ElementsAre(2));
  EXPECT_DOUBLE_EQ(rates.rate(0), 10);
  EXPECT_DOUBLE_EQ(rates.rate(1), 1);
}

}  // namespace
}  // namespace terrace::simulate
