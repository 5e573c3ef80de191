#pragma once

#include <mpi.h>
#include <cstdint>
#include <list>
#include <optional>
#include <string>

namespace kindred::cli {

/// A piece of a message between processes.
struct MpiFrame {
  std::size_t from = 0;
  std::uint64_t kind = 0, channel = 0;
  bool more = false;  ///< the next frame of this rank and channel continues the message
  std::string bytes;
};

/// Frames by MPI, for the one thread that makes all calls of MPI. No call waits.
class MpiMessages {
 public:
  MpiMessages();  ///< starts MPI. @throws Error kUnsupported
  MpiMessages(const MpiMessages&) = delete;
  MpiMessages& operator=(const MpiMessages&) = delete;

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }

  /// Begins to send a message, in frames of at most 64 MiB.
  void send(std::size_t to, std::uint64_t kind, std::uint64_t channel, std::string bytes);

  /// Goes on with what is under way. Returns a frame if one has come whole.
  std::optional<MpiFrame> poll();

  bool is_idle() const { return sending_.empty() && !receiving_; }

  void finish();                     ///< ends MPI, together with the other ranks
  [[noreturn]] static void abort();  ///< ends all ranks
  static void check(int status);     ///< @throws Error kUnsupported with the text of MPI

 private:
  struct Transfer {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    std::size_t from = 0;
  };

  void begin_sending(std::size_t to, std::uint64_t kind, std::uint64_t channel, bool more,
                     std::string bytes);
  void forget_sent();
  void begin_receiving();

  std::size_t rank_ = 0, size_ = 1;
  std::list<Transfer> sending_;
  std::optional<Transfer> receiving_;
};

}  // namespace kindred::cli
