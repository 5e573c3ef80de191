// Speed of maps on a GPU; docs/quality.md keeps the figures.
//
//   som_gpu_bench [--json FILE] [--epochs N] [--devices 0,1]
//
// The job: 781,265 documents of RCV1's shape, 47,152 terms, on 50 x 50 units. An epoch is
// SomReplicas::match() and update(), with the rows on the device; the time to copy them there is
// reported separately. With --devices, these train the map together, too, and
// their codebook is compared bit for bit with that of the first one alone. Before a job is timed,
// its first epochs are compared bit for bit with those of the CPU twin.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/som/train.h"
#include "gpu/twins/factory.h"
#include "tests/bench/gpu_collection.h"
#include "tests/bench/timing.h"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kDocuments = 781265;

struct Options {
  std::string json;
  std::uint32_t epochs = 20;
  std::vector<int> devices;
};

/// The same matrix with its columns in order of falling frequency, as a map needs them.
Csr by_frequency(const Csr& csr) {
  std::vector<std::uint32_t> frequency(csr.columns), order(csr.columns), number(csr.columns);
  for (const std::uint32_t column : csr.column) ++frequency[column];
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return frequency[a] > frequency[b]; });
  for (std::uint32_t rank = 0; rank < csr.columns; ++rank) number[order[rank]] = rank;
  Csr result = csr;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> row_entries;
  for (std::uint32_t row = 0; row < csr.rows(); ++row) {
    row_entries.clear();
    for (std::uint64_t i = csr.row_begin[row]; i < csr.row_begin[row + std::size_t{1}]; ++i)
      row_entries.emplace_back(number[csr.column[i]], csr.count[i]);
    std::sort(row_entries.begin(), row_entries.end());
    std::uint64_t place = csr.row_begin[row];
    for (const auto& [column, count] : row_entries) {
      result.column[place] = column;
      result.count[place++] = count;
    }
  }
  return result;
}

/// Documents with ltc weights of length 1.
class Documents {
 public:
  explicit Documents(const Csr& csr) : csr_(by_frequency(csr)) {
    const TermWeighting weighting = test::ltc_weighting(csr_.view());
    weights_ = unit_weights(csr_.view(), weighting);
  }
  SomRows rows() const {
    return SomRows{csr_.rows(), csr_.columns, csr_.row_begin.data(), csr_.column.data(),
                   weights_.data()};
  }
  double entries() const { return static_cast<double>(csr_.column.size()); }

 private:
  Csr csr_;
  std::vector<float> weights_;
};

BackendOptions on(const std::string& kind, const std::vector<int>& devices = {}) {
  BackendOptions options;
  options.kind = kind;
  options.devices = devices;
  return options;
}

std::vector<SomTwin*> pointers_to(const std::vector<std::unique_ptr<SomTwin>>& twins) {
  std::vector<SomTwin*> pointers;
  for (const auto& twin : twins) pointers.push_back(twin.get());
  return pointers;
}

/// A map in training on one twin, or on several.
struct Run {
  Run(const BackendOptions& options, const SomLattice& lattice, const SomRows& rows,
      const SomCodebook& start)
      : twins(make_som_twins(lattice, rows.columns, options)), replicas({borrowed}, {&rows, 1}) {
    replicas.load(start);
  }
  void epoch(double sigma) {
    replicas.match();
    replicas.update({sigma, false});
  }
  const std::vector<std::unique_ptr<SomTwin>> twins;
  const std::vector<SomTwin*> borrowed = pointers_to(twins);
  SomReplicas replicas;
};

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)) {}

  void run() {
    sparse();
    if (!options_.json.empty()) std::ofstream(options_.json) << results_.dump(2) << "\n";
  }

 private:
  /// Two epochs on both twins.
  void compare(const std::string& name, const SomLattice& lattice, const SomRows& rows,
               const SomCodebook& start) {
    Run cuda(on("cuda"), lattice, rows, start), cpu(on("cpu"), lattice, rows, start);
    double cpu_seconds = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      cuda.epoch(10);
      cpu_seconds = seconds_of([&] { cpu.epoch(10); });
    }
    cuda.replicas.match();
    cpu.replicas.match();
    if (cuda.replicas.matches() != cpu.replicas.matches() ||
        cuda.replicas.codebook().weight != cpu.replicas.codebook().weight)
      throw std::runtime_error("the twins differ");
    std::printf("%-14s the same bits as the CPU twin, which takes %.2f s an epoch\n",
                (name + " check").c_str(), cpu_seconds);
  }

  void sparse() {
    const Documents documents(rcv1_rows(kDocuments, 2));
    const SomRows rows = documents.rows();
    const SomLattice lattice{50, 50, true, false};
    const SomCodebook start = start_codebook(lattice, {&rows, 1}, SomStart::kDocuments, 1);
    for (const auto& twin : make_som_twins(lattice, rows.columns, on("cuda", options_.devices)))
      std::printf("%-14s %s\n", "device", twin->description().c_str());
    compare("sparse", lattice, rows, start);
    const SomCodebook one = time_epochs("sparse", on("cuda"), lattice, rows, start);
    results_["sparse"]["entries"] = documents.entries();
    if (options_.devices.empty()) return;
    const SomCodebook shared =
        time_epochs("sparse_devices", on("cuda", options_.devices), lattice, rows, start);
    if (shared.weight != one.weight) throw std::runtime_error("several devices give another map");
    std::printf("%-14s %.2f x one, and the same codebook\n", "devices",
                results_["sparse"]["epoch_seconds"].get<double>() /
                    results_["sparse_devices"]["epoch_seconds"].get<double>());
  }

  /// Returns the codebook after all epochs.
  SomCodebook time_epochs(const std::string& name, const BackendOptions& options,
                          const SomLattice& lattice, const SomRows& rows,
                          const SomCodebook& start) {
    const SomSchedule schedule =
        resolved({0, 0.7, SomSchedule::Fall::kExponential, options_.epochs, 0, 0}, 50, 50);
    std::unique_ptr<Run> run;
    const double hold =
        seconds_of([&] { run = std::make_unique<Run>(options, lattice, rows, start); });
    std::vector<double> match, epochs;
    for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch) {
      match.push_back(seconds_of([&] { run->replicas.match(); }));
      epochs.push_back(seconds_of([&] { run->epoch(sigma_at(schedule, epoch)); }));
    }
    const double median = percentile(epochs, .5);
    results_[name] = {{"epoch_seconds", median},
                      {"best", percentile(epochs, 0)},
                      {"worst", percentile(epochs, 1)},
                      {"match_seconds", percentile(match, .5)},
                      {"start_seconds", hold}};
    std::printf(
        "%-14s %.1f ms an epoch (%.1f to %.1f), of which the match takes %.1f; start and rows "
        "to the device %.0f ms\n",
        name.c_str(), 1e3 * median, 1e3 * percentile(epochs, 0), 1e3 * percentile(epochs, 1),
        1e3 * percentile(match, .5), 1e3 * hold);
    return run->replicas.codebook();
  }

  Options options_;
  nlohmann::ordered_json results_;
};

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  Options options;
  read_options(arguments, {{"--json", into(options.json)},
                           {"--devices", into_devices(options.devices)},
                           {"--epochs", into(options.epochs)}});
  Bench(options).run();
}

}  // namespace kindred::bench
