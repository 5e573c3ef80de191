#include "plugin/tune/calibration_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gpu/workers.h"
#include "plugin/tune/newton.h"

namespace kindred {
namespace {

constexpr std::size_t kParameters = 4;  // offset, unlikely, likely, ahead
constexpr Row<kParameters> kUnchanged = {0, 1, 1, 0};

Row<kParameters> row_of(const ScoredPair& pair) {
  return {1, -softplus(-pair.z), softplus(pair.z), std::max(pair.lead, 0.0)};
}

class CalibrationFit {
 public:
  CalibrationFit(std::span<const std::vector<ScoredPair>> chunks, std::size_t threads)
      : chunks_(chunks), threads_(threads) {}

  FittedCalibration run() {
    Row<kParameters> b = kUnchanged;
    for (bool is_sound = false; !is_sound;) {
      b = minimize(start(), [&](const Row<kParameters>& at) { return penalized(at); });
      is_sound = true;
      for (std::size_t i = 1; i < kParameters; ++i) {
        if (b[i] >= 0) continue;
        is_free_[i] = is_sound = false;
      }
    }
    return {{b[0], b[1], b[2], b[3]}, penalized(b).value - penalty(b)};
  }

 private:
  Row<kParameters> start() const {
    Row<kParameters> b = kUnchanged;
    for (std::size_t i = 0; i < kParameters; ++i) b[i] = is_free_[i] ? b[i] : 0;
    return b;
  }

  static double penalty(const Row<kParameters>& b) {
    double sum = 0;
    for (std::size_t i = 1; i < kParameters; ++i)
      sum += (b[i] - kUnchanged[i]) * (b[i] - kUnchanged[i]) / 2;
    return sum;
  }

  Loss<kParameters> penalized(const Row<kParameters>& b) const {
    std::vector<Loss<kParameters>> sums(chunks_.size());
    for_each_item(chunks_.size(), threads_, [&](std::size_t c) {
      for (const ScoredPair& pair : chunks_[c])
        add_logistic(row_of(pair), pair.is_true, pair.weight, b, sums[c]);
    });
    Loss<kParameters> loss;
    for (const Loss<kParameters>& sum : sums) loss.add(sum);
    loss.value += penalty(b);
    for (std::size_t i = 1; i < kParameters; ++i) {
      loss.gradient[i] += b[i] - kUnchanged[i];
      loss.hessian[i][i] += 1;
    }
    for (std::size_t i = 0; i < kParameters; ++i) {
      if (!is_free_[i]) loss.fix(i);
    }
    return loss;
  }

  const std::span<const std::vector<ScoredPair>> chunks_;
  const std::size_t threads_;
  std::array<bool, kParameters> is_free_ = {true, true, true, true};
};

}  // namespace

FittedCalibration fit_calibration(std::span<const std::vector<ScoredPair>> chunks,
                                  std::size_t threads) {
  return CalibrationFit(chunks, threads).run();
}

namespace {

double log_odds(const Combiner& combiner, const CombinerPair& pair) {
  double z = combiner.intercept;
  for (std::size_t i = 0; i < pair.row.size(); ++i) z += combiner.coefficients[i] * pair.row[i];
  return z;
}

void score(const Combiner& combiner, ExamplePairs::Document pairs,
           std::vector<ScoredPair>& scored) {
  const std::size_t first = scored.size();
  Largest<double> largest;
  for (const CombinerPair& pair : pairs) {
    scored.push_back({log_odds(combiner, pair), 0, pair.weight, pair.is_true});
    largest.add(scored.back().z);
  }
  for (ScoredPair& pair : std::span(scored).subspan(first)) pair.lead = largest.lead(pair.z);
}

/// Adds the loss of a document whose labels' z all grow by a factor.
void add_softmax(const Combiner& combiner, ExamplePairs::Document pairs, double factor,
                 Loss<1>& loss) {
  std::vector<double> z, p;
  double own = 0;
  for (const CombinerPair& pair : pairs) {
    z.push_back(log_odds(combiner, pair));
    p.push_back(factor * z.back() + std::log(double{pair.weight}));
    if (pair.is_true) own = z.back();
  }
  loss.value += soften(p) - factor * own;
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < z.size(); ++i) mean += p[i] * z[i];
  for (std::size_t i = 0; i < z.size(); ++i) square += p[i] * (z[i] - mean) * (z[i] - mean);
  loss.gradient[0] += mean - own;
  loss.hessian[0][0] += square;
}

Combiner sharpened(const Combiner& known, const ExamplePairs& pairs) {
  const Row<1> factor = minimize(Row<1>{1}, [&](const Row<1>& at) {
    return pairs.add_up<Loss<1>>([&](ExamplePairs::Document document, Loss<1>& sum) {
      add_softmax(known, document, at[0], sum);
    });
  });
  Combiner result = known;
  for (double& coefficient : result.coefficients) coefficient *= std::max(factor[0], 0.0);
  return result;
}

}  // namespace

FittedCombiner calibrated(const Combiner& known, const ExamplePairs& pairs) {
  const auto scored = pairs.parts<std::vector<ScoredPair>>(
      [&](ExamplePairs::Document document, std::vector<ScoredPair>& found) {
        score(known, document, found);
      });
  const FittedCalibration fitted = fit_calibration(scored, pairs.threads());
  FittedCombiner result{known, fitted.log_loss, 0};
  result.combiner.calibration = fitted.calibration;
  return result;
}

Combiner recalibrated(const Combiner& known, const CombinerExamples& examples,
                      std::size_t threads) {
  const ExamplePairs pairs(examples, threads);
  return known.single_label ? sharpened(known, pairs) : calibrated(known, pairs).combiner;
}

}  // namespace kindred
