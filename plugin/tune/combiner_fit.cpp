#include "plugin/tune/combiner_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "plugin/tune/calibration_fit.h"
#include "plugin/tune/combiner_pairs.h"
#include "plugin/tune/newton.h"

namespace kindred {
namespace {

constexpr std::size_t kSize = kCombinerSize;

using Vector = CombinerRow;

class Fit {
 public:
  Fit(bool single_label, const CombinerExamples& examples, std::size_t threads)
      : single_label_(single_label), pairs_(examples, threads) {
    measure_scale();
    per_ = 1 / std::max(1.0, static_cast<double>(examples.truth.size()));
    ridge_ = single_label_ ? 1e-3 : 1e-4;
  }

  FittedCombiner run() {
    const Vector b = minimize(Vector{}, [&](const Vector& at) { return penalized(at); });
    const FittedCombiner fitted = unscaled(b);
    if (single_label_) return fitted;
    FittedCombiner result = calibrated(fitted.combiner, pairs_);
    result.log_loss *= per_;
    result.plain_loss = fitted.plain_loss;
    return result;
  }

 private:
  using Document = ExamplePairs::Document;

  struct Moments {
    double pairs = 0;
    Vector sum{}, square{};
    void add(const Moments& other) {
      pairs += other.pairs;
      for (std::size_t i = 0; i < kSize; ++i) {
        sum[i] += other.sum[i];
        square[i] += other.square[i];
      }
    }
  };

  /// Features are centered (multi-label only) and divided by their standard deviation. A scale of 0
  /// leaves out a feature that the form does not have, or that never varies.
  void measure_scale() {
    const auto moments = pairs_.add_up<Moments>([](Document pairs, Moments& sum) {
      for (const CombinerPair& pair : pairs) {
        const double weight = pair.weight;
        sum.pairs += weight;
        for (std::size_t i = 1; i < kSize; ++i) {
          const double value = pair.row[i - 1];
          sum.sum[i] += weight * value;
          sum.square[i] += weight * value * value;
        }
      }
    });
    for (std::size_t i = 1; i < kSize; ++i) {
      const double mean = moments.sum[i] / moments.pairs;
      const double deviation =
          std::sqrt(std::max(moments.square[i] / moments.pairs - mean * mean, 0.0));
      const bool used = !single_label_ || i <= kLabelFeatures;
      scale_[i] = used && deviation > 1e-9 ? 1 / deviation : 0;
      mean_[i] = single_label_ ? 0 : mean;
    }
    scale_[0] = single_label_ ? 0 : 1;
  }

  Vector standardized(const CombinerPair& pair) const {
    Vector row{scale_[0]};
    for (std::size_t i = 1; i < kSize; ++i) row[i] = (pair.row[i - 1] - mean_[i]) * scale_[i];
    return row;
  }

  void add_single(Document pairs, const Vector& b, Loss<kSize>& loss) const {
    std::vector<Vector> rows;
    std::vector<double> p;  // of a label, or of all that a pair stands for
    std::size_t truth = 0;
    for (const CombinerPair& pair : pairs) {
      if (pair.is_true) truth = rows.size();
      rows.push_back(standardized(pair));
      p.push_back(dot(b, rows.back()) + std::log(double{pair.weight}));
    }
    const double own = p[truth];
    loss.value += soften(p) - own;
    Vector mean{};
    for (std::size_t l = 0; l < rows.size(); ++l) {
      for (std::size_t i = 0; i < kSize; ++i) mean[i] += p[l] * rows[l][i];
    }
    for (std::size_t i = 0; i < kSize; ++i) loss.gradient[i] += mean[i] - rows[truth][i];
    for (std::size_t l = 0; l < rows.size(); ++l) loss.add_square(rows[l], mean, p[l]);
  }

  void add_multi(Document pairs, const Vector& b, Loss<kSize>& loss) const {
    for (const CombinerPair& pair : pairs)
      add_logistic(standardized(pair), pair.is_true, pair.weight, b, loss);
  }

  Loss<kSize> penalized(const Vector& b) const {
    auto loss = pairs_.add_up<Loss<kSize>>([&](Document pairs, Loss<kSize>& sum) {
      if (single_label_) {
        add_single(pairs, b, sum);
      } else {
        add_multi(pairs, b, sum);
      }
    });
    loss.value *= per_;
    for (std::size_t i = 0; i < kSize; ++i) {
      loss.gradient[i] *= per_;
      for (std::size_t j = 0; j <= i; ++j) loss.hessian[i][j] *= per_;
    }
    for (std::size_t i = 1; i < kSize; ++i) {
      loss.value += ridge_ * b[i] * b[i] / 2;
      loss.gradient[i] += ridge_ * b[i];
      loss.hessian[i][i] += ridge_;
    }
    return loss;
  }

  FittedCombiner unscaled(const Vector& b) const {
    FittedCombiner fitted;
    fitted.combiner.single_label = single_label_;
    fitted.log_loss = penalized(b).value;
    fitted.combiner.intercept = b[0] * scale_[0];
    for (std::size_t i = 1; i < kSize; ++i) {
      fitted.combiner.coefficients[i - 1] = b[i] * scale_[i];
      fitted.combiner.intercept -= b[i] * scale_[i] * mean_[i];
      fitted.log_loss -= ridge_ * b[i] * b[i] / 2;
    }
    fitted.plain_loss = fitted.log_loss;
    return fitted;
  }

  const bool single_label_;
  const ExamplePairs pairs_;
  Vector mean_{}, scale_{};
  double per_ = 1, ridge_ = 0;
};

}  // namespace

FittedCombiner fit_combiner(bool single_label, const CombinerExamples& examples,
                            std::size_t threads) {
  return Fit(single_label, examples, threads).run();
}

}  // namespace kindred
