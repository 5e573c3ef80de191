#include "plugin/cli/ranks/mpi_job.h"

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/cli/output/messages.h"
#include "plugin/ranks/collective.h"

namespace kindred::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenWords{500};     // of what a rank does
constexpr milliseconds kBetweenPolls{1};       // while nothing comes
constexpr microseconds kBetweenFastPolls{50};  // while messages travel, and soon after
constexpr milliseconds kSoon{20};
constexpr milliseconds kForGoodbyes{600};      // mpirun kills a second after it asks to end
constexpr std::chrono::seconds kToBeEnded{5};  // by rank 0, once this rank has failed
constexpr milliseconds kToTellOthers{100};     // that the job ends
constexpr double kLongestSilence = 60;         // seconds

std::atomic<bool> asked_to_end{false};  // by a signal, which may come to any thread
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void ask_to_end(int /*signal*/) { asked_to_end = true; }

std::string own_host() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

double longest_silence() {
  const char* text = std::getenv("KINDRED_RANK_SILENCE");
  const double seconds = text == nullptr ? 0 : std::strtod(text, nullptr);
  return seconds > 0 ? seconds : kLongestSilence;
}

}  // namespace

MpiJob::MpiJob() : longest_silence_(longest_silence()) {
  std::signal(SIGTERM, ask_to_end);
  talking_ = run_beside(2, [this] { talk(); });
  if (talking_.wait_for(milliseconds(0)) == std::future_status::deferred)
    throw Error(Errc::kUnsupported, "MPI: the system gives no thread");
  {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return started_ || stopping_; });
  }
  if (!started_) talking_.get();
  const std::vector<std::string> hosts = gather(*this, own_host());
  std::string lines;
  for (const std::string& host : hosts) lines += host + '\n';
  lines = broadcast(*this, lines);
  const std::lock_guard lock(mutex_);
  for (Peer& peer : peers_) {
    const std::size_t end = lines.find('\n');
    peer.host = lines.substr(0, end);
    lines.erase(0, end + 1);
  }
}

MpiJob::~MpiJob() {
  if (talking_.valid()) talking_.wait();
}

void MpiJob::end() {
  tell("at the end");
  wait_for_all(*this);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wanted_.notify_one();
  talking_.get();
}

void MpiJob::fail(const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    failing_ = true;
  }
  if (rank_ != 0) {
    post({0, Kind::kFailed, 0, message});
    std::this_thread::sleep_for(kToBeEnded);
  }
  {
    const std::lock_guard lock(mutex_);
    last_ = "kindred: " + (rank_ == 0 ? message : rank_name(rank_) + ": " + message);
  }
  wanted_.notify_one();
  while (true) std::this_thread::sleep_for(kToBeEnded);  // the thread of MPI ends the process
}

/// Ends all ranks at once. Commands that write can be interrupted anywhere, as by a signal.
void MpiJob::abort(MpiMessages& messages, const std::string& message) {
  for (std::size_t to = 0; to < peers_.size(); ++to)
    if (to != rank_) messages.send(to, static_cast<std::uint64_t>(Kind::kEnding), 0, "");
  const Clock::time_point start = Clock::now();
  while (!messages.is_idle() && Clock::now() - start < kToTellOthers) messages.poll();
  kindred::cli::tell(message);
  MpiMessages::abort();
}

std::string MpiJob::rank_name(std::size_t rank) const {
  return "rank " + std::to_string(rank) + " on host " + peers_[rank].host;
}

std::string MpiJob::activity() const {
  const std::lock_guard lock(mutex_);
  std::string line;
  for (std::size_t rank = 0; rank < peers_.size(); ++rank)
    line += (rank == 0 ? "" : " | ") + std::to_string(rank) + ": " + peers_[rank].doing;
  return line;
}

std::string MpiJob::name(std::size_t rank) const {
  const std::lock_guard lock(mutex_);
  return rank_name(rank);
}

void MpiJob::post(Outgoing outgoing) {
  {
    const std::lock_guard lock(mutex_);
    outgoing_.push_back(std::move(outgoing));
  }
  wanted_.notify_one();
}

void MpiJob::send(std::size_t to, std::uint64_t channel, std::string bytes) {
  post({to, Kind::kData, channel, std::move(bytes)});
}

RankMessage MpiJob::receive(std::uint64_t channel) {
  std::unique_lock lock(mutex_);
  auto& box = inbox_[channel];
  arrived_.wait(lock, [&] { return !box.empty(); });
  RankMessage message = std::move(box.front());
  box.pop_front();
  if (box.empty()) inbox_.erase(channel);
  return message;
}

void MpiJob::tell(const std::string& doing) {
  const std::lock_guard lock(mutex_);
  peers_[rank_].doing = doing;
}

void MpiJob::talk() {
  std::optional<MpiMessages> messages;
  try {
    messages.emplace();
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    arrived_.notify_all();
    throw;
  }
  {
    const std::lock_guard lock(mutex_);
    rank_ = messages->rank();
    peers_.resize(messages->size());
    for (Peer& peer : peers_) peer = {"", "starting", Clock::now(), false};
    started_ = true;
  }
  arrived_.notify_all();
  try {
    talk_until_stopped(*messages);
    messages->finish();
  } catch (const std::exception& e) {
    abort(*messages, "kindred: rank " + std::to_string(rank_) + ": " + e.what());
  }
}

void MpiJob::talk_until_stopped(MpiMessages& messages) {
  for (Clock::time_point active = Clock::now();;) {
    if (asked_to_end) end_by_signal(messages);
    std::deque<Outgoing> outgoing;
    std::optional<std::string> last;
    bool stopping = false;
    {
      const std::lock_guard lock(mutex_);
      outgoing.swap(outgoing_);
      stopping = stopping_;
      last = last_;
      say_doing();
    }
    if (last) abort(messages, *last);
    for (Outgoing& next : outgoing)
      messages.send(next.to, static_cast<std::uint64_t>(next.kind), next.channel,
                    std::move(next.bytes));
    bool has_come = false;
    std::string failure;
    while (auto frame = messages.poll()) has_come = take(std::move(*frame), failure) || has_come;
    if (!failure.empty()) abort(messages, failure);
    if (has_come) arrived_.notify_all();
    if (stopping && outgoing.empty() && messages.is_idle()) return;
    check_silence(messages);
    const bool is_active = has_come || !outgoing.empty() || !messages.is_idle();
    if (is_active) active = Clock::now();
    if (has_come || !outgoing.empty()) continue;
    const bool is_soon = Clock::now() - active < kSoon;
    std::unique_lock lock(mutex_);
    if (outgoing_.empty())
      wanted_.wait_for(lock, is_soon ? kBetweenFastPolls : microseconds(kBetweenPolls));
  }
}

/// Tells rank 0 what this rank does. Rank 0 answers: a rank that has died asks for nothing, and
/// Open MPI ends a process that sends to one. The mutex is held.
void MpiJob::say_doing() {
  const Clock::time_point now = Clock::now();
  if (rank_ == 0 || stopping_ || now - said_ < kBetweenWords) return;
  said_ = now;
  outgoing_.push_back({0, Kind::kDoing, 0, peers_[rank_].doing});
}

/// Takes a frame that has come. True if a message for the command is whole. `failure`: set if the
/// sender has failed.
bool MpiJob::take(MpiFrame frame, std::string& failure) {
  const std::lock_guard lock(mutex_);
  Peer& peer = peers_[frame.from];
  peer.heard = Clock::now();
  switch (static_cast<Kind>(frame.kind)) {
    case Kind::kDoing:
      peer.doing = frame.bytes;
      if (rank_ == 0 && !stopping_)
        outgoing_.push_back({frame.from, Kind::kDoing, 0, peers_[0].doing});
      return false;
    case Kind::kGoodbye:
      peer.said_goodbye = true;
      return false;
    case Kind::kFailed:
      if (!failing_) failure = "kindred: " + rank_name(frame.from) + ": " + frame.bytes;
      return false;  // else this rank says why
    case Kind::kEnding:
      ending_ = true;
      return false;
    case Kind::kData:
      break;
  }
  std::string& bytes = partial_[{frame.from, frame.channel}];
  if (bytes.empty())
    bytes = std::move(frame.bytes);
  else
    bytes += frame.bytes;
  if (frame.more) return false;
  inbox_[frame.channel].push_back({frame.from, std::move(bytes)});
  partial_.erase({frame.from, frame.channel});
  return true;
}

/// Rank 0 hears of all, the others of rank 0.
void MpiJob::check_silence(MpiMessages& messages) {
  std::string silent;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || failing_ || ending_) return;
    const Clock::time_point now = Clock::now();
    for (std::size_t rank = 0; rank < (rank_ == 0 ? peers_.size() : 1); ++rank) {
      const Peer& peer = peers_[rank];
      if (rank == rank_ || now - peer.heard < longest_silence_) continue;
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - peer.heard);
      silent = rank_name(rank) + " is silent for " + std::to_string(seconds.count()) +
               " s; it did last: " + peer.doing;
    }
  }
  if (!silent.empty()) abort(messages, "kindred: " + silent);
}

/// Somebody ended the job, or mpirun does since a rank has died. Whoever lives says goodbye to rank
/// 0, which answers, and names those that do not; rank 1 names rank 0.
void MpiJob::end_by_signal(MpiMessages& messages) {
  const auto say_goodbye = [&](std::size_t to) {
    messages.send(to, static_cast<std::uint64_t>(Kind::kGoodbye), 0, "");
  };
  if (rank_ != 0) say_goodbye(0);
  for (const Clock::time_point start = Clock::now(); Clock::now() - start < kForGoodbyes;) {
    std::string failure;
    while (const auto frame = messages.poll()) {
      take(*frame, failure);
      if (rank_ == 0 && static_cast<Kind>(frame->kind) == Kind::kGoodbye) say_goodbye(frame->from);
    }
    std::this_thread::sleep_for(kBetweenPolls);
  }
  const std::lock_guard lock(mutex_);
  if (!ending_ && !failing_) say_who_died();
  _exit(128 + SIGTERM);
}

/// The mutex is held.
void MpiJob::say_who_died() const {
  std::string dead;
  for (std::size_t rank = 0; rank < (rank_ == 0 ? peers_.size() : 1); ++rank) {
    if (rank == rank_ || peers_[rank].said_goodbye) continue;
    dead += (dead.empty() ? "kindred: " : "; ") + rank_name(rank) +
            " has died; it did last: " + peers_[rank].doing;
  }
  if (rank_ == 0 && dead.empty()) dead = "kindred: ended by a signal";
  if (rank_ < 2 && !dead.empty()) kindred::cli::tell(dead);
}

std::unique_ptr<Job> join_by_mpi() {
  std::unique_ptr<Job> job = std::make_unique<MpiJob>();
  const std::size_t wanted = launch().size, size = job->ranks().size();
  if (size != wanted) {
    job->fail("started as " + std::to_string(wanted) + " processes, but MPI knows of " +
              std::to_string(size) + ": is it another MPI than this kindred was built with, or " +
              "does srun lack --mpi=pmix?");
  }
  return job;
}

}  // namespace kindred::cli
