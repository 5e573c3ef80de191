// Speed of exact nearest neighbors on a GPU over collections of real text, from files of
// tune_export; docs/quality.md keeps the figures.
//
//   collection_gpu_bench FILE... [--json FILE] [--repeats N]
//
// Every document is a query. Times are wall-clock, from counts in page-locked host memory to
// neighbors in page-locked host memory: all pairs, and single queries. Before anything is timed, a
// sample of the answers is compared bit for bit with the CPU twin's. The floor is one shared-memory
// add per posting, at the rate of an H200, 2.8e12 a second.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/twins/factory.h"
#include "tests/bench/collection_rows.h"
#include "tests/bench/gpu_collection.h"
#include "tests/bench/options.h"
#include "tests/bench/statistics.h"
#include "tests/bench/tune_collection.h"

namespace kindred::bench {
namespace {

constexpr double kAddsPerSecond = 2.8e12;
constexpr std::uint32_t kCompared = 300;  // queries
constexpr std::uint32_t kSingles = 1000;  // queries alone
constexpr std::size_t kLong = 200;        // queries of many terms that are compared, too

struct Options {
  std::vector<std::string> files;
  std::string json;
  std::size_t repeats = 5;
};

template <typename Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class CollectionBench {
 public:
  CollectionBench(const Csr& csr, std::size_t repeats)
      : csr_(csr),
        repeats_(repeats),
        weighting_(test::ltc_weighting(csr.view())),
        cuda_(make_backend(csr.view(), weighting_, {.kind = "cuda"})),
        df_(csr.columns) {
    for (const std::uint32_t term : csr.column) ++df_[term];
  }

  nlohmann::json run() {
    compare();
    for (const std::size_t k : {10, 45}) all_pairs(k);
    singles(10);
    return results_;
  }

 private:
  void compare() {
    const auto cpu = make_backend(csr_.view(), weighting_, {.kind = "cpu"});
    std::vector<std::uint32_t> rows = spread_rows(csr_, kCompared);
    for (const std::uint32_t row : with_terms(1000)) rows.push_back(row);
    const Csr sample = rows_of(csr_, rows);
    for (const std::size_t k : {10, 45, 1000}) {
      const QueryView queries = first_rows(sample, sample.rows());
      std::vector<Neighbor> ours(queries.rows * k), theirs(ours.size());
      cuda_->nearest(queries, k, nullptr, ours);
      cpu->nearest(queries, k, nullptr, theirs);
      if (ours != theirs) throw std::runtime_error("the twins differ");
      for (std::uint32_t row = 0; row < sample.rows(); row += 7) {
        const std::span<Neighbor> own = std::span(ours).subspan(row * k, k);
        cuda_->nearest(RowQuery(sample, row).view, k, nullptr, own);
      }
      if (ours != theirs) throw std::runtime_error("a query alone has another answer");
    }
    std::printf("%-26s %u queries: the same bits as the CPU twin\n", "check", sample.rows());
  }

  /// Some rows that have so many terms.
  std::vector<std::uint32_t> with_terms(std::uint64_t least) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < csr_.rows() && rows.size() < kLong; ++row) {
      const std::uint64_t terms = csr_.row_begin[row + std::size_t{1}] - csr_.row_begin[row];
      if (terms >= least) rows.push_back(row);
    }
    return rows;
  }

  void all_pairs(std::size_t k) {
    PinnedQueries queries(csr_);
    Pinned<Neighbor> neighbors(std::size_t{csr_.rows()} * k);
    const auto work = [&] { cuda_->nearest(queries.view(), k, nullptr, neighbors.span()); };
    work();
    std::vector<double> seconds;
    for (std::size_t i = 0; i < repeats_; ++i) seconds.push_back(seconds_of(work));
    double adds = 0;
    for (const std::uint32_t term : csr_.column) adds += df_[term];
    const double median = percentile(seconds, .5), floor = adds / kAddsPerSecond;
    results_.push_back({{"job", "all pairs"},
                        {"k", k},
                        {"queries", csr_.rows()},
                        {"seconds", median},
                        {"best", percentile(seconds, 0)},
                        {"worst", percentile(seconds, 1)},
                        {"ratio_to_floor", median / floor}});
    std::printf("all pairs, k = %zu: %.2f ms (%.2f to %.2f), %.2f us each, %.1f x floor\n", k,
                1e3 * median, 1e3 * percentile(seconds, 0), 1e3 * percentile(seconds, 1),
                1e6 * median / csr_.rows(), median / floor);
  }

  void singles(std::size_t k) {
    const std::vector<std::uint32_t> rows = spread_rows(csr_, kSingles);
    std::vector<double> seconds;
    std::vector<Neighbor> neighbors(k);
    for (int round = 0; round < 2; ++round) {
      seconds.clear();
      for (const std::uint32_t row : rows) {
        const RowQuery query(csr_, row);
        seconds.push_back(seconds_of([&] { cuda_->nearest(query.view, k, nullptr, neighbors); }));
      }
    }
    const double median = percentile(seconds, .5), p99 = percentile(seconds, .99);
    results_.push_back({{"job", "single queries"},
                        {"k", k},
                        {"queries", rows.size()},
                        {"median", median},
                        {"p99", p99},
                        {"worst", percentile(seconds, 1)}});
    std::printf("%zu alone, k = %zu: median %.1f us, p99 %.1f us, worst %.1f us\n", rows.size(), k,
                1e6 * median, 1e6 * p99, 1e6 * percentile(seconds, 1));
  }

  const Csr& csr_;
  std::size_t repeats_;
  TermWeighting weighting_;
  std::unique_ptr<const Backend> cuda_;
  std::vector<double> df_;
  nlohmann::json results_ = nlohmann::json::array();
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  std::size_t first = 0;
  while (first < arguments.size() && !arguments[first].starts_with("--"))
    options.files.push_back(arguments[first++]);
  read_options(
      {arguments.begin() + static_cast<std::ptrdiff_t>(first), arguments.end()},
      {{"--json", [&](const std::string& value) { options.json = value; }},
       {"--repeats", [&](const std::string& value) { options.repeats = std::stoul(value); }}});
  if (options.files.empty()) throw std::invalid_argument("no file of tune_export is named");
  return options;
}

void run(const Options& options) {
  nlohmann::json results;
  for (const std::string& file : options.files) {
    const Mirror mirror = read_collection(file);
    const Csr csr = mirror.counts.matrix();
    std::printf("%s: %u documents, %zu counts\n", file.c_str(), csr.rows(), csr.column.size());
    results[std::filesystem::path(file).stem().string()] =
        CollectionBench(csr, options.repeats).run();
  }
  if (!options.json.empty()) std::ofstream(options.json) << results.dump(2) << "\n";
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) try {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  kindred::bench::run(kindred::bench::parse({argv + 1, argv + argc}));
} catch (const std::exception& e) {
  std::fprintf(stderr, "collection_gpu_bench: %s\n", e.what());
  return 1;
}
