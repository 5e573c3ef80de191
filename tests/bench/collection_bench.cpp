// Speed of exact nearest neighbors on the CPU over collections of real text, from files of
// tune_export; docs/benchmarks.md keeps the figures.
//
//   collection_bench FILE... [--queries N]
//
// N documents (default 1,000), evenly spread, ask for their neighbors, on one thread: all of them
// by k, and those of a class of sizes. Time is processor time of that thread. The floor is what a
// query's postings take at 1.5e9 multiply-adds a second, the target for the shape of RCV1.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/twins/factory.h"
#include "tests/bench/options.h"
#include "tests/bench/tune_collection.h"
#include "tests/fixtures/random_csr.h"

namespace kindred::bench {
namespace {

constexpr double kAddsPerSecond = 1.5e9;

struct Options {
  std::vector<std::string> files;
  std::uint32_t queries = 1000;
};

double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class CollectionBench {
 public:
  CollectionBench(const Csr& csr, std::uint32_t queries)
      : csr_(csr),
        queries_(queries),
        weighting_(test::ltc_weighting(csr.view())),
        backend_(make_backend(csr.view(), weighting_, {.kind = "cpu", .threads = 1})),
        df_(csr.columns) {
    for (const std::uint32_t term : csr.column) ++df_[term];
  }

  void run() {
    for (const std::size_t k : {1, 10, 45, 128, 512, 1000}) measure("all sizes", 0, ~0u, k);
    for (const std::uint32_t least : {25, 50, 100, 200, 400, 800, 1600, 3200})
      measure(std::to_string(least) + " terms and more", least, least == 3200 ? ~0u : 2 * least,
              45);
  }

 private:
  /// Documents of [least, most) terms, at most queries_, evenly spread.
  std::vector<std::uint32_t> rows_of(std::uint32_t least, std::uint32_t most) const {
    std::vector<std::uint32_t> all, some;
    for (std::uint32_t row = 0; row < csr_.rows(); ++row) {
      const std::uint64_t terms = csr_.row_begin[row + std::size_t{1}] - csr_.row_begin[row];
      if (terms >= least && terms < most) all.push_back(row);
    }
    const std::size_t step = std::max<std::size_t>(all.size() / queries_, 1);
    for (std::size_t i = 0; i < all.size() && some.size() < queries_; i += step)
      some.push_back(all[i]);
    return some;
  }

  void measure(const std::string& name, std::uint32_t least, std::uint32_t most, std::size_t k) {
    Queries queries;
    double adds = 0;
    for (const std::uint32_t row : rows_of(least, most)) {
      test::add_row_query(queries, csr_.view(), row, weighting_);
      for (std::uint64_t i = csr_.row_begin[row]; i < csr_.row_begin[row + std::size_t{1}]; ++i)
        adds += df_[csr_.column[i]];
    }
    if (queries.rows() == 0) return;
    backend_->nearest(queries, k);  // makes what the backend makes at its first batch
    const double start = now();
    backend_->nearest(queries, k);
    const double seconds = now() - start;
    std::printf("%-20s %5zu queries, k = %4zu: %8.3f ms each, %5.1f x floor\n", name.c_str(),
                queries.rows(), k, 1e3 * seconds / static_cast<double>(queries.rows()),
                seconds / (adds / kAddsPerSecond));
    std::fflush(stdout);
  }

  const Csr& csr_;
  std::uint32_t queries_;
  TermWeighting weighting_;
  std::unique_ptr<const Backend> backend_;
  std::vector<double> df_;
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  std::size_t first = 0;
  while (first < arguments.size() && !arguments[first].starts_with("--"))
    options.files.push_back(arguments[first++]);
  read_options({arguments.begin() + static_cast<std::ptrdiff_t>(first), arguments.end()},
               {{"--queries", [&](const std::string& value) {
                   options.queries = static_cast<std::uint32_t>(std::stoul(value));
                 }}});
  if (options.files.empty()) throw std::invalid_argument("no file of tune_export is named");
  if (options.queries == 0) throw std::invalid_argument("--queries is at least 1");
  return options;
}

void run(const Options& options) {
  for (const std::string& file : options.files) {
    const Mirror mirror = read_collection(file);
    const Csr& csr = mirror.counts.matrix();
    std::printf("%s: %u documents, %zu counts\n", file.c_str(), csr.rows(), csr.column.size());
    CollectionBench(csr, options.queries).run();
  }
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) try {
  kindred::bench::run(kindred::bench::parse({argv + 1, argv + argc}));
} catch (const std::exception& e) {
  std::fprintf(stderr, "collection_bench: %s\n", e.what());
  return 2;
}
