// Speed of exact nearest neighbors on a GPU; docs/quality.md keeps the figures.
//
//   knn_gpu_bench [--json FILE] [--only NAME] [--repeats N] [--rows N]
//   knn_gpu_bench --collection FILE    all pairs of real text, from a file of export_matrix
//   knn_gpu_bench --dump DIRECTORY     writes the matrix that peers/som_gpu_peer.py reads
//
// Names: reference_job, large. Times are wall-clock, from counts in
// page-locked host memory to neighbors (or shares of labels) in page-locked host memory. Before
// anything is timed, a sample of the answers is compared bit for bit with the CPU twin's. The floor
// of a batch is one shared-memory add per posting, at the rate measured on an H200, 2.8e12 per
// second.
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/twins/factory.h"
#include "tests/bench/gpu_collection.h"
#include "tests/bench/matrix_file.h"
#include "tests/bench/timing.h"
#include "tests/fixtures/segmented_mirror.h"

namespace kindred::bench {
namespace {

constexpr double kAddsPerSecond = 2.8e12;
constexpr std::uint32_t kUnlabeled = 781265;

struct Options {
  std::string json, only, dump, collection;
  std::size_t repeats = 10;
  std::uint32_t rows = 10000000;
};

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)) {}

  void run() {
    if (!options_.dump.empty())
      return write_matrix(options_.dump + "/rcv1_queries.csr", rcv1_shape(131072, 2));
    if (!options_.collection.empty()) {
      collection();
    } else {
      if (wanted("reference_job")) reference();
      if (wanted("large")) {
        medium();
        large();
      }
    }
    if (!options_.json.empty()) std::ofstream(options_.json) << results_.dump(2) << "\n";
  }

 private:
  bool wanted(const std::string& name) const {
    return options_.only.empty() || options_.only == name;
  }

  /// Compares both twins' answers to `queries`.
  void compare(const Backend& cuda, const Backend& cpu, const QueryView& queries, std::size_t k) {
    std::vector<Neighbor> ours(queries.rows * k), theirs(ours.size());
    cuda.nearest(queries, k, nullptr, ours);
    cpu.nearest(queries, k, nullptr, theirs);
    const Vote vote{k, 5, nullptr, {}};
    std::vector<LabelShare> our_shares(queries.rows * 5), their_shares(our_shares.size());
    cuda.vote(queries, vote, our_shares);
    cpu.vote(queries, vote, their_shares);
    if (ours != theirs || our_shares != their_shares) throw std::runtime_error("the twins differ");
    std::printf("%-22s %zu queries, k = %zu: the same bits as the CPU twin\n", "check",
                queries.rows, k);
  }

  void reference() {
    const Csr csr = rcv1_shape(kRcv1Documents, 1);
    const TermWeighting weighting = test::ltc_weighting(csr.view());
    const test::Labels labels = random_topics(csr.rows());
    const SegmentListPointer mirror = test::SegmentedMirror(csr.view(), labels.view()).list();
    const auto cuda = make_backend(mirror, weighting, {.kind = "cuda"});
    const auto cpu = make_backend(mirror, weighting, {.kind = "cpu"});
    const BackendInfo info = cuda->info();
    std::printf("%-22s %s, compute capability %s\n", "device", info.device.c_str(),
                info.compute_capability.c_str());
    const Csr sample = rcv1_shape(2000, 2);
    compare(*cuda, *cpu, first_rows(sample, sample.rows()), 45);
    reference_job(csr, *cuda);
  }

  void reference_job(const Csr& mirror, const Backend& backend) {
    const Csr unlabeled = rcv1_rows(kUnlabeled, 2);
    const double adds = adds_of(mirror, unlabeled);
    PinnedQueries queries(unlabeled);
    constexpr std::size_t k = 45, shares = 5;
    Pinned<Neighbor> neighbors(kUnlabeled * k);
    batch("reference_job", adds,
          [&] { backend.nearest(queries.view(), k, nullptr, neighbors.span()); });
    Pinned<LabelShare> tags(kUnlabeled * shares);
    batch("reference_job_tags", adds, [&] {
      backend.vote(queries.view(), {k, shares, nullptr, {}}, tags.span());
    });
  }

  /// Every document of a file is a query.
  void collection() {
    const Csr csr = read_matrix(options_.collection);
    const TermWeighting weighting = test::ltc_weighting(csr.view());
    const auto cuda = make_backend(csr.view(), weighting, {.kind = "cuda"});
    const auto cpu = make_backend(csr.view(), weighting, {.kind = "cpu"});
    const Csr sample = spread_rows(csr, 1000);
    for (const std::size_t k : {10, 45, 1000})
      compare(*cuda, *cpu, first_rows(sample, sample.rows()), k);
    PinnedQueries queries(csr);
    for (const std::size_t k : {10, 45}) {
      Pinned<Neighbor> neighbors(csr.rows() * k);
      batch("all_pairs_" + std::to_string(k), adds_of(csr, csr),
            [&] { cuda->nearest(queries.view(), k, nullptr, neighbors.span()); });
    }
    single("single_query", *cuda, sample);
  }

  void batch(const std::string& name, double adds, const std::function<void()>& work) {
    work();
    std::vector<double> seconds;
    for (std::size_t i = 0; i < options_.repeats; ++i) seconds.push_back(seconds_of(work));
    const double median = percentile(seconds, .5), floor = adds / kAddsPerSecond;
    results_[name] = {
        {"seconds", median}, {"best", percentile(seconds, 0)}, {"worst", percentile(seconds, 1)},
        {"adds", adds},      {"floor_seconds", floor},         {"ratio_to_floor", median / floor}};
    std::printf("%-22s %.1f ms (%.1f to %.1f), %.3g adds, floor %.1f ms, %.2f x floor\n",
                name.c_str(), 1e3 * median, 1e3 * percentile(seconds, 0),
                1e3 * percentile(seconds, 1), adds, 1e3 * floor, median / floor);
  }

  void single(const std::string& name, const Backend& backend, const Csr& queries) {
    std::vector<double> seconds;
    std::vector<Neighbor> neighbors(10);
    for (std::uint32_t i = 0; i < 1200; ++i) {
      const RowQuery query(queries, i % queries.rows());
      const double time = seconds_of([&] { backend.nearest(query.view, 10, nullptr, neighbors); });
      if (i >= 200) seconds.push_back(time);
    }
    const double median = percentile(seconds, .5), p99 = percentile(seconds, .99);
    results_[name] = {{"k", 10}, {"median", median}, {"p99", p99}};
    std::printf("%-22s median %.1f us, p99 %.1f us\n", name.c_str(), 1e6 * median, 1e6 * p99);
  }

  void medium() {
    const Csr csr = rcv1_rows(1000000, 3), sample = rcv1_shape(1000, 2);
    const TermWeighting weighting = test::ltc_weighting(csr.view());
    const test::Labels labels = random_topics(csr.rows());
    const SegmentListPointer mirror = test::SegmentedMirror(csr.view(), labels.view()).list();
    const auto backend = make_backend(mirror, weighting, {.kind = "cuda"});
    const auto cpu = make_backend(mirror, weighting, {.kind = "cpu"});
    compare(*backend, *cpu, first_rows(sample, 200), 45);
    single("single_query_1m", *backend, sample);
  }

  void large() {
    const Csr csr = rcv1_rows(options_.rows, 5), sample = rcv1_shape(1000, 2);
    const TermWeighting weighting = test::ltc_weighting(csr.view());
    const auto backend = make_backend(csr.view(), weighting, {.kind = "cuda"});
    const auto cpu = make_backend(csr.view(), weighting, {.kind = "cpu"});
    compare(*backend, *cpu, first_rows(sample, 50), 10);
    single("single_query_10m", *backend, sample);
  }

  Options options_;
  nlohmann::json results_;
};

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  Options options;
  read_options(arguments, {{"--json", into(options.json)},
                           {"--only", into(options.only)},
                           {"--dump", into(options.dump)},
                           {"--collection", into(options.collection)},
                           {"--repeats", into(options.repeats)},
                           {"--rows", into(options.rows)}});
  Bench(options).run();
}

}  // namespace kindred::bench
