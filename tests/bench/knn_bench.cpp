// Speed of exact nearest neighbors on the CPU; docs/quality.md keeps the figures.
//
//   knn_bench [--json FILE] [--dump DIRECTORY] [--only NAME] [--repeats N] [--rows N]
//
// A useful multiply-add is one posting of one query term: sum over query terms of their document
// frequency. Time is that of Backend::nearest alone, queries in memory to neighbors in memory, on
// one thread, once the backend has its tiles.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu/twins/factory.h"
#include "tests/bench/matrix_file.h"
#include "tests/bench/options.h"
#include "tests/bench/rcv1_shape.h"
#include "tests/bench/timing.h"
#include "tests/fixtures/random_csr.h"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kQueriesThatWait = 32;  // a call of so many makes a backend's tiles first

struct Options {
  std::string json, dump, only;
  std::size_t repeats = 5;
  std::uint32_t rows = 1000000;
};

Queries rows_as_queries(CsrView matrix, std::uint32_t rows, const TermWeighting& weighting) {
  Queries queries;
  for (std::uint32_t row = 0; row < rows; ++row)
    test::add_row_query(queries, matrix, row, weighting);
  return queries;
}

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)) {}

  void run() {
    if (wanted("rcv1_all_pairs")) rcv1();
    if (wanted("single_query")) single();
    if (!options_.json.empty()) std::ofstream(options_.json) << results_.dump(2) << "\n";
  }

 private:
  bool wanted(const std::string& name) const {
    return options_.only.empty() || options_.only == name;
  }

  /// A backend that has its tiles.
  static std::unique_ptr<const Backend> build(const Csr& csr, const TermWeighting& weighting) {
    auto backend = make_backend(csr.view(), weighting, {"cpu", 1});
    backend->nearest(rows_as_queries(csr.view(), kQueriesThatWait, weighting), 1);
    return backend;
  }

  void rcv1() {
    const Csr csr = rcv1_shape(kRcv1Documents, 1);
    if (!options_.dump.empty()) write_matrix(options_.dump + "/rcv1.csr", csr);
    const TermWeighting weighting = test::ltc_weighting(csr.view());
    const auto backend = build(csr, weighting);
    const Queries queries = rows_as_queries(csr.view(), csr.rows(), weighting);
    const double useful = adds_of(csr, csr);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < options_.repeats; ++i)
      seconds.push_back(seconds_of<processor_seconds>([&] { backend->nearest(queries, 10); }));
    const double median = percentile(seconds, .5);
    const double best = percentile(seconds, 0), worst = percentile(seconds, 1);
    results_["rcv1_all_pairs"] = {{"queries", queries.rows()},
                                  {"k", 10},
                                  {"useful", useful},
                                  {"seconds", median},
                                  {"best", best},
                                  {"worst", worst},
                                  {"useful_per_second", useful / median}};
    std::printf(
        "%-20s %8zu queries, k = 10: %.3f s (%.3f to %.3f), %.1f us a query, %.2fe9 useful/s\n",
        "rcv1_all_pairs", queries.rows(), median, best, worst,
        1e6 * median / static_cast<double>(queries.rows()), useful / median * 1e-9);
  }

  void single() {
    const Csr csr = rcv1_shape(options_.rows, 3);
    const TermWeighting weighting = test::ltc_weighting(csr.view());
    const auto backend = build(csr, weighting);
    std::vector<double> seconds;
    for (std::uint32_t row = 0; row < 500; ++row) {
      Queries query;
      test::add_row_query(query, csr.view(), row * 7 % csr.rows(), weighting);
      seconds.push_back(seconds_of<processor_seconds>([&] { backend->nearest(query, 10); }));
    }
    const double median = percentile(seconds, .5), p99 = percentile(seconds, .99);
    results_["single_query"] = {{"k", 10}, {"median", median}, {"p99", p99}};
    std::printf("%-20s %8zu queries, k = 10: median %.3f ms, p99 %.3f ms\n", "single_query",
                seconds.size(), 1e3 * median, 1e3 * p99);
  }

  Options options_;
  nlohmann::json results_;
};

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  Options options;
  read_options(arguments, {{"--json", into(options.json)},
                           {"--dump", into(options.dump)},
                           {"--only", into(options.only)},
                           {"--repeats", into(options.repeats)},
                           {"--rows", into(options.rows)}});
  Bench(options).run();
}

}  // namespace kindred::bench
