// What several GPUs gain, each with the whole mirror, beside the first of them alone. Named twice
// ("0,0"), one GPU shows what sharing costs.
//
//   devices_gpu_bench [--devices 0,1] [--rows N] [--repeats N] [--threads N] [--seconds N]
//
// - job: 781,265 documents against 23,149, counts in page-locked host memory to the 45 nearest
// there
// - single: queries of --threads threads, one at a time, against --rows documents (1,000,000)
// Before anything is timed, answers are compared bit for bit with those of the first device alone.
#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpu/twins/factory.h"
#include "tests/bench/gpu_collection.h"
#include "tests/bench/timing.h"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kUnlabeled = 781265;
constexpr std::size_t kNearest = 45;

struct Options {
  std::vector<int> devices{0, 0};
  std::uint32_t rows = 1000000;
  std::size_t repeats = 10, threads = 20;
  double seconds = 10;
};

/// One way to use the devices.
struct Way {
  const char* name;
  BackendOptions options;
};

std::vector<Way> ways(const std::vector<int>& devices) {
  BackendOptions one{.kind = "cuda"};
  one.device = devices.front();
  one.coalesce = true;
  BackendOptions replicated = one;
  replicated.devices = devices;
  return {{"one", one}, {"replicated", replicated}};
}

/// Seconds of the job: the median.
double time_job(const Backend& backend, PinnedQueries& queries, Pinned<Neighbor>& neighbors,
                std::size_t repeats) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i <= repeats; ++i) {
    const double time =
        seconds_of([&] { backend.nearest(queries.view(), kNearest, nullptr, neighbors.span()); });
    if (i > 0) seconds.push_back(time);
  }
  return percentile(seconds, .5);
}

void job(const Options& options) {
  const Csr mirror = rcv1_shape(kRcv1Documents, 1);
  const TermWeighting weighting = test::ltc_weighting(mirror.view());
  PinnedQueries queries(rcv1_rows(kUnlabeled, 2));
  Pinned<Neighbor> neighbors(kUnlabeled * kNearest);
  std::vector<Neighbor> expected;
  double one = 0;
  for (const Way& way : ways(options.devices)) {
    const auto backend = make_backend(mirror.view(), weighting, way.options);
    const double seconds = time_job(*backend, queries, neighbors, options.repeats);
    if (expected.empty()) {
      expected.assign(neighbors.span().begin(), neighbors.span().end());
      one = seconds;
    }
    if (!std::ranges::equal(expected, neighbors.span())) throw std::runtime_error("bits differ");
    std::printf("job     %-10s %8.1f ms, %.2f x one; %s, %.3f GB\n", way.name, 1e3 * seconds,
                one / seconds, backend->info().device.c_str(),
                1e-9 * static_cast<double>(backend->info().bytes));
  }
}

/// Queries a second of several threads.
double rate(const Backend& backend, const Csr& rows, const Options& options) {
  std::atomic<std::size_t> answered{0};
  const double end = wall_seconds() + options.seconds;
  std::vector<std::thread> clients;
  for (std::size_t t = 0; t < options.threads; ++t)
    clients.emplace_back([&, t] {
      std::vector<Neighbor> neighbors(10);
      for (auto i = static_cast<std::uint32_t>(t); wall_seconds() < end; i += 97) {
        const RowQuery query(rows, i % rows.rows());
        backend.nearest(query.view, 10, nullptr, neighbors);
        ++answered;
      }
    });
  for (std::thread& client : clients) client.join();
  return static_cast<double>(answered) / options.seconds;
}

void single(const Options& options) {
  const Csr mirror = rcv1_rows(options.rows, 3), sample = rcv1_shape(2000, 4);
  const TermWeighting weighting = test::ltc_weighting(mirror.view());
  std::vector<Neighbor> expected;
  double one = 0;
  for (const Way& way : ways(options.devices)) {
    std::unique_ptr<const Backend> backend;
    const double built =
        seconds_of([&] { backend = make_backend(mirror.view(), weighting, way.options); });
    std::vector<Neighbor> found(std::size_t{sample.rows()} * 10);
    backend->nearest(first_rows(sample, sample.rows()), 10, nullptr, found);
    if (expected.empty()) expected = found;
    if (found != expected) throw std::runtime_error("bits differ");
    const double queries = rate(*backend, mirror, options);
    if (one == 0) one = queries;
    std::printf("single  %-10s %8.0f queries/s, %.2f x one; made in %.2f s, %.3f GB\n", way.name,
                queries, queries / one, built, 1e-9 * static_cast<double>(backend->info().bytes));
  }
}

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  Options options;
  read_options(arguments, {{"--devices", into_devices(options.devices)},
                           {"--rows", into(options.rows)},
                           {"--repeats", into(options.repeats)},
                           {"--threads", into(options.threads)},
                           {"--seconds", into(options.seconds)}});
  job(options);
  single(options);
}

}  // namespace kindred::bench
