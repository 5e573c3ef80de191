#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plugin/cli/ranks/job.h"
#include "plugin/cli/ranks/mpi_messages.h"

namespace kindred::cli {

/// A job of MPI. One thread of its own makes all calls of MPI, and never waits inside one: it
/// polls. So messages travel while the command computes, and every rank is heard of twice a second.
/// A rank that is silent for a minute (or $KINDRED_RANK_SILENCE seconds), fails or dies ends the
/// job with a message that names it, its host, and what it did last.
class MpiJob final : public Job, private Ranks {
 public:
  MpiJob();  ///< @throws Error kUnsupported if MPI cannot start
  ~MpiJob() override;

  Ranks& ranks() override { return *this; }
  std::string activity() const override;
  void end() override;
  [[noreturn]] void fail(const std::string& message) override;

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return peers_.size(); }
  void send(std::size_t to, std::uint64_t channel, std::string bytes) override;
  RankMessage receive(std::uint64_t channel) override;
  void tell(const std::string& doing) override;
  std::string name(std::size_t rank) const override;

  std::string rank_name(std::size_t rank) const;  ///< with the mutex held

  /// What is known of a rank.
  struct Peer {
    std::string host, doing;
    Clock::time_point heard;  ///< when it last sent anything
    bool said_goodbye = false;
  };
  enum class Kind : std::uint64_t {
    kData,
    kDoing,
    kFailed,   ///< the sender cannot go on; to rank 0
    kEnding,   ///< the sender has said why, and ends the job
    kGoodbye,  ///< the sender was asked to end
  };
  struct Outgoing {
    std::size_t to;
    Kind kind;
    std::uint64_t channel;
    std::string bytes;
  };

  void talk();
  void talk_until_stopped(MpiMessages& messages);
  void post(Outgoing outgoing);
  bool take(MpiFrame frame, std::string& failure);
  void say_doing();
  void check_silence(MpiMessages& messages);
  [[noreturn]] void end_by_signal(MpiMessages& messages);
  void say_who_died() const;
  [[noreturn]] void abort(MpiMessages& messages, const std::string& message);

  std::size_t rank_ = 0;
  const std::chrono::duration<double> longest_silence_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;  ///< a message, or the start
  std::condition_variable wanted_;   ///< something is to be sent
  std::vector<Peer> peers_;
  std::deque<Outgoing> outgoing_;
  std::map<std::uint64_t, std::deque<RankMessage>> inbox_;                ///< by channel
  std::map<std::pair<std::size_t, std::uint64_t>, std::string> partial_;  ///< by rank and channel
  Clock::time_point said_;
  bool started_ = false, stopping_ = false, failing_ = false;
  bool ending_ = false;              ///< another rank ends the job, and has said why
  std::optional<std::string> last_;  ///< the message with which this rank ends the job
  std::future<void> talking_;
};

}  // namespace kindred::cli
