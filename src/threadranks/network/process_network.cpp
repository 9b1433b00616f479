// SPDX-License-Identifier: BSD-3-Clause
// Packets between processes. Ranks leave orders; whichever of them waits carries out all.
#include "threadranks/network/process_network.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "base/contract.hpp"
#include "base/message_pieces.hpp"

namespace terrace::threadranks {

namespace {

/// Channels of the transport: messages on one of them keep their order.
constexpr int kPackets = 0, kBytes = 1;
/// Receives for packets that are always posted, of all processes, and for each of them. There is no
/// receive for any process, because MPICH 5.0 loses messages of such receives over TCP.
constexpr std::size_t kIncoming = 64, kLeastIncoming = 2, kMostIncoming = 16;
/// Processes that are looked at in one drive.
constexpr std::size_t kAskedAtOnce = 8;
/// Packets that are taken before others get their turn.
constexpr int kMostTaken = 64;
/// Pieces of a message; each has a receive.
constexpr std::uint64_t kMostPieces = 512;
/// Transports count in `int`.
constexpr std::uint64_t kMostPiece = std::uint64_t{1} << 30;
/// Pause of a process that waits for others to leave, which may need its core.
constexpr std::chrono::microseconds kBetweenDrives{20};

std::uint64_t number_of(const RendezvousSend& sending) {
  return reinterpret_cast<std::uintptr_t>(&sending);
}

/// The rendezvous send of that number, which the process has told that it was announced to.
RendezvousSend& sending_of(std::uint64_t number, int process) {
  TERRACE_REQUIRE(number != 0, number, process);
  auto& sending = *reinterpret_cast<RendezvousSend*>(static_cast<std::uintptr_t>(number));
  TERRACE_REQUIRE(sending.process == process, sending.process, process, number);
  return sending;
}

/// Called by the thread that drives, for the helper.
void count(std::atomic<std::uint32_t>& events) {
  // relaxed, both: it orders nothing, and only one thread at a time counts. Partners:
  // `has_been_driven`, `finds_something`.
  events.store(events.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

void MessageArrival::arrive() {
  EnvelopeHeading heading;
  heading.kind = Protocol::landed;
  own.put_address(heading, static_cast<Landing*>(this));
}

ProcessNetwork::ProcessNetwork(const terrace_ranks_settings& settings,
                               std::vector<Mailbox*> mailboxes)
    : transport_(*settings.transport),
      process_(settings.process),
      process_count_(settings.process_count),
      mailboxes_(std::move(mailboxes)),
      abort_(settings.abort) {
  TERRACE_REQUIRE(process_ >= 0 && process_ < process_count_, process_, process_count_);
  for (int process = 0; process < process_count_; ++process) {
    if (process == process_) first_rank_ = static_cast<int>(process_of_.size());
    process_of_.insert(process_of_.end(),
                       static_cast<std::size_t>(settings.processes[process].ranks), process);
  }
  TERRACE_REQUIRE(process_of_.size() == mailboxes_.size(), process_of_.size(), mailboxes_.size());
  for (std::size_t rank = 0; rank < mailboxes_.size(); ++rank)
    TERRACE_REQUIRE((mailboxes_[rank] != nullptr) == (process_of_[rank] == process_), rank,
                    process_of_[rank], process_);
  const std::size_t others = static_cast<std::size_t>(process_count_) - 1;
  const std::size_t each =
      std::clamp(kIncoming / std::max<std::size_t>(others, 1), kLeastIncoming, kMostIncoming);
  for (int process = 0; process < process_count_; ++process) {
    if (process == process_) continue;
    PacketsFrom& from = incoming_.emplace_back();
    from.process = process;
    from.receives.resize(each);
    for (Incoming& incoming : from.receives) {
      incoming.packet = new_packet(PacketKind::message, kMostEagerBetweenProcesses);
      post_receive(process, incoming);
    }
  }
}

ProcessNetwork::~ProcessNetwork() {
  helper_.reset();
  for (PacketsFrom& from : incoming_)
    for (Incoming& incoming : from.receives)
      transport_.withdraw(transport_.self, &incoming.request);
}

ProcessNetwork::PacketPointer ProcessNetwork::new_packet(PacketKind kind,
                                                         std::size_t payload_bytes) {
  PacketPointer packet(new (::operator new(sizeof(Packet) + payload_bytes)) Packet);
  packet->kind = kind;
  return packet;
}

std::size_t ProcessNetwork::bytes_of(const Packet& packet) {
  const bool has_payload = packet.kind == PacketKind::message || packet.kind == PacketKind::call;
  return sizeof(Packet) + (has_payload ? packet.envelope.bytes : 0);
}

ProcessNetwork::PacketPointer ProcessNetwork::packet_for(PacketKind kind, const Address& address,
                                                         std::uint64_t bytes,
                                                         std::size_t payload_bytes) const {
  PacketPointer packet = new_packet(kind, payload_bytes);
  packet->envelope = {address.context, address.source, address.tag, Protocol::eager, bytes};
  packet->to = address.to;
  packet->process = process_;
  return packet;
}

// What ranks do.

void ProcessNetwork::post(int process, PacketPointer packet, std::unique_ptr<Arrival> arrival) {
  TERRACE_ASSERT(packet->envelope.bytes <= kMostEagerBetweenProcesses ||
                 packet->kind != PacketKind::call);
  TERRACE_ASSERT(process >= 0 && process < process_count_ && process != process_, process);
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back({process, std::move(packet), std::move(arrival)});
    // seq_cst: of this and the end of another's drive, one sees the other. Partner: `drive`.
    has_orders_.store(true);
  }
  drive();
}

RendezvousSend* ProcessNetwork::send(const Address& address, const Layout& from, SendMode mode,
                                     Mailbox& sender) {
  const std::size_t bytes = from.bytes();
  if (mode != SendMode::synchronous && bytes <= kMostEagerBetweenProcesses) {
    PacketPointer packet = packet_for(PacketKind::message, address, bytes, bytes);
    pack(from, packet->payload(), bytes);
    post(process_of(address.to), std::move(packet));
    return nullptr;
  }
  if (mode != SendMode::buffered) return announce(address, from, &sender);
  auto* const copy = static_cast<std::byte*>(std::malloc(bytes));
  if (copy == nullptr) return announce(address, from, &sender);
  pack(from, copy, bytes);
  give(address, copy, bytes);
  return nullptr;
}

/// Gives memory away: the receiver of a short message gets a copy.
void ProcessNetwork::give(const Address& address, void* memory, std::uint64_t bytes) {
  const Layout layout{memory, bytes, predefined_type(kByte)};
  if (bytes > kMostEagerBetweenProcesses) {
    announce(address, layout, nullptr);
    return;
  }
  PacketPointer packet = packet_for(PacketKind::message, address, bytes, bytes);
  pack(layout, packet->payload(), bytes);
  std::free(memory);
  post(process_of(address.to), std::move(packet));
}

/// Announces a message. Without a sender, which waits for the end, the message has its memory with
/// it.
RendezvousSend* ProcessNetwork::announce(const Address& address, const Layout& from,
                                         Mailbox* sender) {
  auto* const sending = new RendezvousSend;
  sending->layout = from;
  sending->sender = sender;
  sending->process = process_of(address.to);
  sending->to = address.to;
  sending->context = address.context;
  if (sender == nullptr) {
    sending->copy = static_cast<std::byte*>(const_cast<void*>(from.buffer));
    // relaxed: no other thread knows it yet; no partner.
    sending->references.store(1, std::memory_order_relaxed);
  }
  PacketPointer packet = packet_for(PacketKind::announced, address, from.bytes(), 0);
  packet->sending = number_of(*sending);
  post(sending->process, std::move(packet));
  return sending;
}

void ProcessNetwork::fetch(const RemoteSend& sending, std::uint64_t bytes, const Status& status,
                           PostedRecv& receiving, Mailbox& own) {
  auto landing = std::make_unique<MessageArrival>(receiving, own, status);
  if (receiving.memory != nullptr) {
    landing->memory = std::malloc(std::max<std::size_t>(bytes, 1));
    landing->at = static_cast<std::byte*>(landing->memory);
    landing->status.bytes = landing->memory != nullptr ? bytes : 0;
    if (landing->memory == nullptr) landing->status.outcome = Completion::no_memory;
  } else if (receiving.to.type->is_dense()) {
    landing->at = static_cast<std::byte*>(const_cast<void*>(receiving.to.buffer));
  } else {
    landing->packed = std::make_unique<std::byte[]>(status.bytes + 1);
    landing->at = landing->packed.get();
  }
  receiving.is_landing = true;
  landing->bytes = landing->status.bytes;
  PacketPointer packet = packet_for(PacketKind::wanted, {}, landing->bytes, 0);
  packet->sending = sending.number;
  post(sending.process, std::move(packet), std::move(landing));
}

void ProcessNetwork::ask_back(RendezvousSend& sending) {
  if (std::exchange(sending.asks_back, true) || sending.is_done()) return;
  Address address;
  address.context = sending.context;
  address.to = sending.to;
  PacketPointer packet = packet_for(PacketKind::cancel, address, 0, 0);
  packet->sending = number_of(sending);
  post(sending.process, std::move(packet));
}

void ProcessNetwork::tell_cancelled(const RemoteSend& sending) {
  PacketPointer packet = packet_for(PacketKind::cancelled, {}, 0, 0);
  packet->sending = sending.number;
  post(sending.process, std::move(packet));
}

// What the rank does that drives.

void ProcessNetwork::drive() noexcept {
  do {
    // seq_cst, all of `is_driven_`: with `has_orders_` as said in `post`; also, as an acquire and a
    // release, they hand what only the driver touches from one to the next.
    if (is_driven_.load() || is_driven_.exchange(true)) return;
    count(drives_);
    issue_orders();
    take_packets();
    while (!packets_.empty() && transport_.test(transport_.self, &packets_.front().request))
      packets_.pop_front();
    end_transfers();
    // relaxed: a hint. Partner: `finds_something`.
    moves_bytes_.store(!transfers_.empty(), std::memory_order_relaxed);
    is_driven_.store(false);     // seq_cst: as above
  } while (has_orders_.load());  // left while we were at it, by one who relies on us
}

void ProcessNetwork::issue_orders() {
  // relaxed: a rank that leaves an order drives afterwards. Partner: the store in `post`.
  if (!has_orders_.load(std::memory_order_relaxed)) return;
  {
    const std::lock_guard lock(mutex_);
    issued_.swap(orders_);
    // seq_cst: as in `post`, the partner.
    has_orders_.store(false);
  }
  for (Order& order : issued_) {
    if (order.arrival) begin_arrival(order.process, std::move(order.arrival));
    PacketOnItsWay& sent = packets_.emplace_back();
    sent.packet = std::move(order.packet);
    transport_.send(transport_.self, order.process, kPackets, sent.packet.get(),
                    bytes_of(*sent.packet), &sent.request);
  }
  issued_.clear();
}

void ProcessNetwork::post_receive(int process, Incoming& incoming) {
  transport_.receive(transport_.self, process, kPackets, incoming.packet.get(),
                     sizeof(Packet) + kMostEagerBetweenProcesses, &incoming.request);
}

/// In turns, where there are many processes.
void ProcessNetwork::take_packets() {
  const std::size_t asked = std::min(incoming_.size(), kAskedAtOnce);
  for (std::size_t i = 0; i < asked; ++i) {
    take_packets_of(incoming_[next_asked_]);
    next_asked_ = (next_asked_ + 1) % incoming_.size();
  }
}

/// In the order in which their receives were posted, so that none overtakes another.
void ProcessNetwork::take_packets_of(PacketsFrom& from) {
  for (int taken = 0; taken < kMostTaken; ++taken) {
    Incoming& incoming = from.receives[from.next];
    if (!transport_.test(transport_.self, &incoming.request)) return;
    count(taken_);
    TERRACE_REQUIRE(incoming.packet->process == from.process, incoming.packet->process,
                    from.process);
    take(*incoming.packet);
    post_receive(from.process, incoming);
    from.next = (from.next + 1) % from.receives.size();
  }
}

void ProcessNetwork::take(Packet& packet) {
  TERRACE_REQUIRE(packet.kind <= PacketKind::left, packet.kind, packet.process);
  switch (packet.kind) {
    case PacketKind::message:
    case PacketKind::announced:
    case PacketKind::cancel:
      return put_in_mailbox(packet);
    case PacketKind::wanted:
      return begin_sending(sending_of(packet.sending, packet.process), packet.envelope.bytes);
    case PacketKind::cancelled:
      return end(sending_of(packet.sending, packet.process), true);
    case PacketKind::call:
      TERRACE_REQUIRE(
          remote_calls != nullptr && packet.envelope.bytes <= kMostEagerBetweenProcesses,
          packet.envelope.bytes);
      return remote_calls->take(packet.process, packet.payload(), packet.envelope.bytes);
    case PacketKind::left:
      ++left_;
      TERRACE_REQUIRE(left_ < process_count_, left_, packet.process);
      if (packet.envelope.tag == 0) note_absent(packet.process);
  }
}

void ProcessNetwork::put_in_mailbox(Packet& packet) {
  TERRACE_REQUIRE(packet.to < mailboxes_.size() && mailboxes_[packet.to] != nullptr, packet.to);
  Mailbox& mailbox = *mailboxes_[packet.to];
  EnvelopeHeading& envelope = packet.envelope;
  TERRACE_REQUIRE(envelope.context != 0 && envelope.source >= 0, envelope.context, envelope.source,
                  envelope.tag);
  if (packet.kind != PacketKind::message) {
    TERRACE_REQUIRE(packet.sending != 0, packet.process, packet.to);
    envelope.kind = packet.kind == PacketKind::cancel ? Protocol::withdrawn : Protocol::remote;
    return mailbox.put_address(envelope, new RemoteSend{packet.process, packet.sending});
  }
  TERRACE_REQUIRE(envelope.bytes <= kMostEagerBetweenProcesses, envelope.bytes);
  if (envelope.bytes <= kEnvelopeBytes)
    return mailbox.put(envelope, [&](std::byte* payload) {
      std::memcpy(payload, packet.payload(), envelope.bytes);
    });
  void* const copy = std::malloc(envelope.bytes);
  if (copy == nullptr) abort_(static_cast<int>(packet.to), 1, "has no memory for a message to it");
  std::memcpy(copy, packet.payload(), envelope.bytes);
  envelope.kind = Protocol::handoff;
  mailbox.put_address(envelope, copy);
}

void ProcessNetwork::add_pieces(Transfer& transfer, int process, std::byte* at,
                                std::uint64_t bytes) {
  const std::uint64_t piece =
      std::clamp<std::uint64_t>(bytes / kMostPieces, kMessagePieceBytes, kMostPiece);
  std::uint64_t done = 0;
  do {
    const std::uint64_t now = std::min(bytes - done, piece);
    terrace_ranks_request& request = transfer.pieces.emplace_back();
    if (transfer.arrival)
      transport_.receive(transport_.self, process, kBytes, at + done, now, &request);
    else
      transport_.send(transport_.self, process, kBytes, at + done, now, &request);
    done += now;
  } while (done < bytes);
}

/// The receiver has posted its receives before it asked, in the order in which it asked.
void ProcessNetwork::begin_sending(RendezvousSend& sending, std::uint64_t bytes) {
  TERRACE_REQUIRE(sending.process >= 0 && bytes <= sending.layout.bytes(), sending.process, bytes);
  // relaxed: as it was when this process announced it. Partner: `end`.
  TERRACE_ASSERT(!sending.is_read.load(std::memory_order_relaxed), sending.process, bytes);
  Transfer& transfer = transfers_.emplace_back();
  transfer.sending = &sending;
  auto* at = static_cast<std::byte*>(const_cast<void*>(sending.layout.buffer));
  if (!sending.layout.type->is_dense()) {
    transfer.packed = std::make_unique<std::byte[]>(bytes + 1);
    at = transfer.packed.get();
    pack(sending.layout, at, bytes);
  }
  add_pieces(transfer, sending.process, at, bytes);
}

void ProcessNetwork::begin_arrival(int process, std::unique_ptr<Arrival> arrival) {
  Transfer& transfer = transfers_.emplace_back();
  transfer.arrival = std::move(arrival);
  add_pieces(transfer, process, transfer.arrival->at, transfer.arrival->bytes);
}

void ProcessNetwork::send_bytes(int process, const std::byte* from, std::uint64_t bytes,
                                std::function<void()> then) {
  Transfer& transfer = transfers_.emplace_back();
  transfer.then = std::move(then);
  add_pieces(transfer, process, const_cast<std::byte*>(from), bytes);
}

void ProcessNetwork::end(RendezvousSend& sending, bool is_cancelled) {
  Mailbox* const sender = sending.sender;
  if (sender == nullptr) return sending.release();
  // relaxed, both: as the sender sees them after `is_read`.
  if (is_cancelled)
    sending.state.store(RendezvousSend::State::cancelled, std::memory_order_relaxed);
  [[maybe_unused]] const int before = sending.references.fetch_sub(1, std::memory_order_relaxed);
  TERRACE_ASSERT(before >= 1, before);
  // release: pairs with the acquire in `is_done`; the sender frees it then, if it has waited.
  sending.is_read.store(true, std::memory_order_release);
  sender->notify();
}

bool ProcessNetwork::is_over(Transfer& transfer) {
  for (; transfer.over < transfer.pieces.size(); ++transfer.over)
    if (!transport_.test(transport_.self, &transfer.pieces[transfer.over])) return false;
  if (transfer.sending != nullptr)
    end(*transfer.sending, false);
  else if (transfer.arrival)
    transfer.arrival.release()->arrive();
  else
    transfer.then();
  return true;
}

void ProcessNetwork::end_transfers() {
  std::erase_if(transfers_, [this](Transfer& transfer) { return is_over(transfer); });
}

// The end.

void ProcessNetwork::note_absent(int process) {
  absent_.store(process);  // seq_cst: as in `absent_process`
  if (has_begun_here != nullptr && has_begun_here->load())
    abort_(first_rank_, 1,
           "the ranks of another process of the job have ended without MPI_Init, which ranks of "
           "this one have called, so they may wait for them for ever");
}

bool ProcessNetwork::is_quiet() {
  // seq_cst, though the caller is the only thread left; partner: the store in `post`.
  return packets_.empty() && transfers_.empty() && !has_orders_.load();
}

void ProcessNetwork::need_helper() {
  const std::lock_guard lock(helper_mutex_);
  if (!helper_) helper_ = std::make_unique<NetworkHelper>(*this);
  helper_->need(1);
}

void ProcessNetwork::need_no_helper() {
  const std::lock_guard lock(helper_mutex_);
  helper_->need(-1);
}

bool ProcessNetwork::has_been_driven(std::uint32_t& seen) const {
  const std::uint32_t before = seen;
  seen = drives_.load(std::memory_order_relaxed);  // relaxed: a count; partner: `count`
  return seen != before;
}

bool ProcessNetwork::finds_something() {
  const std::uint32_t before = taken_.load(std::memory_order_relaxed);  // relaxed: as above
  for (std::size_t asked = 0; asked < incoming_.size(); asked += kAskedAtOnce) drive();
  // relaxed, both: hints. Partner of the second: `drive`.
  return taken_.load(std::memory_order_relaxed) != before ||
         moves_bytes_.load(std::memory_order_relaxed);
}

/// No rank is there any more, nor the helper, so the caller alone drives.
void ProcessNetwork::disconnect(bool has_begun) {
  helper_.reset();
  for (int process = 0; process < process_count_; ++process) {
    if (process == process_) continue;
    Address address;
    address.tag = has_begun ? 1 : 0;
    post(process, packet_for(PacketKind::left, address, 0, 0));
  }
  for (drive(); left_ < process_count_ - 1 || !is_quiet(); drive())
    std::this_thread::sleep_for(kBetweenDrives);
}

}  // namespace terrace::threadranks
