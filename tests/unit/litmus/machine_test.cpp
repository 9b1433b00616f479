// SPDX-License-Identifier: BSD-3-Clause
// The machine shows the outcomes of the classical litmus tests that C++ allows, and no others.
#include "unit/litmus/machine.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "unit/litmus/atomic.hpp"

namespace terrace::litmus {
namespace {

using Outcomes = std::set<std::string>;
constexpr Order kRelaxed = Order::relaxed, kAcquire = Order::acquire, kRelease = Order::release,
                kTotal = Order::seq_cst;

/// Two atomics, and what up to four loads have read.
struct Classical : Scenario {
  Atomic<int> x, y;
  std::string read[4];

  void reads(std::size_t which, const Atomic<int>& from, Order order) {
    read[which] = std::to_string(from.load(order));
  }
  std::string outcome() override { return read[0] + read[1] + read[2] + read[3]; }
};

template <Order kStored, Order kLoaded>
struct MessagePassing : Classical {
  void run(std::size_t thread) override {
    if (thread == 0) {
      x.store(1, kRelaxed);
      y.store(1, kStored);
    } else {
      reads(0, y, kLoaded);
      reads(1, x, kRelaxed);
    }
  }
};

TEST(Machine, PassesMessagesByReleaseAndAcquireOnly) {
  EXPECT_EQ((explore<MessagePassing<kRelease, kAcquire>>().outcomes), (Outcomes{"00", "01", "11"}));
  const Outcomes all{"00", "01", "10", "11"};
  EXPECT_EQ((explore<MessagePassing<kRelaxed, kAcquire>>().outcomes), all);
  EXPECT_EQ((explore<MessagePassing<kRelease, kRelaxed>>().outcomes), all);
}

template <Order kBefore, Order kAfter>
struct MessageBetweenFences : Classical {
  void run(std::size_t thread) override {
    if (thread == 0) {
      x.store(1, kRelaxed);
      fence(kBefore);
      y.store(1, kRelaxed);
    } else {
      reads(0, y, kRelaxed);
      fence(kAfter);
      reads(1, x, kRelaxed);
    }
  }
};

TEST(Machine, PassesMessagesBetweenFences) {
  EXPECT_EQ((explore<MessageBetweenFences<kRelease, kAcquire>>().outcomes),
            (Outcomes{"00", "01", "11"}));
  EXPECT_EQ((explore<MessageBetweenFences<kRelease, kRelaxed>>().outcomes.size()), 4u);
  EXPECT_EQ((explore<MessageBetweenFences<kRelaxed, kAcquire>>().outcomes.size()), 4u);
}

template <Order kStored, Order kLoaded>
struct PlainMessage : Scenario {
  Atomic<int> flag;
  Plain<int> message;
  void run(std::size_t thread) override {
    if (thread == 0) {
      message = 7;
      flag.store(1, kStored);
    } else if (flag.load(kLoaded) == 1) {
      require(message == 7, "old");
    }
  }
};

TEST(Machine, FindsRaces) {
  EXPECT_TRUE((explore<PlainMessage<kRelease, kAcquire>>().wrong.empty()));
  EXPECT_TRUE((explore<PlainMessage<kRelaxed, kAcquire>>().wrong.count("race")));
  EXPECT_TRUE((explore<PlainMessage<kRelease, kRelaxed>>().wrong.count("race")));
}

template <Order kStored, Order kLoaded, Order kFence>
struct StoreBuffering : Classical {
  void run(std::size_t thread) override {
    Atomic<int>&own = thread == 0 ? x : y, &other = thread == 0 ? y : x;
    own.store(1, kStored);
    fence(kFence);
    reads(thread, other, kLoaded);
  }
};

TEST(Machine, BuffersStores) {
  const Outcomes ordered{"01", "10", "11"};
  EXPECT_EQ((explore<StoreBuffering<kRelease, kAcquire, kRelaxed>>().outcomes.size()), 4u);
  EXPECT_EQ((explore<StoreBuffering<kRelaxed, kRelaxed, Order::acq_rel>>().outcomes.size()), 4u);
  EXPECT_EQ((explore<StoreBuffering<kTotal, kTotal, kRelaxed>>().outcomes), ordered);
  EXPECT_EQ((explore<StoreBuffering<kRelaxed, kRelaxed, kTotal>>().outcomes), ordered);
  EXPECT_EQ((explore<StoreBuffering<kTotal, kAcquire, kRelaxed>>().outcomes.size()), 4u);
}

/// One thread pays for both.
template <bool kBothLight>
struct StoreBufferingWithAHeavyFence : Classical {
  void run(std::size_t thread) override {
    Atomic<int>&own = thread == 0 ? x : y, &other = thread == 0 ? y : x;
    own.store(1, kRelaxed);
    if (thread == 0 || kBothLight)
      light_fence(own);
    else
      heavy_fence(own);
    reads(thread, other, kRelaxed);
  }
};

TEST(Machine, OrdersLightFencesWithHeavyOnesOnly) {
  EXPECT_EQ(explore<StoreBufferingWithAHeavyFence<false>>().outcomes, (Outcomes{"01", "10", "11"}));
  EXPECT_EQ(explore<StoreBufferingWithAHeavyFence<true>>().outcomes.size(), 4u);
}

struct LoadBuffering : Classical {
  void run(std::size_t thread) override {
    Atomic<int>&own = thread == 0 ? x : y, &other = thread == 0 ? y : x;
    reads(thread, other, kRelaxed);
    own.store(1, kRelaxed);
  }
};

TEST(Machine, DoesNotBufferLoads) {
  EXPECT_EQ(explore<LoadBuffering>().outcomes, (Outcomes{"00", "01", "10"}));
}

struct Coherence : Classical {
  void run(std::size_t thread) override {
    if (thread == 0) return x.store(1, kRelaxed);
    reads(0, x, kRelaxed);
    reads(1, x, kRelaxed);
  }
};

TEST(Machine, ReadsOnePlaceInOneOrder) {
  EXPECT_EQ(explore<Coherence>().outcomes, (Outcomes{"00", "01", "11"}));
}

template <Order kStored, Order kLoaded>
struct IndependentReads : Classical {
  std::size_t threads() const override { return 4; }
  void run(std::size_t thread) override {
    if (thread < 2) return (thread == 0 ? x : y).store(1, kStored);
    const bool is_first = thread == 2;
    reads(is_first ? 0 : 2, is_first ? x : y, kLoaded);
    reads(is_first ? 1 : 3, is_first ? y : x, kLoaded);
  }
};

TEST(Machine, LetsReadersDisagreeAboutIndependentWrites) {
  EXPECT_TRUE((explore<IndependentReads<kRelease, kAcquire>>().outcomes.count("1010")));
  EXPECT_FALSE((explore<IndependentReads<kTotal, kTotal>>().outcomes.count("1010")));
  EXPECT_EQ((explore<IndependentReads<kTotal, kTotal>>().outcomes.size()), 15u);
}

template <Order kFirst, Order kFence>
struct TwoTimesTwoWrites : Classical {
  Atomic<int> is_over;
  std::size_t threads() const override { return 3; }
  void run(std::size_t thread) override {
    if (thread < 2) {
      (thread == 0 ? x : y).store(1, kFirst);
      fence(kFence);
      (thread == 0 ? y : x).store(2, kRelease);
      is_over.fetch_add(1, kRelease);
    } else if (is_over.load(kAcquire) == 2) {
      reads(0, x, kRelaxed);
      reads(1, y, kRelaxed);
    }
  }
};

TEST(Machine, OrdersWritesPlaceByPlace) {
  EXPECT_EQ((explore<TwoTimesTwoWrites<kRelease, kRelaxed>>().outcomes),
            (Outcomes{"", "11", "12", "21", "22"}));
  EXPECT_EQ((explore<TwoTimesTwoWrites<kRelaxed, kTotal>>().outcomes),
            (Outcomes{"", "12", "21", "22"}));
}

template <bool kIsUpdate>
struct ReleaseSequence : Scenario {
  Atomic<int> flag;
  Plain<int> message;
  std::size_t threads() const override { return 3; }
  void run(std::size_t thread) override {
    if (thread == 0) {
      message = 7;
      flag.store(1, kRelease);
    } else if (thread == 1) {
      int seen = 1;
      if (kIsUpdate)
        flag.compare_exchange_strong(seen, 2, kRelaxed, kRelaxed);
      else if (flag.load(kRelaxed) == 1)
        flag.store(2, kRelaxed);
    } else if (flag.load(kAcquire) == 2) {
      require(message == 7, "old");
    }
  }
};

TEST(Machine, PassesOnWhatAReadModifyWriteHasRead) {
  EXPECT_TRUE(explore<ReleaseSequence<true>>().wrong.empty());
  EXPECT_TRUE(explore<ReleaseSequence<false>>().wrong.count("race"));
}

struct Counting : Scenario {
  Atomic<int> count;
  std::string read[3];
  std::size_t threads() const override { return 3; }
  void run(std::size_t thread) override {
    read[thread] = std::to_string(count.fetch_add(1, kRelaxed));
  }
  std::string outcome() override { return read[0] + read[1] + read[2]; }
};

TEST(Machine, CountsEachOnce) {
  EXPECT_EQ(explore<Counting>().outcomes, (Outcomes{"012", "021", "102", "120", "201", "210"}));
}

/// A sleeper is woken by who stores before it wakes, and by nobody else.
template <bool kStoresFirst>
struct Sleeping : Scenario {
  Atomic<std::uint32_t> word;
  void run(std::size_t thread) override {
    if (thread == 1) {
      sleep(word, 0u);
    } else if (kStoresFirst) {
      word.store(1, kRelaxed);
      wake(word);
    } else {
      wake(word);
      word.store(1, kRelaxed);
    }
  }
};

TEST(Machine, FindsWhoSleepsForEver) {
  EXPECT_TRUE(explore<Sleeping<true>>().wrong.empty());
  EXPECT_TRUE(explore<Sleeping<false>>().wrong.count("sleeps for ever after a waking"));
}

struct Awaiting : Scenario {
  Atomic<int> flag;
  bool is_stored = true;
  void run(std::size_t thread) override {
    if (thread == 0) {
      if (is_stored) flag.store(1, kRelease);
    } else {
      while (flag.load(kAcquire) == 0) rest_before_look(flag);
    }
  }
};
struct AwaitingNothing : Awaiting {
  AwaitingNothing() { is_stored = false; }
};

TEST(Machine, FindsWhoWaitsForEver) {
  EXPECT_TRUE(explore<Awaiting>().wrong.empty());
  EXPECT_TRUE(explore<AwaitingNothing>().wrong.count("waits for ever"));
}

template <class... Tests>
void expect_the_same_without_skipping() {
  const auto compare = [](const Exploration& some, const Exploration& all) {
    EXPECT_EQ(some.outcomes, all.outcomes);
    EXPECT_EQ(some.wrong, all.wrong);
    EXPECT_LE(some.executions, all.executions);
  };
  (compare(explore<Tests>(), explore<Tests>({}, false)), ...);
}

TEST(Machine, SkipsOnlyWhatItHasSeen) {
  expect_the_same_without_skipping<
      MessagePassing<kRelaxed, kAcquire>, MessageBetweenFences<kRelease, kAcquire>,
      PlainMessage<kRelaxed, kAcquire>, StoreBuffering<kTotal, kTotal, kRelaxed>,
      StoreBuffering<kRelaxed, kRelaxed, kTotal>, StoreBufferingWithAHeavyFence<false>,
      StoreBufferingWithAHeavyFence<true>, LoadBuffering, Coherence,
      IndependentReads<kRelease, kAcquire>, IndependentReads<kTotal, kTotal>,
      TwoTimesTwoWrites<kRelaxed, kTotal>, ReleaseSequence<true>, ReleaseSequence<false>, Counting,
      Sleeping<true>, Sleeping<false>, Awaiting, AwaitingNothing>();
}

}  // namespace
}  // namespace terrace::litmus
