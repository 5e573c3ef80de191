#include "plugin/tune/combiner/calibration_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/workers.h"
#include "plugin/tune/combiner/newton.h"

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

}  // namespace kindred
