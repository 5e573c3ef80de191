// What it takes to divide the rows of a mirror: documents of RCV1's shape as one backend and in
// shards. With "cuda", each of --devices may take --memory-mb; by default a third of what the whole
// mirror takes, so that it has to be divided. With "cpu", --shards stand for devices, and have no
// limit. All answers are compared bit for bit.
//
//   row_shards_bench [--kind cpu|cuda] [--rows N] [--shards N] [--queries N] [--devices 0,0,0,0]
//                    [--memory-mb N] [--threads N]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/settings.h"
#include "gpu/knn/sharded_backend.h"
#include "gpu/twins/factory.h"
#include "tests/bench/options.h"
#include "tests/bench/rcv1_rows.h"
#include "tests/bench/statistics.h"
#include "tests/fixtures/random_csr.h"

namespace kindred::bench {
namespace {

constexpr std::size_t kNearest = 45;

struct Options {
  std::string kind = "cpu";
  std::uint32_t rows = 1000000, queries = 2000;
  std::size_t shards = 4, threads = 0, memory_mb = 0;
  std::vector<int> devices{0, 0, 0, 0};
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

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
  read_options(arguments, {{"--kind", [&](const std::string& value) { options.kind = value; }},
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
  kindred::bench::rows(kindred::bench::parse({argv + 1, argv + argc}));
} catch (const std::exception& e) {
  std::fprintf(stderr, "row_shards_bench: %s\n", e.what());
  return 1;
}
