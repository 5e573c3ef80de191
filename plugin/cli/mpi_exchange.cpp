#include "plugin/cli/mpi_exchange.h"

#include <mpi.h>
#include <algorithm>
#include <numeric>

namespace kindred::cli {
namespace {

/// Sums of one process that are exchanged at once: few enough for messages whose bytes an int
/// counts.
constexpr std::size_t kSumsAtOnce = std::size_t{1} << 18;

bool is_running() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

/// Where each of some parts begins, if they lie one after the other.
std::vector<int> begins_of(const std::vector<int>& sizes) {
  std::vector<int> begins(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  return begins;
}

}  // namespace

MpiExchange::MpiExchange() {
  int provided = 0, rank = 0, size = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank_ = static_cast<std::size_t>(rank);
  size_ = static_cast<std::size_t>(size);
}

void MpiExchange::all_reduce(std::span<std::int64_t> values, SomReduction reduction) {
  for (std::size_t begin = 0; begin < values.size(); begin += kSumsAtOnce) {
    const auto part = values.subspan(begin, std::min(kSumsAtOnce, values.size() - begin));
    MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_INT64_T,
                  reduction == SomReduction::kSum ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
  }
}

void MpiExchange::add_up(const SomSumAccess& sums) {
  const std::size_t at_once = std::max<std::size_t>(1, kSumsAtOnce / sums.units);
  std::vector<std::int64_t> buffer(at_once * sums.units);
  for (std::size_t round = 0; round < sums.columns; round += at_once * size_) {
    const auto first_of = [&](std::size_t rank) {
      return static_cast<std::uint32_t>(
          std::min<std::size_t>(sums.columns, round + rank * at_once));
    };
    const auto part_of = [&](std::size_t rank) {
      return std::span(buffer).first(std::size_t{first_of(rank + 1) - first_of(rank)} * sums.units);
    };
    const auto read = [&](std::size_t rank) {
      if (!part_of(rank).empty()) sums.read(first_of(rank), part_of(rank));
      return part_of(rank);
    };
    std::vector<std::string> parts(size_);
    for (std::size_t other = 0; other < size_; ++other)
      if (other != rank_) parts[other] = packed_values(read(other));
    const std::vector<std::string> of_others = exchange(parts);
    const std::span<std::int64_t> own = read(rank_);
    for (std::size_t other = 0; other < size_; ++other)
      if (other != rank_) add_values(of_others[other], own);
    const std::vector<std::string> all =
        exchange(std::vector<std::string>(size_, packed_values(own)));
    for (std::size_t rank = 0; rank < size_; ++rank) {
      const std::span<std::int64_t> part = part_of(rank);
      std::ranges::fill(part, 0);
      add_values(all[rank], part);
      if (!part.empty()) sums.write(first_of(rank), part);
    }
  }
}

/// Sends to each process what is at its place, and returns what each has sent here.
std::vector<std::string> MpiExchange::exchange(const std::vector<std::string>& to) const {
  std::string sent;
  std::vector<int> sent_sizes, sizes(size_);
  for (const std::string& bytes : to) {
    sent += bytes;
    sent_sizes.push_back(static_cast<int>(bytes.size()));
  }
  MPI_Alltoall(sent_sizes.data(), 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> sent_begins = begins_of(sent_sizes), begins = begins_of(sizes);
  std::string received(static_cast<std::size_t>(begins.back() + sizes.back()), '\0');
  MPI_Alltoallv(sent.data(), sent_sizes.data(), sent_begins.data(), MPI_BYTE, received.data(),
                sizes.data(), begins.data(), MPI_BYTE, MPI_COMM_WORLD);
  std::vector<std::string> from;
  for (std::size_t rank = 0; rank < size_; ++rank)
    from.push_back(received.substr(static_cast<std::size_t>(begins[rank]),
                                   static_cast<std::size_t>(sizes[rank])));
  return from;
}

void MpiExchange::finish() {
  if (is_running()) MPI_Finalize();
}

void MpiExchange::abort() {
  if (is_running()) MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace kindred::cli
