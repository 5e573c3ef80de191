#include "plugin/cli/job.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "config/error.h"
#include "plugin/cli/options.h"
#ifdef KINDRED_MPI
#include "plugin/cli/mpi_exchange.h"
#endif

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
  for (const auto& [rank, size] : kLaunchers) {
    Launch found;
    if (read_number(rank, found.rank) && read_number(size, found.size)) return found;
  }
  return {};
}

#ifdef KINDRED_MPI
std::unique_ptr<SomExchange> join_job() {
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

void end_job() { MpiExchange::finish(); }

void abort_job() { MpiExchange::abort(); }
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
