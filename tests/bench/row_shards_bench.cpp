// What it takes to divide the rows of a mirror: the merge of what shards found, and an index that
// is several times as large as what one of them may hold.
//
//   row_shards_bench [--only merge|rows] [--kind cpu|cuda] [--rows N] [--shards N] [--queries N]
//                    [--devices 0,0,0,0] [--memory-mb N] [--threads N]
//
// - merge: on one thread, processor time for each query, beside the plain way, which takes the best
//   head of all lists again and again
// - rows: documents of RCV1's shape as one backend and in shards. With "cuda", each of --devices
//   may take --memory-mb; by default a third of what the whole mirror takes, so that it has to be
//   divided. With "cpu", --shards stand for devices, and have no limit.
// The answers of both ways are compared bit for bit.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/settings.h"
#include "gpu/knn/neighbor_merger.h"
#include "gpu/knn/sharded_backend.h"
#include "gpu/scoring.h"
#include "gpu/twins/factory.h"
#include "tests/bench/options.h"
#include "tests/bench/rcv1_rows.h"
#include "tests/bench/statistics.h"
#include "tests/fixtures/random_csr.h"

namespace kindred::bench {
namespace {

constexpr std::size_t kNearest = 45;
constexpr std::size_t kNeighborsDrawn = 1 << 20;  // of all shards: they fit no second-level cache
constexpr int kRepeats = 7;

struct Options {
  std::string only, kind = "cpu";
  std::uint32_t rows = 1000000, queries = 2000;
  std::size_t shards = 4, threads = 0, memory_mb = 0;
  std::vector<int> devices{0, 0, 0, 0};
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// What shards found for some queries, best first, by their own rows.
struct Found {
  Found(std::size_t shards, std::size_t nearest) : k(nearest), of_shards(shards), rows(shards) {
    std::mt19937_64 random(shards * nearest);
    queries = kNeighborsDrawn / (shards * k);
    for (std::size_t i = 0; i < shards; ++i) {
      rows[i].append(static_cast<std::uint32_t>(i) << 20, 1 << 20);
      for (std::size_t q = 0; q < queries; ++q) draw(of_shards[i], random);
    }
  }

  void lists(std::size_t query, std::vector<ShardNeighbors>& result) const {
    for (std::size_t i = 0; i < rows.size(); ++i)
      result[i] = {std::span(of_shards[i]).subspan(query * k, k), &rows[i]};
  }

  std::size_t k, queries = 0;
  std::vector<std::vector<Neighbor>> of_shards;
  std::vector<ShardRows> rows;

 private:
  void draw(std::vector<Neighbor>& own, std::mt19937_64& random) const {
    const auto begin = static_cast<std::ptrdiff_t>(own.size());
    for (std::size_t i = 0; i < k; ++i)
      own.push_back({static_cast<std::uint32_t>(random() >> 44),
                     static_cast<float>(1 + (random() >> 41)) * 0x1p-24F});
    std::sort(own.begin() + begin, own.end(), [](const Neighbor& a, const Neighbor& b) {
      return ranks_before(a.similarity, a.row, b.similarity, b.row);
    });
  }
};

/// The plain way.
void take_best_heads(std::vector<ShardNeighbors>& lists, std::span<Neighbor> merged) {
  for (Neighbor& next : merged) {
    ShardNeighbors* best = nullptr;
    next = {};
    for (ShardNeighbors& list : lists) {
      if (list.neighbors.empty()) continue;
      const Neighbor head{list.rows->number_of(list.neighbors[0].row),
                          list.neighbors[0].similarity};
      if (best != nullptr && !ranks_before(head.similarity, head.row, next.similarity, next.row))
        continue;
      next = head;
      best = &list;
    }
    if (best != nullptr) best->neighbors = best->neighbors.subspan(1);
  }
}

/// Nanoseconds for each query: the median of several runs over all.
double time_queries(std::size_t queries, const std::function<void(std::size_t)>& merge_one) {
  std::vector<double> seconds;
  for (int i = 0; i < kRepeats; ++i) {
    const double start = processor_now();
    for (std::size_t q = 0; q < queries; ++q) merge_one(q);
    seconds.push_back(processor_now() - start);
  }
  return 1e9 * percentile(seconds, .5) / static_cast<double>(queries);
}

void merge(std::size_t shards, std::size_t k) {
  const Found found(shards, k);
  std::vector<Neighbor> plainly(found.queries * k), merged(found.queries * k);
  std::vector<ShardNeighbors> lists(shards);
  const double plain = time_queries(found.queries, [&](std::size_t q) {
    found.lists(q, lists);
    take_best_heads(lists, std::span(plainly).subspan(q * k, k));
  });
  NeighborMerger merger;
  const double by_keys = time_queries(found.queries, [&](std::size_t q) {
    found.lists(q, lists);
    merger.merge(lists, std::span(merged).subspan(q * k, k));
  });
  if (plainly != merged) throw std::runtime_error("bits differ");
  std::printf("merge   %zu shards, k = %4zu: %8.0f ns a query, plainly %8.0f\n", shards, k, by_keys,
              plain);
}

using MakeBackend = std::function<std::unique_ptr<const Backend>()>;

std::size_t main_memory(const Csr& csr) {
  return csr.column.size() * (sizeof(csr.column[0]) + sizeof(csr.count[0])) +
         csr.row_begin.size() * sizeof(csr.row_begin[0]);
}

QueryView first_rows(const Csr& csr, std::size_t rows) {
  return {rows, csr.row_begin.data(), csr.column.data(), nullptr, csr.count.data()};
}

/// Asks a backend, prints what it took, and returns what it found.
std::vector<Neighbor> ask(const char* name, const MakeBackend& make, const Csr& sample) {
  const double start = now(), processor_start = processor_now();
  const auto backend = make();
  const double made = now() - start, processor_made = processor_now() - processor_start;
  std::vector<Neighbor> found(sample.rows() * kNearest);
  std::vector<double> batch, single;
  for (int i = 0; i < 3; ++i) {  // the first makes tiles and memory
    const double begin = now();
    backend->nearest(first_rows(sample, sample.rows()), kNearest, nullptr, found);
    batch.push_back(now() - begin);
  }
  std::vector<Neighbor> ten(10);
  for (std::uint32_t q = 0; q < std::min(sample.rows(), 500u); ++q) {
    const std::uint64_t row_begin[] = {0, sample.row_begin[q + 1] - sample.row_begin[q]};
    const QueryView query{1, row_begin, sample.column.data() + sample.row_begin[q], nullptr,
                          sample.count.data() + sample.row_begin[q]};
    const double begin = now();
    backend->nearest(query, ten.size(), nullptr, ten);
    single.push_back(now() - begin);
    if (!std::equal(ten.begin(), ten.end(), found.begin() + q * kNearest))
      throw std::runtime_error("a single query has other bits than a batch");
  }
  const BackendInfo info = backend->info();
  std::printf(
      "rows    %-7s made in %6.2f s (%.2f s of processors), %.3f GB; %u queries %.3f s, at "
      "first %.3f; one query %.0f us, p99 %.0f; %s\n",
      name, made, processor_made, 1e-9 * static_cast<double>(info.bytes), sample.rows(),
      batch.back(), batch.front(), 1e6 * percentile(single, .5), 1e6 * percentile(single, .99),
      info.device.c_str());
  return found;
}

/// Makes the whole mirror on a device that may take too little memory for it.
void be_refused(const MakeBackend& make) {
  try {
    make();
  } catch (const Error& e) {
    if (e.code() != Errc::kOutOfMemory) throw;
    std::printf("rows    one, with this limit: %s\n", e.what());
    return;
  }
  std::printf("rows    one, with this limit: it fits\n");
}

void rows(const Options& options) {
  const double start = now();
  const Csr mirror = rcv1_rows(options.rows, 3);
  const TermWeighting weighting = test::ltc_weighting(mirror.view());
  const Csr sample = rcv1_shape(options.queries, 4);
  std::printf("rows    %u documents, %zu entries, %.2f GB of main memory, drawn in %.1f s\n",
              mirror.rows(), mirror.column.size(), 1e-9 * static_cast<double>(main_memory(mirror)),
              now() - start);
  const auto make_by = [&](const BackendOptions& with) {
    return make_backend(mirror.view(), weighting, with);
  };
  BackendOptions one{.kind = options.kind, .threads = options.threads};
  one.device = options.devices.front();
  std::uint64_t bytes = 0;
  const auto make_one = [&] {
    auto backend = make_by(one);
    bytes = backend->info().bytes;
    return backend;
  };
  const std::vector<Neighbor> expected = ask("one", make_one, sample);
  MakeBackend make;
  if (options.kind == "cpu") {
    make = [&] {
      return shard(mirror.view(), weighting, {}, options.shards, options.threads,
                   [&](std::size_t, CsrView own, const TermWeighting& weights, LabelView labels) {
                     return make_backend(own, weights, one, labels);
                   });
    };
  } else {
    one.memory = options.memory_mb > 0 ? options.memory_mb << 20 : bytes / 3;
    std::printf("rows    limit of each device: %.3f GB\n", 1e-9 * static_cast<double>(one.memory));
    be_refused([&] { return make_by(one); });
    make = [&] {
      BackendOptions divided = one;
      divided.devices = options.devices;
      return make_by(divided);
    };
  }
  if (ask("shards", make, sample) != expected) throw std::runtime_error("bits differ");
  std::printf("rows    the same bits\n");
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  const auto number = [](auto& to) {
    return [&to](const std::string& value) {
      to = static_cast<std::remove_reference_t<decltype(to)>>(std::stoul(value));
    };
  };
  const auto devices = [&](const std::string& value) {
    const auto list = parse_device_list(value);
    if (!list || list->all) throw std::invalid_argument("expected --devices 0,0");
    options.devices = {list->numbers.begin(), list->numbers.end()};
  };
  read_options(arguments, {{"--only", [&](const std::string& value) { options.only = value; }},
                           {"--kind", [&](const std::string& value) { options.kind = value; }},
                           {"--rows", number(options.rows)},
                           {"--shards", number(options.shards)},
                           {"--queries", number(options.queries)},
                           {"--devices", devices},
                           {"--memory-mb", number(options.memory_mb)},
                           {"--threads", number(options.threads)}});
  return options;
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) try {
  const auto options = kindred::bench::parse({argv + 1, argv + argc});
  if (options.only != "rows")
    for (const std::size_t shards : {2, 3, 4, 8})
      for (const std::size_t k : {10, 45, 300, 1000}) kindred::bench::merge(shards, k);
  if (options.only != "merge") kindred::bench::rows(options);
} catch (const std::exception& e) {
  std::fprintf(stderr, "row_shards_bench: %s\n", e.what());
  return 1;
}
