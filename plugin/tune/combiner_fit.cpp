#include "plugin/tune/combiner_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gpu/workers.h"
#include "plugin/votes/combiner_rows.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr std::size_t kSize = kCombinerSize;
constexpr std::size_t kDocumentsAtOnce = 128;
constexpr int kMostSteps = 50;
constexpr int kHalvings = 20;  // of a step, before it is given up

using Vector = CombinerRow;
using Matrix = std::array<Vector, kSize>;

/// A sum of losses, and its derivatives.
struct Loss {
  double value = 0;
  Vector gradient{};
  Matrix hessian{};

  void add(const Loss& other) {
    value += other.value;
    for (std::size_t i = 0; i < kSize; ++i) {
      gradient[i] += other.gradient[i];
      for (std::size_t j = 0; j < kSize; ++j) hessian[i][j] += other.hessian[i][j];
    }
  }
};

/// ln(1 + e^z)
double softplus(double z) { return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z)); }

/// Solves a x = b for a symmetric positive matrix, by Cholesky. A row of zeros gives x = 0 there.
Vector solve(Matrix a, Vector b) {
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      if (i == j) {
        a[i][i] = std::sqrt(std::max(a[i][i], 0.0));
      } else {
        a[i][j] = a[j][j] > 0 ? a[i][j] / a[j][j] : 0;
      }
    }
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] = a[i][i] > 0 ? b[i] / a[i][i] : 0;
  }
  for (std::size_t i = kSize; i-- > 0;) {
    for (std::size_t k = i + 1; k < kSize; ++k) b[i] -= a[k][i] * b[k];
    b[i] = a[i][i] > 0 ? b[i] / a[i][i] : 0;
  }
  return b;
}

class Fit {
 public:
  Fit(bool single_label, const CombinerExamples& examples, std::size_t threads)
      : single_label_(single_label), examples_(examples), threads_(threads) {
    measure_scale();
  }

  FittedCombiner run() {
    Vector b{};
    Loss loss = penalized(b);
    for (int step = 0; step < kMostSteps; ++step) {
      const Vector direction = solve(loss.hessian, loss.gradient);
      if (std::abs(dot(direction, loss.gradient)) < 1e-12) break;
      if (!descend(direction, b, loss)) break;
    }
    return unscaled(b);
  }

 private:
  /// Adds up add_document(document, rows, sum) in chunks of a fixed size, in their order.
  template <typename Sum, typename AddDocument>
  Sum add_up(AddDocument&& add_document) const {
    const std::size_t documents = examples_.documents;
    std::vector<Sum> sums(number_of_chunks(documents, kDocumentsAtOnce));
    const auto add_chunk = [&](std::size_t begin, std::size_t end) {
      std::vector<Vector> rows(examples_.labels);
      for (std::size_t d = begin; d < end; ++d) {
        const std::size_t size = examples_.labels * kLabelFeatures;
        expand(examples_.features.subspan(d * size, size), rows);
        add_document(d, rows, sums[begin / kDocumentsAtOnce]);
      }
    };
    for_each_chunk(documents, kDocumentsAtOnce, threads_, add_chunk);
    Sum sum;
    for (const Sum& part : sums) sum.add(part);
    return sum;
  }

  struct Moments {
    Vector sum{}, square{};
    void add(const Moments& other) {
      for (std::size_t i = 0; i < kSize; ++i) {
        sum[i] += other.sum[i];
        square[i] += other.square[i];
      }
    }
  };

  /// Features are centered (multi-label only) and divided by their standard deviation. A scale of 0
  /// leaves out a feature that the form does not have, or that never varies.
  void measure_scale() {
    const auto moments = add_up<Moments>([](std::size_t, const auto& rows, Moments& sum) {
      for (const Vector& row : rows) {
        for (std::size_t i = 0; i < kSize; ++i) {
          sum.sum[i] += row[i];
          sum.square[i] += row[i] * row[i];
        }
      }
    });
    const double pairs = static_cast<double>(examples_.documents * examples_.labels);
    for (std::size_t i = 1; i < kSize; ++i) {
      const double mean = moments.sum[i] / pairs;
      const double deviation = std::sqrt(std::max(moments.square[i] / pairs - mean * mean, 0.0));
      const bool used = !single_label_ || i <= kLabelFeatures;
      scale_[i] = used && deviation > 1e-9 ? 1 / deviation : 0;
      mean_[i] = single_label_ ? 0 : mean;
    }
    scale_[0] = single_label_ ? 0 : 1;
    const double positives = static_cast<double>(examples_.truth.size());
    per_ = 1 / std::max(1.0, positives);
    ridge_ = single_label_ ? 1e-3 : 1e-4;
  }

  std::span<const std::uint32_t> truth_of(std::size_t document) const {
    return examples_.truth.subspan(examples_.begin[document],
                                   examples_.begin[document + 1] - examples_.begin[document]);
  }

  void standardize(std::vector<Vector>& rows) const {
    for (Vector& row : rows) {
      for (std::size_t i = 0; i < kSize; ++i) row[i] = (row[i] - mean_[i]) * scale_[i];
    }
  }

  void add_single(const std::vector<Vector>& rows, std::uint32_t truth, const Vector& b,
                  Loss& loss) const {
    std::vector<double> p(rows.size());
    for (std::size_t l = 0; l < rows.size(); ++l) p[l] = dot(b, rows[l]);
    const double own = p[truth];
    loss.value += soften(p) - own;
    Vector mean{};
    for (std::size_t l = 0; l < rows.size(); ++l) {
      for (std::size_t i = 0; i < kSize; ++i) mean[i] += p[l] * rows[l][i];
    }
    for (std::size_t i = 0; i < kSize; ++i) loss.gradient[i] += mean[i] - rows[truth][i];
    for (std::size_t l = 0; l < rows.size(); ++l) add_square(rows[l], mean, p[l], loss);
  }

  void add_multi(const std::vector<Vector>& rows, std::span<const std::uint32_t> truth,
                 const Vector& b, Loss& loss) const {
    auto own = truth.begin();
    for (std::size_t l = 0; l < rows.size(); ++l) {
      const bool is_true = own != truth.end() && *own == l;
      if (is_true) ++own;
      const double z = dot(b, rows[l]);
      const double p = as_probability(z);
      loss.value += softplus(z) - (is_true ? z : 0);
      for (std::size_t i = 0; i < kSize; ++i)
        loss.gradient[i] += (p - (is_true ? 1 : 0)) * rows[l][i];
      add_square(rows[l], {}, p * (1 - p), loss);
    }
  }

  static void add_square(const Vector& row, const Vector& mean, double weight, Loss& loss) {
    for (std::size_t i = 0; i < kSize; ++i) {
      const double x = weight * (row[i] - mean[i]);
      for (std::size_t j = 0; j <= i; ++j) loss.hessian[i][j] += x * (row[j] - mean[j]);
    }
  }

  Loss penalized(const Vector& b) const {
    Loss loss = add_up<Loss>([&](std::size_t document, std::vector<Vector>& rows, Loss& sum) {
      standardize(rows);
      if (single_label_) {
        add_single(rows, truth_of(document).front(), b, sum);
      } else {
        add_multi(rows, truth_of(document), b, sum);
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

  /// Takes Newton's step, and halves it until the loss falls. False if the loss never falls.
  bool descend(const Vector& direction, Vector& b, Loss& loss) const {
    double size = 1;
    for (int halved = 0; halved < kHalvings; ++halved, size /= 2) {
      Vector next = b;
      for (std::size_t i = 0; i < kSize; ++i) next[i] -= size * direction[i];
      Loss found = penalized(next);
      if (!(found.value < loss.value)) continue;
      b = next;
      loss = found;
      return true;
    }
    return false;
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
    return fitted;
  }

  const bool single_label_;
  const CombinerExamples& examples_;
  const std::size_t threads_;
  Vector mean_{}, scale_{};
  double per_ = 1, ridge_ = 0;
};

}  // namespace

FittedCombiner fit_combiner(bool single_label, const CombinerExamples& examples,
                            std::size_t threads) {
  return Fit(single_label, examples, threads).run();
}

}  // namespace kindred
