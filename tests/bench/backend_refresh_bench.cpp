// Time of Backend::refreshed(), by what changed in the mirror.
//
//   backend_refresh_bench [--rows N] [--columns N] [--repeats N] [--changes N] [--kind cpu]
//
// The mirror is drawn in memory: 77 terms a row, of a Zipf-like distribution, under ltc weights.
// First come a single query without tiles, the tiles, which a batch waits for, and a single query
// with them. Each change is followed from the same backend, which has its tiles, and a batch is
// asked after it. The peer is make_backend() in the same run.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/twins/factory.h"
#include "tests/bench/options.h"
#include "tests/bench/rcv1_shape.h"
#include "tests/bench/statistics.h"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kTermsOfRow = 77;
constexpr std::uint32_t kBatch = 64;  // queries

/// Rows whose term t occurs in about 7.6 / (t + 12) of them; 73 % of the counts are 1.
Csr draw_rows(std::uint32_t rows, std::uint32_t columns, SplitMix& random) {
  constexpr double kHead = 12;
  const double range = std::log((columns + kHead) / kHead);
  Csr csr;
  csr.columns = columns;
  csr.column.reserve(std::size_t{rows} * kTermsOfRow);
  csr.count.reserve(std::size_t{rows} * kTermsOfRow);
  std::vector<std::uint32_t> terms;
  for (std::uint32_t row = 0; row < rows; ++row) {
    terms.clear();
    for (std::uint32_t i = 0; i < kTermsOfRow + 3; ++i) {
      const double term = kHead * std::exp(range * random.uniform()) - kHead;
      terms.push_back(std::min(static_cast<std::uint32_t>(std::max(term, 0.0)), columns - 1));
    }
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    for (const std::uint32_t term : terms) {
      std::uint16_t count = 1;
      while (count < 200 && random.uniform() > .73) ++count;
      csr.column.push_back(term);
      csr.count.push_back(count);
    }
    csr.row_begin.push_back(csr.column.size());
  }
  return csr;
}

/// N and df of a mirror.
struct Statistics {
  std::uint32_t rows = 0;
  std::vector<std::uint32_t> df;

  void add(CsrView matrix, std::uint32_t row, std::uint32_t by) {
    for (std::uint64_t i = matrix.row_begin[row]; i < matrix.row_begin[row + std::size_t{1}]; ++i)
      df[matrix.column[i]] += by;
  }
  TermWeighting ltc() const {
    TermWeighting weighting;
    for (const std::uint32_t n : df)
      weighting.idf.push_back(n == 0 ? 0 : std::log(double{1} * rows / n));
    weighting.tf.push_back(0);
    for (std::uint32_t c = 1; c <= 255; ++c) weighting.tf.push_back(1 + std::log(c));
    return weighting;
  }
};

/// Milliseconds of a piece of work, by the clock and of all processors.
struct WorkTimes {
  std::vector<double> clock, processors;

  template <typename Work>
  void measure(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    work();
    processors.push_back(1e3 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
    clock.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }

  void report(const std::string& name) const {
    std::printf("%-28s %10.1f %10.1f %10.1f %12.1f\n", name.c_str(), percentile(clock, .5),
                percentile(clock, 0), percentile(clock, 1), percentile(processors, .5));
  }
};

class RefreshBench {
 public:
  RefreshBench(std::uint32_t rows, std::uint32_t columns, int repeats, const std::string& kind)
      : repeats_(repeats), whole_(draw_rows(rows, columns, random_)) {
    statistics_.rows = rows;
    statistics_.df.assign(columns, 0);
    for (std::uint32_t row = 0; row < rows; ++row) statistics_.add(whole_.view(), row, 1);
    weighting_ = statistics_.ltc();
    BackendOptions options;
    options.kind = kind;
    WorkTimes times;
    times.measure([&] { backend_ = make_backend(whole_.view(), weighting_, options); });
    std::printf("%u rows, %zu non-zeros\n%-28s %10s %10s %10s %12s\n", rows, whole_.column.size(),
                "", "ms", "least", "most", "ms of cores");
    times.report("made of the whole mirror");
    ask("first query", 1);
    ask("64 queries, tiles made", kBatch);
    ask("64 queries", kBatch);
    ask("1 query", 1);
  }

  /// A call with the first `n` rows as queries.
  void ask(const std::string& name, std::uint32_t n) {
    const Queries queries = queries_of(n, weighting_);
    WorkTimes times;
    times.measure([&] { backend_->nearest(queries, 10); });
    times.report(name);
  }

  /// Rows that come last, or that replace others at random.
  void follow(const std::string& name, std::uint32_t changes, bool replaces) {
    WorkTimes times, asked;
    for (int i = 0; i < repeats_; ++i) {
      const Csr added = draw_rows(changes, whole_.columns, random_);
      const auto numbers = draw_numbers(replaces ? changes : 0);
      Statistics statistics = statistics_;
      if (!replaces) statistics.rows += changes;
      for (const std::uint32_t number : numbers) statistics.add(whole_.view(), number, UINT32_MAX);
      for (std::uint32_t row = 0; row < changes; ++row) statistics.add(added.view(), row, 1);
      const TermWeighting weighting = statistics.ltc();
      std::unique_ptr<const Backend> fresh;
      times.measure([&] {
        fresh =
            backend_->refreshed({added.view(), {}, replaces ? numbers.data() : nullptr}, weighting);
      });
      const Queries queries = queries_of(kBatch, weighting);
      asked.measure([&] { static_cast<void>(fresh->nearest(queries, 10)); });
    }
    times.report(name);
    asked.report("  then " + std::to_string(kBatch) + " queries");
  }

 private:
  /// The first `n` rows, which the changes may have replaced.
  Queries queries_of(std::uint32_t n, const TermWeighting& weighting) const {
    Queries queries;
    for (std::uint32_t row = 0; row < n; ++row) {
      const std::uint64_t begin = whole_.row_begin[row];
      const std::uint64_t end = whole_.row_begin[row + std::size_t{1}];
      queries.add_counts(std::span(whole_.column).subspan(begin, end - begin),
                         std::vector<std::uint32_t>(whole_.count.begin() + static_cast<long>(begin),
                                                    whole_.count.begin() + static_cast<long>(end)),
                         weighting);
    }
    return queries;
  }

  std::vector<std::uint32_t> draw_numbers(std::uint32_t n) {
    std::vector<std::uint32_t> numbers(n);
    const std::uint32_t each = whole_.rows() / std::max(n, 1u);  // one of each piece of the mirror
    for (std::uint32_t i = 0; i < n; ++i)
      numbers[i] = i * each + static_cast<std::uint32_t>(random_.next() % each);
    return numbers;
  }

  int repeats_;
  SplitMix random_{1};
  Csr whole_;
  Statistics statistics_;
  TermWeighting weighting_;
  std::unique_ptr<const Backend> backend_;
};

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  int repeats = 7;
  std::uint32_t rows = 1000000, columns = 300000, changes = 1000;
  std::string kind = "cpu";
  const auto number = [](std::uint32_t& value) {
    return
        [&value](const std::string& text) { value = static_cast<std::uint32_t>(std::stoul(text)); };
  };
  try {
    kindred::bench::read_options(
        {argv + 1, argv + argc},
        {{"--rows", number(rows)},
         {"--columns", number(columns)},
         {"--changes", number(changes)},
         {"--repeats", [&](const std::string& value) { repeats = std::stoi(value); }},
         {"--kind", [&](const std::string& value) { kind = value; }}});
    kindred::bench::RefreshBench bench(rows, columns, repeats, kind);
    bench.follow("1 row replaced", 1, true);
    bench.follow("1 row added", 1, false);
    bench.follow(std::to_string(changes) + " rows added", changes, false);
    bench.follow(std::to_string(changes) + " rows replaced", changes, true);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "backend_refresh_bench: %s\n", e.what());
  }
  return 1;
}
