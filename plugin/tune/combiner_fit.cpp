#include "plugin/tune/combiner_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gpu/workers.h"
#include "plugin/tune/combiner_pairs.h"

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

/// The logistic function of z, and ln(1 + e^z).
struct Logistic {
  double probability, softplus;
};

Logistic logistic(double z) {
  const double e = std::exp(-std::abs(z));
  return {z > 0 ? 1 / (1 + e) : e / (1 + e), std::max(z, 0.0) + std::log1p(e)};
}

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
      : single_label_(single_label), threads_(threads) {
    gather(examples);
    measure_scale();
    per_ = 1 / std::max(1.0, static_cast<double>(examples.truth.size()));
    ridge_ = single_label_ ? 1e-3 : 1e-4;
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
  /// The pairs of some documents, one document after the other.
  struct Chunk {
    std::vector<CombinerPair> pairs;
    std::vector<std::size_t> begin{0};
  };
  using Document = std::span<const CombinerPair>;

  void gather(const CombinerExamples& examples) {
    chunks_.resize(number_of_chunks(examples.documents, kDocumentsAtOnce));
    const std::size_t size = examples.labels * kLabelFeatures;
    const auto gather_chunk = [&](std::size_t begin, std::size_t end) {
      Chunk& chunk = chunks_[begin / kDocumentsAtOnce];
      std::vector<Vector> room;
      for (std::size_t d = begin; d < end; ++d) {
        const auto truth =
            examples.truth.subspan(examples.begin[d], examples.begin[d + 1] - examples.begin[d]);
        add_pairs(d, examples.features.subspan(d * size, size), truth, room, chunk.pairs);
        chunk.begin.push_back(chunk.pairs.size());
      }
    };
    for_each_chunk(examples.documents, kDocumentsAtOnce, threads_, gather_chunk);
  }

  /// Adds up add_document(pairs, sum) in chunks of a fixed size, in their order.
  template <typename Sum, typename AddDocument>
  Sum add_up(AddDocument&& add_document) const {
    std::vector<Sum> sums(chunks_.size());
    for_each_item(chunks_.size(), threads_, [&](std::size_t c) {
      const Chunk& chunk = chunks_[c];
      for (std::size_t d = 0; d + 1 < chunk.begin.size(); ++d) {
        add_document(
            Document(chunk.pairs).subspan(chunk.begin[d], chunk.begin[d + 1] - chunk.begin[d]),
            sums[c]);
      }
    });
    Sum sum;
    for (const Sum& part : sums) sum.add(part);
    return sum;
  }

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
    const auto moments = add_up<Moments>([](Document pairs, Moments& sum) {
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

  void add_single(Document pairs, const Vector& b, Loss& loss) const {
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
    for (std::size_t l = 0; l < rows.size(); ++l) add_square(rows[l], mean, p[l], loss);
  }

  void add_multi(Document pairs, const Vector& b, Loss& loss) const {
    for (const CombinerPair& pair : pairs) {
      const Vector row = standardized(pair);
      const double z = dot(b, row), is_true = pair.is_true ? 1 : 0;
      const auto [p, softplus] = logistic(z);
      loss.value += pair.weight * (softplus - is_true * z);
      for (std::size_t i = 0; i < kSize; ++i)
        loss.gradient[i] += pair.weight * (p - is_true) * row[i];
      add_square(row, {}, pair.weight * p * (1 - p), loss);
    }
  }

  static void add_square(const Vector& row, const Vector& mean, double weight, Loss& loss) {
    for (std::size_t i = 0; i < kSize; ++i) {
      const double x = weight * (row[i] - mean[i]);
      for (std::size_t j = 0; j <= i; ++j) loss.hessian[i][j] += x * (row[j] - mean[j]);
    }
  }

  Loss penalized(const Vector& b) const {
    Loss loss = add_up<Loss>([&](Document pairs, Loss& sum) {
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
  const std::size_t threads_;
  std::vector<Chunk> chunks_;
  Vector mean_{}, scale_{};
  double per_ = 1, ridge_ = 0;
};

}  // namespace

FittedCombiner fit_combiner(bool single_label, const CombinerExamples& examples,
                            std::size_t threads) {
  return Fit(single_label, examples, threads).run();
}

}  // namespace kindred
