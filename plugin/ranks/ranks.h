#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "config/api.h"

namespace kindred {

struct RankMessage {
  std::size_t from = 0;
  std::string bytes;
};

/// The ranks that share one command: processes, on one host or on many, that run the same command
/// on the same index, and take the same steps in the same order. Each computes a part of what a
/// step needs, and all get the whole (plugin/ranks/collective.h, plugin/ranks/deal.h). Nothing here
/// depends on how messages travel. All members may be called from several threads at once.
class KINDRED_API Ranks {
 public:
  virtual ~Ranks();

  virtual std::size_t rank() const = 0;  ///< of this process, from 0
  virtual std::size_t size() const = 0;  ///< how many there are, at least 1

  /// Sends to another rank, and does not wait until that has received it. Messages of a channel
  /// arrive in the order in which a rank sent them. @throws Error kCanceled if the job has ended.
  virtual void send(std::size_t to, std::uint64_t channel, std::string bytes) = 0;

  /// Waits for the next message of a channel. @throws Error kCanceled if the job ends meanwhile,
  /// because a rank failed or is silent: the text names the rank.
  virtual RankMessage receive(std::uint64_t channel) = 0;

  /// Says what this rank does from now on, for the progress of all and for messages about ranks
  /// that end. The default says it to nobody.
  virtual void tell(const std::string& doing);

  /// A name for messages: "rank 2 on host b".
  virtual std::string name(std::size_t rank) const;

  /// The number of a step, the same on all ranks. For the one thread that runs the command.
  std::uint64_t next_step() { return ++step_; }

 private:
  std::uint64_t step_ = 0;
};

/// The channel of a step for messages that belong together, `part` below 65,536.
constexpr std::uint64_t channel_of(std::uint64_t step, std::uint64_t part) {
  return (step << 16) + part;
}

/// The only rank of a command that runs by itself.
class KINDRED_API LoneRank final : public Ranks {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return 1; }
  [[noreturn]] void send(std::size_t to, std::uint64_t channel, std::string bytes) override;
  [[noreturn]] RankMessage receive(std::uint64_t channel) override;
};

}  // namespace kindred
