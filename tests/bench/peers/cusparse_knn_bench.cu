// cuSPARSE's way to exact cosine neighbors; docs/quality.md keeps the figures beside those of
// knn_gpu_bench.
//
//   cusparse_knn_bench [--json FILE] [--seconds S] [--collection FILE]
//
// The reference job: 23,149 documents of RCV1's shape, 781,265 queries, k = 45, ltc weights of unit
// length; or all pairs of a file of export_matrix. Blocks of several widths answer a sample of the
// queries again and again for S seconds: the best of them is the peer. Inside the clock (CUDA
// events): queries as sparse rows on the device to neighbors on the device. Copies to and from the
// host are left out, and so is what is done once for the documents: both favor it. Before it
// counts, the first 20 answers of each width are checked against a sum in double on the host; a
// wrong one fails the program.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/bench/matrix_file.h"
#include "tests/bench/options.h"
#include "tests/bench/peers/cusparse_knn.cuh"
#include "tests/bench/rcv1_shape.h"
#include "tests/bench/timing.h"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kNeighbors = 45;
constexpr std::uint32_t kChecked = 20;
constexpr std::uint32_t kQueries = 16384;  // the sample, a multiple of each width
constexpr std::uint32_t kWidths[] = {128, 256, 512, 1024};
constexpr double kTolerance = 1e-5;  // of a similarity; rows as close as this may change places
constexpr double kJobQueries = 781265;

struct Options {
  std::string json, collection;
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

/// What all widths work on.
struct Collection {
  WeightedCsr host_documents, host_queries;
  DeviceRows documents, queries;
  double job_queries;  // of the whole job

  /// Of a file, or drawn if there is none.
  static Collection make(const std::string& file) {
    if (file.empty())
      return make(rcv1_shape(kRcv1Documents, 1), rcv1_shape(kQueries, 2), kJobQueries);
    const Csr counts = read_matrix(file);
    return make(counts, spread_rows(counts, kQueries), counts.rows());
  }

  static Collection make(const Csr& counts, const Csr& query_counts, double job_queries) {
    const std::vector<double> idf = inverse_document_frequency(counts);
    WeightedCsr documents = weighted(counts, idf);
    WeightedCsr queries = weighted(query_counts, idf);
    DeviceRows device_documents(documents), device_queries(queries);
    return {std::move(documents), std::move(queries), std::move(device_documents),
            std::move(device_queries), job_queries};
  }
};

/// Answers blocks of queries, `width` at a time.
class Peer {
 public:
  Peer(const Collection& data, std::uint32_t width)
      : data_(data),
        width_(width),
        product_(data.documents, width),
        similarities_(std::size_t{data.documents.rows()} * width) {}

  /// Neighbors of the queries [0, count) to hits[count, kNeighbors] on the device; `count` is a
  /// multiple of the width.
  void answer(std::uint32_t count, Hit* hits) {
    const std::uint32_t rows = data_.documents.rows();
    for (std::uint32_t first = 0; first < count; first += width_) {
      product_.similarities(data_.queries.view(), first, similarities_.data());
      select_top_k(similarities_.data(), rows, width_, kNeighbors,
                   hits + std::size_t{first} * kNeighbors);
    }
  }

 private:
  const Collection& data_;
  const std::uint32_t width_;
  DenseBlockProduct product_;
  DeviceArray<float> similarities_;
};

void check(const DeviceArray<Hit>& hits, const Collection& data) {
  const std::vector<Hit> found = hits.to_host(std::size_t{kChecked} * kNeighbors);
  for (std::uint32_t query = 0; query < kChecked; ++query) {
    const auto exact = exact_similarities(data.host_documents, data.host_queries, query);
    const std::string fault = fault_of(&found[std::size_t{query} * kNeighbors], exact);
    if (!fault.empty())
      throw std::runtime_error("wrong: query " + std::to_string(query) + ", " + fault);
  }
}

nlohmann::json measure(std::uint32_t width, const Collection& data, double seconds) {
  const std::uint32_t queries = data.queries.rows() / width * width;
  const DeviceArray<Hit> hits(std::size_t{queries} * kNeighbors);
  Peer peer(data, width);
  peer.answer(width, hits.data());  // also the warm-up
  check(hits, data);
  std::vector<double> passes;  // ms a query
  Event start, stop;
  for (double total = 0; passes.size() < 5 || total < seconds; total += passes.back() * queries) {
    start.record();
    peer.answer(queries, hits.data());
    stop.record();
    passes.push_back(stop.seconds_since(start) / queries);
  }
  const double median = percentile(passes, .5), best = percentile(passes, 0),
               worst = percentile(passes, 1);
  std::printf(
      "width %4u %10.5f ms a query (%.5f to %.5f, %zu passes of %u), scaled to %.0f: %.4f s\n",
      width, 1e3 * median, 1e3 * best, 1e3 * worst, passes.size(), queries, data.job_queries,
      median * data.job_queries);
  return {{"width", width},
          {"queries", queries},
          {"passes", passes.size()},
          {"ms_a_query", 1e3 * median},
          {"ms_a_query_best", 1e3 * best},
          {"ms_a_query_worst", 1e3 * worst},
          {"whole_job_seconds_scaled", median * data.job_queries},
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

void run(const Options& options) {
  const Collection data = Collection::make(options.collection);
  nlohmann::json results = {{"setting", setting(data)}};
  for (const std::uint32_t width : kWidths)
    results["cusparse_spmm"].push_back(measure(width, data, options.seconds));
  if (!options.json.empty()) std::ofstream(options.json) << results.dump(2) << "\n";
}

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  Options options;
  read_options(arguments, {{"--json", into(options.json)},
                           {"--collection", into(options.collection)},
                           {"--seconds", into(options.seconds)}});
  run(options);
}

}  // namespace kindred::bench
