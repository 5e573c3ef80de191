#include "plugin/cli/job.h"

#ifdef KINDRED_MPI
#include <mpi.h>
#endif
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/cli/options.h"

namespace kindred::cli {
namespace {

/// A number in the environment, if there is one.
bool read_number(const char* variable, std::size_t& number) {
  const char* const text = std::getenv(variable);
  const Json found = number_in(text == nullptr ? "" : text, Shape::Type::kWhole);
  if (!found.is_null()) number = found.get<std::size_t>();
  return !found.is_null();
}

}  // namespace

Launch launch() {
  // Open MPI's mpirun; the PMI of MPICH's and of srun; srun with any other interface.
  constexpr std::pair<const char*, const char*> kLaunchers[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

  // Both or none: a shell inside of a job may have one of them left.
  for (const auto& [rank, size] : kLaunchers) {
    Launch found;
    if (read_number(rank, found.rank) && read_number(size, found.size)) return found;
  }
  return {};
}

#ifdef KINDRED_MPI
namespace {

/// Sums of one process that are exchanged at once: few enough for messages whose bytes an int
/// counts.
constexpr std::size_t kSumsAtOnce = std::size_t{1} << 18;

bool is_running() {
  int started = 0;
  int ended = 0;
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

/// Joins the processes of a job by MPI. All calls are made in the thread that made the first one.
/// If one fails, MPI says why, and ends all processes.
class MpiExchange final : public SomExchange {
 public:
  /// Starts MPI; once in a process.
  MpiExchange() {
    int provided = 0;
    int rank = 0;
    int size = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  void all_reduce(std::span<std::int64_t> values, SomReduction reduction) override {
    // MPI counts in an int, so the values go in parts. All processes have the same number of them,
    // and so make the same calls.
    for (std::size_t begin = 0; begin < values.size(); begin += kSumsAtOnce) {
      const auto part = values.subspan(begin, std::min(kSumsAtOnce, values.size() - begin));
      MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_INT64_T,
                    reduction == SomReduction::kSum ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    }
  }

  /// Each process adds up an equal share of the columns, and sends the sums to the others. What
  /// crosses is a few bytes for each sum that is not 0.
  void add_up(const SomSumAccess& sums) override {
    const std::size_t at_once = std::max<std::size_t>(1, kSumsAtOnce / sums.units);
    std::vector<std::int64_t> buffer(at_once * sums.units);
    for (std::size_t round = 0; round < sums.columns; round += at_once * size_) {
      // In each round, process r has the columns from first_of(r) on. The last rounds may leave
      // nothing to the last processes, but all of them take part in each exchange.
      const auto first_of = [&](std::size_t rank) {
        return static_cast<std::uint32_t>(
            std::min<std::size_t>(sums.columns, round + rank * at_once));
      };
      const auto part_of = [&](std::size_t rank) {
        return std::span(buffer).first(std::size_t{first_of(rank + 1) - first_of(rank)} *
                                       sums.units);
      };

      const auto read = [&](std::size_t rank) {
        if (!part_of(rank).empty()) sums.read(first_of(rank), part_of(rank));
        return part_of(rank);
      };

      // Each process sends its sums of the others' columns to them, and adds up its own columns.
      std::vector<std::string> parts(size_);
      for (std::size_t other = 0; other < size_; ++other)
        if (other != rank_) parts[other] = packed_values(read(other));
      const std::vector<std::string> of_others = exchange(parts);
      const std::span<std::int64_t> own = read(rank_);
      for (std::size_t other = 0; other < size_; ++other)
        if (other != rank_) add_values(of_others[other], own);

      // Then everybody gets the totals of all columns.
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

 private:
  /// Sends to each process its part, and returns what each has sent here.
  std::vector<std::string> exchange(const std::vector<std::string>& to) const {
    std::string sent;
    std::vector<int> sent_sizes;
    std::vector<int> sizes(size_);
    for (const std::string& bytes : to) {
      sent += bytes;
      sent_sizes.push_back(static_cast<int>(bytes.size()));
    }

    // The sizes go first, because MPI wants to know what it receives.
    MPI_Alltoall(sent_sizes.data(), 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const std::vector<int> sent_begins = begins_of(sent_sizes);
    const std::vector<int> begins = begins_of(sizes);
    std::string received(static_cast<std::size_t>(begins.back() + sizes.back()), '\0');
    MPI_Alltoallv(sent.data(), sent_sizes.data(), sent_begins.data(), MPI_BYTE, received.data(),
                  sizes.data(), begins.data(), MPI_BYTE, MPI_COMM_WORLD);

    std::vector<std::string> from;
    for (std::size_t rank = 0; rank < size_; ++rank)
      from.push_back(received.substr(static_cast<std::size_t>(begins[rank]),
                                     static_cast<std::size_t>(sizes[rank])));
    return from;
  }

  std::size_t rank_ = 0;
  std::size_t size_ = 1;
};

}  // namespace

std::unique_ptr<SomExchange> join_job() {
  // A process that was started alone needs no MPI, which may not even be able to start.
  const std::size_t wanted = launch().size;
  if (wanted == 1) return nullptr;
  auto joined = std::make_unique<MpiExchange>();
  if (joined->size() == wanted) return joined;

  throw Error(Errc::kUnsupported,
              "started as " + std::to_string(wanted) + " processes, but MPI knows of " +
                  std::to_string(joined->size()) +
                  ": is it another MPI than this kindred was built with, or does srun lack "
                  "--mpi=pmix?");
}

void end_job() {
  if (is_running()) MPI_Finalize();
}

void abort_job() {
  if (is_running()) MPI_Abort(MPI_COMM_WORLD, 1);
}
#else
std::unique_ptr<SomExchange> join_job() {
  if (launch().size == 1) return nullptr;
  throw Error(Errc::kUnsupported,
              "started as " + std::to_string(launch().size) +
                  " processes, but this kindred was built without MPI (-DKINDRED_MPI=ON): start it "
                  "once, without mpirun or srun");
}

void end_job() {}

void abort_job() {}
#endif

}  // namespace kindred::cli
