// Published ways to exact cosine neighbors on a GPU, and cuSPARSE; docs/benchmarks.md keeps the
// figures beside those of knn_gpu_bench and collection_gpu_bench.
//
//   published_knn_bench [--json FILE] [--queries N] [--seconds S] [--only NAME] [--collection FILE]
//
// The reference job: 23,149 documents of RCV1's shape, 781,265 queries, k = 45, ltc weights of unit
// length; or all pairs of a file of tune_export. Each method answers a sample of the queries (N,
// else a number that suits it) again and again for S seconds. Inside the clock (CUDA events):
// queries as sparse rows on the device to neighbors on the device. Copies to and from the host are
// left out, and so is what is done once for the documents: both favor these methods. Before it
// counts, each method's first 20 answers are checked against a sum in double on the host; a wrong
// one fails the program.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/bench/collection_rows.h"
#include "tests/bench/options.h"
#include "tests/bench/peers/cusparse_knn.cuh"
#include "tests/bench/peers/published_knn.cuh"
#include "tests/bench/peers/select_top_k.cuh"
#include "tests/bench/rcv1_shape.h"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kNeighbors = 45;
constexpr std::uint32_t kChecked = 20;
constexpr double kTolerance = 1e-5;  // of a similarity; rows as close as this may change places
constexpr double kJobQueries = 781265;
constexpr std::uint32_t kOneByOne = 64;   // launched one by one, selected together
constexpr std::uint32_t kTogether = 256;  // launched and selected together

struct Options {
  std::string json, only, collection;
  std::uint32_t queries = 0;  // 0: what the method says
  double seconds = 1;
};

/// idf[t] = ln(N / df), 0 for a term of no document.
std::vector<double> inverse_document_frequency(const Csr& documents) {
  std::vector<double> df(documents.columns), idf(documents.columns);
  for (const std::uint32_t term : documents.column) ++df[term];
  for (std::size_t t = 0; t < df.size(); ++t)
    idf[t] = df[t] == 0 ? 0 : std::log(documents.rows() / df[t]);
  return idf;
}

/// Weights (1 + ln count) * idf, rows of length 1, terms of weight 0 left out.
WeightedCsr weighted(const Csr& counts, const std::vector<double>& idf) {
  WeightedCsr rows;
  rows.columns = counts.columns;
  for (std::uint32_t row = 0; row < counts.rows(); ++row) {
    double squares = 0;
    for (std::uint64_t i = counts.row_begin[row]; i < counts.row_begin[row + 1]; ++i) {
      const double weight = (1 + std::log(counts.count[i])) * idf[counts.column[i]];
      if (weight == 0) continue;
      rows.term.push_back(counts.column[i]);
      rows.weight.push_back(weight);
      squares += weight * weight;
    }
    for (std::size_t i = rows.row_begin.back(); i < rows.weight.size(); ++i)
      rows.weight[i] /= std::sqrt(squares);
    rows.row_begin.push_back(static_cast<std::uint32_t>(rows.term.size()));
  }
  return rows;
}

/// Cosines of one query and all documents.
std::vector<double> exact_similarities(const WeightedCsr& documents, const WeightedCsr& queries,
                                       std::uint32_t query) {
  std::vector<double> dense(documents.columns), similarity(documents.rows());
  for (std::uint32_t i = queries.row_begin[query]; i < queries.row_begin[query + 1]; ++i)
    dense[queries.term[i]] = queries.weight[i];
  for (std::uint32_t row = 0; row < documents.rows(); ++row)
    for (std::uint32_t i = documents.row_begin[row]; i < documents.row_begin[row + 1]; ++i)
      similarity[row] += documents.weight[i] * dense[documents.term[i]];
  return similarity;
}

/// What is wrong with hits[0, kNeighbors), given all similarities; "" if nothing.
std::string fault_of(const Hit* hits, const std::vector<double>& exact) {
  std::vector<double> best(exact);
  std::sort(best.begin(), best.end(), std::greater<>());
  std::set<std::uint32_t> seen;
  for (std::uint32_t i = 0; i < kNeighbors; ++i) {
    const std::string rank = "rank " + std::to_string(i) + ": ";
    const double wanted = i < best.size() ? best[i] : 0;
    if (!(std::abs(hits[i].similarity - wanted) <= kTolerance))
      return rank + std::to_string(hits[i].similarity) + ", not " + std::to_string(wanted);
    if (hits[i].row == kNoRow) continue;
    if (hits[i].row >= exact.size() || !seen.insert(hits[i].row).second)
      return rank + "row " + std::to_string(hits[i].row) + " is none, or given twice";
    if (!(std::abs(hits[i].similarity - exact[hits[i].row]) <= kTolerance))
      return rank + "not the similarity of row " + std::to_string(hits[i].row);
  }
  return "";
}

class Event {
 public:
  Event() { cuda_check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record() { cuda_check(cudaEventRecord(event_), "cudaEventRecord"); }
  /// Waits for this one.
  double seconds_since(const Event& start) const {
    cuda_check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// What all methods work on.
struct Collection {
  WeightedCsr host_documents, host_queries;
  DeviceRows documents, queries;
  DeviceSlices slices;
  double job_queries;  // of the whole job

  /// Of a file, or drawn if there is none; with at least about `query_rows` queries if it has them.
  static Collection make(const std::string& file, std::uint32_t query_rows) {
    if (file.empty())
      return make(rcv1_shape(kRcv1Documents, 1), rcv1_shape(query_rows, 2), kJobQueries);
    const Csr counts = read_collection_rows(file).counts;
    return make(counts, rows_of(counts, spread_rows(counts, query_rows)), counts.rows());
  }

  static Collection make(const Csr& counts, const Csr& query_counts, double job_queries) {
    const std::vector<double> idf = inverse_document_frequency(counts);
    WeightedCsr documents = weighted(counts, idf);
    WeightedCsr queries = weighted(query_counts, idf);
    DeviceRows device_documents(documents), device_queries(queries);
    DeviceSlices slices(documents);
    return {std::move(documents),      std::move(queries), std::move(device_documents),
            std::move(device_queries), std::move(slices),  job_queries};
  }
};

/// Neighbors of the queries [first, first + batch) to hits[batch, kNeighbors] on the device.
using Answer = std::function<void(std::uint32_t first, Hit* hits)>;

struct Method {
  std::string name, what;
  std::uint32_t batch;
  std::uint32_t queries;         // the sample, a multiple of batch
  std::function<Answer()> make;  // its memory for the documents is freed with the Answer
};

/// An Answer of `compute`, which writes the similarities of a batch, and selection.
template <typename Compute>
Answer dense_answer(const Collection& data, std::uint32_t batch, Compute compute) {
  const std::uint32_t rows = data.documents.rows();
  const auto room = std::make_shared<DeviceArray<float>>(std::size_t{rows} * batch);
  return [=](std::uint32_t first, Hit* hits) {
    compute(first, room->data());
    select_top_k(room->data(), rows, batch, kNeighbors, hits);
  };
}

Method merge_one_query(const Collection& data) {
  return {"bresler_gil_2_single", "algorithm 2, a launch a query, as published", kOneByOne, 4096,
          [&data] {
            return dense_answer(data, kOneByOne, [&data](std::uint32_t first, float* out) {
              for (std::uint32_t i = 0; i < kOneByOne; ++i)
                merge_rows(data.slices.view(), data.queries.view(), first + i, 1,
                           out + std::size_t{i} * data.documents.rows());
            });
          }};
}

Method merge_many_queries(const Collection& data) {
  return {"bresler_gil_2", "algorithm 2, a launch for 256 queries", kTogether, 16384, [&data] {
            return dense_answer(data, kTogether, [&data](std::uint32_t first, float* out) {
              merge_rows(data.slices.view(), data.queries.view(), first, kTogether, out);
            });
          }};
}

Method merge_blocks(const Collection& data) {
  return {"bresler_gil_3", "algorithm 3, blocks of 32 documents x 32 queries", kTogether, 16384,
          [&data] {
            return dense_answer(data, kTogether, [&data](std::uint32_t first, float* out) {
              merge_tiles(data.slices.view(), data.queries.view(), first, kTogether, out);
            });
          }};
}

Method dense_rows(const Collection& data) {
  return {"veronese_dense", "dense float32 matrix x one query, tree reduction", kOneByOne, 512,
          [&data] {
            const auto dense = std::make_shared<DenseDocuments>(data.documents.view());
            return dense_answer(data, kOneByOne, [&data, dense](std::uint32_t first, float* out) {
              for (std::uint32_t i = 0; i < kOneByOne; ++i)
                dense->similarities(data.queries.view(), first + i,
                                    out + std::size_t{i} * data.documents.rows());
            });
          }};
}

Method spmm(const Collection& data, std::uint32_t batch) {
  return {"cusparse_spmm_" + std::to_string(batch), "SpMM, documents x dense block of queries",
          batch, 16384, [&data, batch] {
            const auto product = std::make_shared<DenseBlockProduct>(data.documents, batch);
            return dense_answer(data, batch, [&data, product](std::uint32_t first, float* out) {
              product->similarities(data.queries.view(), first, out);
            });
          }};
}

/// cuSPARSE in several widths: the best of them is the peer.
std::vector<Method> methods(const Collection& data) {
  return {merge_one_query(data), merge_many_queries(data), merge_blocks(data), dense_rows(data),
          spmm(data, 128),       spmm(data, 256),          spmm(data, 512),    spmm(data, 1024)};
}

void check(const Answer& answer, const Collection& data, std::uint32_t batch, Hit* hits,
           const DeviceArray<Hit>& owner) {
  for (std::uint32_t first = 0; first < kChecked; first += batch)
    answer(first, hits + std::size_t{first} * kNeighbors);
  const std::vector<Hit> found = owner.to_host(std::size_t{kChecked} * kNeighbors);
  for (std::uint32_t query = 0; query < kChecked; ++query) {
    const auto exact = exact_similarities(data.host_documents, data.host_queries, query);
    const std::string fault = fault_of(&found[std::size_t{query} * kNeighbors], exact);
    if (!fault.empty())
      throw std::runtime_error("wrong: query " + std::to_string(query) + ", " + fault);
  }
}

/// Seconds of each pass over `queries` queries, ascending: at least 5, for `seconds` in all.
std::vector<double> time_passes(const Answer& answer, std::uint32_t batch, std::uint32_t queries,
                                double seconds, Hit* hits) {
  std::vector<double> passes;
  Event start, stop;
  for (double total = 0; passes.size() < 5 || total < seconds; total += passes.back()) {
    start.record();
    for (std::uint32_t first = 0; first < queries; first += batch)
      answer(first, hits + std::size_t{first} * kNeighbors);
    stop.record();
    passes.push_back(stop.seconds_since(start));
  }
  std::sort(passes.begin(), passes.end());
  return passes;
}

nlohmann::json measure(const Method& method, const Collection& data, const Options& options) {
  const std::uint32_t wanted = options.queries == 0 ? method.queries : options.queries;
  const std::uint32_t queries =
      std::min((wanted + method.batch - 1) / method.batch, data.queries.rows() / method.batch) *
      method.batch;
  const std::uint32_t room = std::max(queries, (kChecked / method.batch + 1) * method.batch);
  const DeviceArray<Hit> hits(std::size_t{room} * kNeighbors);
  const Answer answer = method.make();
  check(answer, data, method.batch, hits.data(), hits);  // also the warm-up
  const auto passes = time_passes(answer, method.batch, queries, options.seconds, hits.data());
  const double per_query = passes[passes.size() / 2] / queries;
  std::printf("%-30s %10.5f ms a query (%.5f to %.5f, %zu passes of %u), scaled to %.0f: %.4f s\n",
              method.name.c_str(), 1e3 * per_query, 1e3 * passes.front() / queries,
              1e3 * passes.back() / queries, passes.size(), queries, data.job_queries,
              per_query * data.job_queries);
  return {{"what", method.what},
          {"batch", method.batch},
          {"queries", queries},
          {"passes", passes.size()},
          {"ms_a_query", 1e3 * per_query},
          {"ms_a_query_best", 1e3 * passes.front() / queries},
          {"ms_a_query_worst", 1e3 * passes.back() / queries},
          {"whole_job_seconds_scaled", per_query * data.job_queries},
          {"checked_queries", kChecked}};
}

nlohmann::json setting(const Collection& data) {
  cudaDeviceProp device{};
  cuda_check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  std::printf("%s; %u documents, %u terms, k = %u, whole job %.0f queries\n", device.name,
              data.documents.rows(), data.host_documents.columns, kNeighbors, data.job_queries);
  return {{"device", device.name},
          {"documents", data.documents.rows()},
          {"terms", data.host_documents.columns},
          {"nonzeros", data.host_documents.term.size()},
          {"k", kNeighbors},
          {"whole_job_queries", data.job_queries}};
}

/// Tries every method, even if another one fails. False if one failed.
bool run(const Options& options) {
  const Collection data =
      Collection::make(options.collection, std::max<std::uint32_t>(16384, options.queries));
  nlohmann::json results = {{"setting", setting(data)}};
  bool good = true;
  for (const Method& method : methods(data)) {
    if (!options.only.empty() && method.name != options.only) continue;
    try {
      results[method.name] = measure(method, data, options);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s FAILED: %s\n", method.name.c_str(), e.what());
      results[method.name] = {{"what", method.what}, {"error", e.what()}};
      good = false;
    }
  }
  if (!options.json.empty()) std::ofstream(options.json) << results.dump(2) << "\n";
  if (!options.only.empty() && results.size() == 1)
    throw std::invalid_argument("no method " + options.only);
  return good;
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  read_options(
      arguments,
      {{"--json", [&](const std::string& value) { options.json = value; }},
       {"--only", [&](const std::string& value) { options.only = value; }},
       {"--collection", [&](const std::string& value) { options.collection = value; }},
       {"--queries",
        [&](const std::string& value) {
          options.queries = static_cast<std::uint32_t>(std::stoul(value));
        }},
       {"--seconds", [&](const std::string& value) { options.seconds = std::stod(value); }}});
  return options;
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) try {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what it measured before it is stopped is shown
  return kindred::bench::run(kindred::bench::parse({argv + 1, argv + argc})) ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "published_knn_bench: %s\n", e.what());
  return 1;
}
