// An epoch of a map beside the published batch algorithm, which scatters every document over its
// neighborhood (Wittek et al., Somoclu, 2017, sparse kernel: units in parallel, [units, terms]
// layout), on the same documents, threads, start and schedule.
//
//   som_bench DATABASE [--side N] [--epochs N] [--threads N]
//
// Prints a line of JSON: the median seconds per epoch of each, their ratio, and the quantization
// error of each at the end.
#include <xapian.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/smart_weighting.h"
#include "config/settings.h"
#include "gpu/som/train.h"
#include "gpu/twins/factory.h"
#include "options.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "statistics.h"

namespace kindred::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <typename Work>
void in_threads(std::size_t threads, std::uint32_t items, Work&& work) {
  std::vector<std::jthread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (auto i = static_cast<std::uint32_t>(t); i < items;
           i += static_cast<std::uint32_t>(threads))
        work(i);
    });
  }
}

/// The published algorithm in float.
class ScatterMap {
 public:
  ScatterMap(const SomLattice& lattice, const SomCodebook& start, std::size_t threads)
      : lattice_(lattice),
        columns_(start.columns),
        threads_(threads),
        weights_(start.weight.size()),
        squared_(start.units) {
    for (std::uint32_t c = 0; c < columns_; ++c)
      for (std::uint32_t u = 0; u < start.units; ++u)
        weights_[std::size_t{u} * columns_ + c] = start.column(c)[u];
    measure();
  }

  /// The best units, and the mean distance to them.
  double match(const SparseRows& rows) {
    best_.assign(rows.rows, 0);
    std::vector<double> distance(rows.rows);
    in_threads(threads_, rows.rows, [&](std::uint32_t row) {
      float least = INFINITY, squared = 0;
      for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i)
        squared += rows.weight[i] * rows.weight[i];
      for (std::uint32_t u = 0; u < lattice_.units(); ++u) {
        const float* unit = weights_.data() + std::size_t{u} * columns_;
        float dot = 0;
        for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i)
          dot += rows.weight[i] * unit[rows.column[i]];
        const float score = squared_[u] - 2 * dot;
        if (score >= least) continue;
        least = score;
        best_[row] = u;
      }
      distance[row] = std::sqrt(std::max(0.0f, least + squared));
    });
    double sum = 0;
    for (const double value : distance) sum += value;
    return sum / rows.rows;
  }

  void update(const SparseRows& rows, double sigma) {
    in_threads(threads_, lattice_.units(), [&](std::uint32_t u) {
      std::vector<float> sum(columns_);
      float reached = 0;
      for (std::uint32_t row = 0; row < rows.rows; ++row) {
        const double squared = lattice_.squared_distance(u, best_[row]);
        const auto h = static_cast<float>(std::exp(-squared / (2 * sigma * sigma)));
        reached += h;
        for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i)
          sum[rows.column[i]] += h * rows.weight[i];
      }
      float* unit = weights_.data() + std::size_t{u} * columns_;
      for (std::uint32_t c = 0; reached > 0 && c < columns_; ++c) unit[c] = sum[c] / reached;
    });
    measure();
  }

 private:
  void measure() {
    for (std::uint32_t u = 0; u < lattice_.units(); ++u) {
      squared_[u] = 0;
      for (std::uint32_t c = 0; c < columns_; ++c) {
        const float weight = weights_[std::size_t{u} * columns_ + c];
        squared_[u] += weight * weight;
      }
    }
  }

  SomLattice lattice_;
  std::uint32_t columns_;
  std::size_t threads_;
  std::vector<float> weights_;  // [units, columns]
  std::vector<float> squared_;
  std::vector<std::uint32_t> best_;
};

TermWeighting ltc(const Mirror& mirror) {
  const SmartWeighting smart("ltc");
  TermWeighting weighting;
  for (std::uint32_t count = 0; count <= kMaxCount; ++count)
    weighting.tf.push_back(smart.tf(count));
  for (const std::uint32_t df : mirror.df)
    weighting.idf.push_back(smart.idf(mirror.docids.size(), df));
  return weighting;
}

void run(const std::string& path, std::uint32_t side, std::uint32_t epochs, std::size_t threads) {
  const Mirror mirror = read_mirror(Xapian::Database(path), Settings{});
  const CsrView counts = mirror.counts.view();
  const std::vector<float> weights = unit_weights(counts, ltc(mirror));
  const SparseRows rows = {counts.rows, counts.columns, counts.row_begin, counts.column,
                           weights.data()};
  const SomRows data = rows;
  const SomLattice lattice{side, side, true, false};
  const SomSchedule schedule =
      resolved({0, 0.7, SomSchedule::Fall::kExponential, epochs, 0, 0}, side, side);
  const SomCodebook start = start_codebook(lattice, {&data, 1}, SomStart::kDocuments, 1);
  const auto twin = make_som_twin(lattice, rows.columns, {"cpu", threads});
  twin->load(start);
  ScatterMap peer(lattice, start, threads);
  std::vector<double> own_seconds, peer_seconds;
  SomTwin* const twins[] = {twin.get()};
  SomCrew crew({twins}, {&data, 1});
  for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {  // interleaved
    const double sigma = sigma_at(schedule, epoch);
    auto begin = Clock::now();
    crew.match(SomNeighbors::kCorners);
    crew.update({sigma, false});
    own_seconds.push_back(seconds_since(begin));
    begin = Clock::now();
    peer.match(rows);
    peer.update(rows, sigma);
    peer_seconds.push_back(seconds_since(begin));
  }
  const SomQuality quality = quality_of(crew.match(SomNeighbors::kCorners));
  const double own = percentile(own_seconds, .5), other = percentile(peer_seconds, .5);
  const nlohmann::ordered_json report = {{"documents", rows.rows},
                                         {"terms", rows.columns},
                                         {"nonzeros", counts.nonzeros()},
                                         {"units", lattice.units()},
                                         {"epochs", epochs},
                                         {"threads", threads},
                                         {"epoch_seconds", own},
                                         {"epoch_seconds_p90", percentile(own_seconds, .9)},
                                         {"scatter_epoch_seconds", other},
                                         {"ratio", other / own},
                                         {"quantization_error", quality.quantization_error},
                                         {"scatter_quantization_error", peer.match(rows)}};
  std::printf("%s\n", report.dump().c_str());
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: som_bench DATABASE [--side N] [--epochs N] [--threads N]\n");
    return 2;
  }
  std::uint32_t side = 50, epochs = 20;
  std::size_t threads = 2;
  const auto number = [](auto& target) {
    return [&target](const std::string& value) {
      target = static_cast<std::remove_reference_t<decltype(target)>>(std::stoul(value));
    };
  };
  try {
    kindred::bench::read_options(
        {argv + 2, argv + argc},
        {{"--side", number(side)}, {"--epochs", number(epochs)}, {"--threads", number(threads)}});
    kindred::bench::run(argv[1], side, epochs, threads);
    return 0;
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "som_bench: %s\n", e.get_description().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "som_bench: %s\n", e.what());
  }
  return 1;
}
