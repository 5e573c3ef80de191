#include "plugin/tune/combiner_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/workers.h"
#include "plugin/tune/convex_fit.h"
#include "plugin/votes/largest.h"

namespace kindred {
namespace {

constexpr std::size_t kDocumentsAtOnce = 128;
constexpr std::size_t kSize = kCombinerSize;

/// A document and a label, as a combiner is fitted to them.
struct Pair {
  std::array<float, kSize> row;  ///< as expand() fills it in; 0 where the form has no coefficient
  bool is_true = false;          ///< the document has the label
  std::uint8_t fold = 0;         ///< of the document
};
using Document = std::span<const Pair>;

CombinerRow row_of(const Pair& pair) {
  CombinerRow row;
  std::ranges::copy(pair.row, row.begin());
  return row;
}

/// The pairs of all documents, in chunks of a fixed number of documents, so that sums over them
/// have one order.
class Pairs {
 public:
  Pairs(bool single_label, const TrueLabels& truth, const Shortlists& lists, std::size_t threads)
      : chunks_(number_of_chunks(truth.documents, kDocumentsAtOnce)), threads_(threads) {
    const auto fill = [&](std::size_t begin, std::size_t end) {
      Chunk& chunk = chunks_[begin / kDocumentsAtOnce];
      std::vector<CombinerRow> rows;

      for (std::size_t d = begin; d < end; ++d) {
        rows.resize(lists.labels_of(d).size());
        expand(lists.features_of(d), rows);
        add_document(single_label, truth, d, lists.labels_of(d), rows, chunk.pairs);
        chunk.begin.push_back(chunk.pairs.size());
      }
    };
    for_each_chunk(truth.documents, kDocumentsAtOnce, threads_, fill);
  }

  /// How many pairs are of a document and a label that it has.
  std::size_t true_pairs() const {
    std::size_t count = 0;
    for (const Chunk& chunk : chunks_)
      count += static_cast<std::size_t>(std::ranges::count_if(chunk.pairs, &Pair::is_true));
    return count;
  }

  /// The sum of what add(pairs, sum) adds for each document.
  template <std::size_t kOf, typename Add>
  Loss<kOf> add_up(Add&& add) const {
    std::vector<Loss<kOf>> sums(chunks_.size());
    for_each_item(chunks_.size(), threads_, [&](std::size_t c) {
      const std::vector<Pair>& pairs = chunks_[c].pairs;
      const std::vector<std::size_t>& begin = chunks_[c].begin;
      for (std::size_t d = 0; d + 1 < begin.size(); ++d)
        add(Document(pairs).subspan(begin[d], begin[d + 1] - begin[d]), sums[c]);
    });

    // In the order of the chunks, whichever was done first.
    Loss<kOf> all;
    for (const Loss<kOf>& sum : sums) all.add(sum);
    return all;
  }

 private:
  struct Chunk {
    std::vector<Pair> pairs;
    std::vector<std::size_t> begin{0};  // of a document's pairs
  };

  static void add_document(bool single_label, const TrueLabels& truth, std::size_t document,
                           std::span<const std::uint32_t> labels, std::span<const CombinerRow> rows,
                           std::vector<Pair>& pairs) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      Pair& pair = pairs.emplace_back();
      std::ranges::transform(rows[i], pair.row.begin(), [](double value) {
        return static_cast<float>(value);
      });
      if (single_label) {
        pair.row[0] = 0;
        std::fill(pair.row.end() - kLeads, pair.row.end(), 0.0F);
      }
      pair.is_true = truth.has(document, labels[i]);
      pair.fold = truth.fold[document];
    }
  }

  std::vector<Chunk> chunks_;
  const std::size_t threads_;
};

/// Adds the loss of a document, one of whose labels is true, under coefficients b of the rows.
/// Nothing if that label is not listed.
template <std::size_t kOf>
void add_softmax(std::span<const FitRow<kOf>> rows, Document pairs, const FitRow<kOf>& b,
                 Loss<kOf>& loss) {
  if (std::ranges::none_of(pairs, &Pair::is_true)) return;

  std::vector<double> p;  // at first z
  FitRow<kOf> own{};
  for (std::size_t l = 0; l < rows.size(); ++l) {
    p.push_back(dot(b, rows[l]));
    if (pairs[l].is_true) own = rows[l];
  }
  loss.value += soften(p) - dot(b, own);

  // The gradient is what the expected row differs from the true one by.
  FitRow<kOf> mean{};
  for (std::size_t l = 0; l < rows.size(); ++l)
    for (std::size_t i = 0; i < kOf; ++i) mean[i] += p[l] * rows[l][i];
  for (std::size_t i = 0; i < kOf; ++i) loss.gradient[i] += mean[i] - own[i];
  for (std::size_t l = 0; l < rows.size(); ++l) loss.add_square(rows[l], mean, p[l]);
}

constexpr int kNoFold = -1;
constexpr double kKnownPairs = 10;  // that coefficients which are known count as
constexpr double kFixed = 1e12;     // the ridge that holds a coefficient at 0 that would be below

/// The loss of all pairs under coefficients b, but for the documents of a fold.
Loss<kSize> loss_of(bool single_label, const Pairs& pairs, const CombinerRow& b, int without) {
  return pairs.add_up<kSize>([&](Document document, Loss<kSize>& sum) {
    if (!document.empty() && document.front().fold == without) return;

    std::vector<CombinerRow> rows;
    for (const Pair& pair : document) rows.push_back(row_of(pair));

    if (single_label) return add_softmax<kSize>(rows, document, b, sum);
    for (std::size_t i = 0; i < rows.size(); ++i) sum.add_logistic(rows[i], document[i].is_true, b);
  });
}

/// The log-odds of each pair of a document, by the coefficients for its fold, or for all.
std::vector<double> log_odds(std::span<const CombinerRow> b, Document pairs) {
  std::vector<double> z;
  for (const Pair& pair : pairs) z.push_back(dot(b[b.size() == 1 ? 0 : pair.fold], row_of(pair)));
  return z;
}

/// Fits the calibration by maximum likelihood, with a penalty of half the squared distance from one
/// that changes nothing. A slope that would be below 0 is 0.
/// @param known_b as log_odds() takes it
/// @param loss of what is found, without the penalty
Calibration calibrated(std::span<const CombinerRow> known_b, const Pairs& pairs, double& loss) {
  constexpr FitRow<4> kUnchanged = {0, 1, 1, 0};  // offset, unlikely, likely, ahead
  const auto loss_at = [&](const FitRow<4>& b) {
    return pairs.add_up<4>([&](Document document, Loss<4>& sum) {
      const std::vector<double> z = log_odds(known_b, document);
      Largest<double> largest;
      for (const double value : z) largest.add(value);

      for (std::size_t i = 0; i < z.size(); ++i) {
        const FitRow<4> row = {1, -softplus(-z[i]), softplus(z[i]),
                               std::max(largest.lead(z[i]), 0.0)};
        sum.add_logistic(row, document[i].is_true, b);
      }
    });
  };

  FitRow<4> from = kUnchanged;
  FitRow<4> ridge = {0, 1, 1, 1};
  FitRow<4> b{};
  bool is_sound = false;
  while (!is_sound) {
    b = minimize(from, [&](const FitRow<4>& at) {
      Loss<4> sum = loss_at(at);
      for (std::size_t i = 1; i < at.size(); ++i) sum.add_ridge(i, ridge[i], at[i], from[i]);
      return sum;
    });

    // Slopes that are below 0 are held at 0. If that is new for one of them, the others may change.
    is_sound = true;
    for (std::size_t i = 1; i < b.size(); ++i) {
      const bool may_stay = b[i] >= 0 || ridge[i] == kFixed;
      if (!may_stay) is_sound = false;
      if (b[i] < 0) {
        ridge[i] = kFixed;
        from[i] = 0;
        b[i] = 0;
      }
    }
  }

  loss = loss_at(b).value;
  return {b[0], b[1], b[2], b[3]};
}

/// The factor of all coefficients that fits a softmax best, at least 0. Arguments as above.
double sharpness(std::span<const CombinerRow> known_b, const Pairs& pairs, double& loss) {
  const auto loss_at = [&](const FitRow<1>& at) {
    return pairs.add_up<1>([&](Document document, Loss<1>& sum) {
      std::vector<FitRow<1>> rows;
      for (const double z : log_odds(known_b, document)) rows.push_back({z});
      add_softmax<1>(rows, document, at, sum);
    });
  };

  const double factor = std::max(minimize(FitRow<1>{1}, loss_at)[0], 0.0);
  loss = loss_at({factor}).value;
  return factor;
}

Combiner combiner_of(bool single_label, const CombinerRow& b) {
  Combiner combiner;
  combiner.single_label = single_label;
  combiner.intercept = b[0];
  std::copy(b.begin() + 1, b.end(), combiner.coefficients.begin());
  return combiner;
}

/// The same combiner, sharper by a factor.
Combiner sharpened(Combiner combiner, double factor) {
  for (double& coefficient : combiner.coefficients) coefficient *= factor;
  return combiner;
}

/// A combiner of coefficients b, with confidences that fit the pairs best by the coefficients of
/// their folds. The loss is not divided by anything.
FittedCombiner confident(bool single_label, const CombinerRow& b,
                         const std::vector<CombinerRow>& by_fold, const Pairs& pairs) {
  constexpr double kLeastFactor = 0.01;  // keeps the order of labels
  FittedCombiner fitted{combiner_of(single_label, b), {}, 0};
  for (const CombinerRow& own : by_fold)
    fitted.without_fold.push_back(combiner_of(single_label, own));

  if (single_label) {
    const double factor = std::max(sharpness(by_fold, pairs, fitted.log_loss), kLeastFactor);
    fitted.combiner = sharpened(fitted.combiner, factor);
    for (Combiner& own : fitted.without_fold) own = sharpened(own, factor);
  } else {
    fitted.combiner.calibration = calibrated(by_fold, pairs, fitted.log_loss);
    for (Combiner& own : fitted.without_fold) own.calibration = fitted.combiner.calibration;
  }
  return fitted;
}

/// If no document tells more, a label is as likely as its share is large.
CombinerRow untold(bool hears_few) {
  CombinerRow row{};
  row[1 + (hears_few ? kFewShare : kLogShare)] = 1;
  return row;
}

double weight_of_pair(const Pairs& pairs) {
  return 1 / std::max(1.0, static_cast<double>(pairs.true_pairs()));
}

/// The coefficients that fit the pairs best, with a ridge toward `from`, which is kept where these
/// are no better.
FittedCombiner fit_from(bool single_label, const CombinerRow& from, double ridge,
                        const Pairs& pairs, std::size_t folds) {
  const double per = weight_of_pair(pairs);
  CombinerRow start = from;
  CombinerRow ridges;
  ridges.fill(ridge);

  // Few documents find products by chance.
  for (std::size_t i = 0; i < kProducts; ++i) ridges[1 + kLabelFeatures + i] = kKnownPairs * per;

  const auto loss_at = [&](const CombinerRow& at, int without) {
    Loss<kSize> loss;
    loss.add(loss_of(single_label, pairs, at, without), per);
    for (std::size_t i = 1; i < kSize; ++i) loss.add_ridge(i, ridges[i], at[i], start[i]);
    return loss;
  };
  const auto loss_of_all = [&](const CombinerRow& at) {
    return loss_at(at, kNoFold);
  };
  CombinerRow b = minimize(start, loss_of_all);

  // A label that few speak for is no less likely for it. Where that is found, the document that is
  // left out is what its own label lacks; then few are not heard.
  constexpr std::size_t kFew = 1 + kFewShare;
  const bool is_deaf = b[kFew] < 0;
  if (is_deaf) {
    ridges[kFew] = kFixed;
    start[kFew] = 0;
    b = minimize(start, loss_of_all);
    b[kFew] = 0;
  }

  // Without each fold. What all documents say is not far from that.
  constexpr int kSteps = 2;
  std::vector<CombinerRow> by_fold;
  for (int fold = 0; fold < static_cast<int>(folds); ++fold) {
    const auto loss_without = [&](const CombinerRow& at) {
      return loss_at(at, fold);
    };
    by_fold.push_back(minimize(b, loss_without, kSteps));
    if (is_deaf) by_fold.back()[kFew] = 0;
  }
  if (by_fold.size() < 2) by_fold = {b};

  // What few documents teach may be worse for others than nothing.
  FittedCombiner fitted = confident(single_label, b, by_fold, pairs);
  const FittedCombiner plain = confident(single_label, from, {from}, pairs);
  if (!(fitted.log_loss < plain.log_loss)) fitted = plain;
  fitted.log_loss *= per;
  return fitted;
}

/// Later documents are a little less like those that there are than these are like each other: by
/// leave-one-out, a softmax is too sure of them. The figure is from collections with a test part.
FittedCombiner for_later(FittedCombiner fitted) {
  constexpr double kSharpness = 0.95;
  if (!fitted.combiner.single_label) return fitted;

  fitted.combiner = sharpened(fitted.combiner, kSharpness);
  for (Combiner& own : fitted.without_fold) own = sharpened(own, kSharpness);
  return fitted;
}

}  // namespace

Combiner share_combiner(bool single_label, bool hears_few) {
  return combiner_of(single_label, untold(hears_few));
}

FittedCombiner fit_shares(const TrueLabels& truth, const Shortlists& lists, bool hears_few,
                          std::size_t threads) {
  const bool single_label = truth.single_label();
  const Pairs pairs(single_label, truth, lists, threads);
  const CombinerRow b = untold(hears_few);
  FittedCombiner fitted = confident(single_label, b, {b}, pairs);
  fitted.log_loss *= weight_of_pair(pairs);
  return for_later(std::move(fitted));
}

FittedCombiner fit_combiner(const TrueLabels& truth, const Shortlists& lists, bool hears_few,
                            std::size_t threads) {
  const bool single_label = truth.single_label();
  const double ridge = single_label ? 1e-5 : 1e-6;
  const Pairs pairs(single_label, truth, lists, threads);
  return for_later(fit_from(single_label, untold(hears_few), ridge, pairs, truth.folds));
}

FittedCombiner fit_further(const Combiner& known, const TrueLabels& truth, const Shortlists& lists,
                           std::size_t threads) {
  const Pairs pairs(known.single_label, truth, lists, threads);
  return fit_from(known.single_label, known.row(), kKnownPairs * weight_of_pair(pairs), pairs,
                  truth.folds);
}

std::vector<float> combined_scores(std::span<const Combiner> combiners, const Shortlists& lists,
                                   const TrueLabels& truth, std::size_t threads) {
  std::vector<float> scores(lists.labels.size());
  for_each_chunk(truth.documents, kDocumentsAtOnce, threads, [&](std::size_t begin, auto end) {
    std::vector<double> probabilities;
    for (std::size_t d = begin; d < end; ++d) {
      const Combiner& combiner = combiners[combiners.size() == 1 ? 0 : truth.fold[d]];
      probabilities.resize(lists.labels_of(d).size());
      combiner.combine(lists.features_of(d), probabilities);

      std::ranges::transform(probabilities, lists.of(d, std::span(scores)).begin(),
                             [](double probability) {
                               return static_cast<float>(probability);
                             });
    }
  });
  return scores;
}

}  // namespace kindred
