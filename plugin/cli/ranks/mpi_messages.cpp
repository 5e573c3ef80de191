#include "plugin/cli/ranks/mpi_messages.h"

#include <unistd.h>
#include <cstring>
#include <utility>

#include "config/error.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kFrameBytes = std::size_t{64} << 20;
constexpr int kTag = 1;

/// What a frame ends with: its bytes need no copy to come and to go.
struct FrameEnd {
  std::uint64_t kind, channel, more;
};

bool has_ended(MPI_Request& request) {
  int ended = 0;
  MpiMessages::check(MPI_Test(&request, &ended, MPI_STATUS_IGNORE));
  return ended != 0;
}

}  // namespace

void MpiMessages::check(int status) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error(Errc::kUnsupported, std::string("MPI: ") + text);
}

MpiMessages::MpiMessages() {
  int provided = 0, rank = 0, size = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(MPI_Comm_size(MPI_COMM_WORLD, &size));
  rank_ = static_cast<std::size_t>(rank);
  size_ = static_cast<std::size_t>(size);
}

void MpiMessages::send(std::size_t to, std::uint64_t kind, std::uint64_t channel,
                       std::string bytes) {
  std::size_t at = 0;
  for (; bytes.size() - at > kFrameBytes; at += kFrameBytes)
    begin_sending(to, kind, channel, true, bytes.substr(at, kFrameBytes));
  bytes.erase(0, at);
  begin_sending(to, kind, channel, false, std::move(bytes));
}

void MpiMessages::begin_sending(std::size_t to, std::uint64_t kind, std::uint64_t channel,
                                bool more, std::string bytes) {
  const FrameEnd end{kind, channel, more ? 1U : 0U};
  Transfer& transfer = sending_.emplace_back();
  transfer.bytes = std::move(bytes);
  transfer.bytes.append(reinterpret_cast<const char*>(&end), sizeof end);
  check(MPI_Isend(transfer.bytes.data(), static_cast<int>(transfer.bytes.size()), MPI_BYTE,
                  static_cast<int>(to), kTag, MPI_COMM_WORLD, &transfer.request));
}

void MpiMessages::forget_sent() {
  std::erase_if(sending_, [](Transfer& transfer) { return has_ended(transfer.request); });
}

void MpiMessages::begin_receiving() {
  int found = 0, bytes = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check(MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &found, &message, &status));
  if (found == 0) return;
  check(MPI_Get_count(&status, MPI_BYTE, &bytes));
  receiving_.emplace();
  receiving_->from = static_cast<std::size_t>(status.MPI_SOURCE);
  receiving_->bytes.resize(static_cast<std::size_t>(bytes));
  check(MPI_Imrecv(receiving_->bytes.data(), bytes, MPI_BYTE, &message, &receiving_->request));
}

std::optional<MpiFrame> MpiMessages::poll() {
  forget_sent();
  if (!receiving_) begin_receiving();
  if (!receiving_ || !has_ended(receiving_->request)) return std::nullopt;
  FrameEnd end{};
  std::string& bytes = receiving_->bytes;
  if (bytes.size() < sizeof end) throw Error(Errc::kInternal, "MPI: a message is too short");
  std::memcpy(&end, bytes.data() + bytes.size() - sizeof end, sizeof end);
  bytes.resize(bytes.size() - sizeof end);
  MpiFrame frame{receiving_->from, end.kind, end.channel, end.more != 0, std::move(bytes)};
  receiving_.reset();
  return frame;
}

void MpiMessages::finish() { MPI_Finalize(); }

void MpiMessages::abort() {
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

}  // namespace kindred::cli
