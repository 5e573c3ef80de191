#include "plugin/cli/ranks/job.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "config/error.h"

namespace kindred::cli {
namespace {

/// One process by itself.
class LoneJob final : public Job {
 public:
  Ranks& ranks() override { return rank_; }
  std::string activity() const override { return ""; }
  void end() override {}
  [[noreturn]] void fail(const std::string& message) override {
    throw Error(Errc::kInternal, message);
  }

 private:
  LoneRank rank_;
};

/// A number in the environment, if there is one.
bool read_number(const char* variable, std::size_t& number) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return false;
  std::size_t found = 0;
  const char* end = text + std::strlen(text);
  if (std::from_chars(text, end, found).ptr != end || end == text) return false;
  number = found;
  return true;
}

}  // namespace

Launch launch() {
  // Open MPI's mpirun; the PMI of MPICH's and of srun; srun with any other interface.
  constexpr std::pair<const char*, const char*> kLaunchers[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank, size] : kLaunchers) {
    Launch found;
    if (read_number(rank, found.rank) && read_number(size, found.size)) return found;
  }
  return {};
}

std::unique_ptr<Job> join_job() {
  if (launch().size > 1) return join_by_mpi();
  return std::make_unique<LoneJob>();
}

#ifndef KINDRED_MPI
std::unique_ptr<Job> join_by_mpi() {
  throw Error(Errc::kUnsupported,
              "started as " + std::to_string(launch().size) +
                  " processes, but this kindred was built without MPI (-DKINDRED_MPI=ON): start it "
                  "once, without mpirun or srun");
}
#endif

}  // namespace kindred::cli
