// SPDX-License-Identifier: BSD-3-Clause
// Reading by the kernel, with this process in the place of a peer.
#include "preload/transport/cma.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "unit/contracts.hpp"

namespace terrace::preload {
namespace {

/// Pages that their program holds back until they are written, as checkpoints and paging of its own
/// do; one range at a time.
class HeldBack {
 public:
  explicit HeldBack(std::size_t bytes) : bytes_(bytes) {
    at_ = static_cast<std::byte*>(
        mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    struct sigaction action {};
    action.sa_sigaction = [](int, siginfo_t* fault, void*) {
      const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
      const auto address = reinterpret_cast<std::uintptr_t>(fault->si_addr);
      mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE);
      faults = faults + 1;
    };
    action.sa_flags = SA_SIGINFO;
    faults = 0;
    sigaction(SIGSEGV, &action, &before_);
  }
  ~HeldBack() {
    sigaction(SIGSEGV, &before_, nullptr);
    munmap(at_, bytes_);
  }
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;

  std::byte* at() const { return at_; }
  static volatile sig_atomic_t faults;

 private:
  std::size_t bytes_;
  std::byte* at_ = nullptr;
  struct sigaction before_ {};
};
volatile sig_atomic_t HeldBack::faults = 0;

TEST(CmaReader, reads_into_pages_that_their_program_holds_back) {
  if (try_to_read(getpid(), own_proof()) != 0) GTEST_SKIP() << "process_vm_readv is refused here";
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const HeldBack pages(4 * page);
  // Neither begins nor ends with a page.
  const std::size_t first = page - 8, bytes = 2 * page + 16;
  std::vector<std::byte> source(bytes);
  for (std::size_t i = 0; i < bytes; ++i) source[i] = static_cast<std::byte>(i % 251);
  alignas(std::max_align_t) static std::byte nobody[64];  // is asked only to end the job
  CmaReader memory({getpid()}, 0, reinterpret_cast<UnderlyingMpi&>(nobody));
  ASSERT_TRUE(memory.pull(0, source.data(), pages.at() + first, bytes));
  EXPECT_EQ(4, HeldBack::faults);
  EXPECT_TRUE(std::equal(source.begin(), source.end(), pages.at() + first));
  EXPECT_EQ(std::byte{}, pages.at()[first - 1]);
  EXPECT_EQ(std::byte{}, pages.at()[first + bytes]);
}

TEST(CmaReader, knows_another_process_by_what_it_proves) {
  MemoryProof other = own_proof();
  other.value += 1;
  const int refusal = try_to_read(getpid(), own_proof());
  if (refusal != 0) GTEST_SKIP() << "process_vm_readv is refused here";
  EXPECT_EQ(EIO, try_to_read(getpid(), other));
}

TEST(CmaReaderContracts, read_from_processes_that_have_told_a_proof) {
  EXPECT_BROKEN(static_cast<void>(try_to_read(0, own_proof())), "process > 0");
  EXPECT_BROKEN(static_cast<void>(try_to_read(getpid(), {})), "proof.address != 0");
}

}  // namespace
}  // namespace terrace::preload
