#include "plugin/tune/cross_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "gpu/knn/vote.h"
#include "plugin/tune/correction_fit.h"
#include "plugin/tune/linear_fit.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/label_weights.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr std::size_t kBatch = 1000;         // rows searched for at a time
constexpr std::size_t kComparedAtOnce = 64;  // rows that one thread compares with labels
constexpr std::size_t kLearningNeighbors = 30;
constexpr double kLambda = 40;
constexpr int kLearningSteps = 10;

}  // namespace

CrossFit::CrossFit(const Snapshot& snapshot, std::size_t learning_documents, bool linear, Tick tick)
    : snapshot_(snapshot),
      mirror_(snapshot.mirror()),
      learning_documents_(learning_documents),
      linear_(linear),
      tick_(std::move(tick)),
      threads_(snapshot.voting().threads()),
      postings_(transpose(mirror_.counts)) {}

Taught CrossFit::learn(const RowSet& teaching, bool known_only) const {
  const LabelInformation information = label_information(
      {postings_.view(), mirror_.labels.view(), teaching}, mirror_.labels.names.size(), threads_);
  const TermWeighting& plain = snapshot_.weighting();
  Taught taught{{label_weights(plain.idf, information), plain.tf}};
  std::vector<double>& weights = taught.weighting.idf;
  for (std::size_t t = 0; known_only && t < weights.size(); ++t)
    if (information.voters[t] == 0) weights[t] = 0;
  const std::vector<double> theta = corrections(taught.weighting, teaching);
  for (std::size_t t = 0; t < weights.size(); ++t)
    weights[t] = static_cast<float>(weights[t] * std::exp(theta[t]));
  if (linear_) taught.classifiers = learn_linear(taught.weighting, teaching);
  return taught;
}

std::vector<double> CrossFit::corrections(const TermWeighting& base, const RowSet& voters) const {
  const std::vector<std::uint32_t> documents = drawn(voters.to_vector(), learning_documents_, 0);
  const auto backend = snapshot_.backend().refreshed(mirror_.counts.list(), base);
  const std::vector<Neighbor> neighbors =
      nearest(base, *backend, documents, voters, kLearningNeighbors);
  const Csr matrix = mirror_.counts.matrix();
  return fit_corrections(
      {matrix.view(), mirror_.labels.view(), &base, documents, neighbors, kLearningNeighbors},
      kLambda, kLearningSteps, threads_);
}

Queries CrossFit::weighed_left_out(std::span<const std::uint32_t> rows,
                                   const TermWeighting& weighting) const {
  return weighed_rows(rows, threads_, [&](std::uint32_t row, Queries& queries) {
    snapshot_.weigh_left_out(row, weighting, queries);
  });
}

std::vector<Neighbor> CrossFit::nearest(const TermWeighting& weighting, const Backend& backend,
                                        std::span<const std::uint32_t> rows, const RowSet& voters,
                                        std::size_t k) const {
  std::vector<Neighbor> neighbors(rows.size() * k);
  for (std::size_t begin = 0; begin < rows.size(); begin += kBatch) {
    const auto batch = rows.subspan(begin, std::min(kBatch, rows.size() - begin));
    std::vector<Neighbor> found =  // each row finds itself, too
        backend.nearest(weighed_left_out(batch, weighting), k + 1, &voters);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto of_row = std::span(found).subspan(i * (k + 1), k + 1);
      const std::size_t kept = leave_out(of_row, batch[i], k);
      std::copy_n(of_row.begin(), kept,
                  neighbors.begin() + static_cast<std::ptrdiff_t>((begin + i) * k));
    }
    tick_(batch.size());
  }
  return neighbors;
}

std::shared_ptr<LinearClassifiers> CrossFit::learn_linear(const TermWeighting& weighting,
                                                          const RowSet& voters) const {
  const LearningSet set = learning_set(mirror_.docids.back(), voters.count(), learning_documents_);
  LinearExamples examples{{}, {}, mirror_.labels.view()};
  voters.for_each([&](std::uint32_t row) {
    if (set.has(mirror_.docids[row])) examples.rows.push_back(row);
  });
  std::ranges::sort(examples.rows, {}, [&](std::uint32_t row) {  // an order of chance
    return LearningSet::hash_of(mirror_.docids[row]);
  });
  examples.vectors = weighed_left_out(examples.rows, weighting);
  const StringTable& vocabulary = mirror_.vocabulary;
  LinearClassifiers parts =
      fit_linear(examples, vocabulary.size(), mirror_.labels.names.size(), threads_);
  const std::vector<std::uint64_t> begin = std::exchange(parts.begin, {0});
  for (std::uint32_t term = 0; term < vocabulary.size(); ++term) {
    if (begin[term] == begin[term + std::size_t{1}]) continue;
    parts.terms.push_back(vocabulary[term]);
    parts.begin.push_back(begin[term + std::size_t{1}]);
  }
  parts.labels = mirror_.labels.names;
  parts.learned_from = set;
  tick_(examples.rows.size());
  return std::make_shared<LinearClassifiers>(std::move(parts));
}

std::vector<float> CrossFit::features_of(std::span<const Part> parts) const {
  std::vector<float> features;
  Taught taught;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 0 || parts[i].teaching != parts[i - 1].teaching)
      taught = learn(parts[i].teaching, parts[i].is_later);
    const std::size_t begin = features.size();
    features.resize(begin + parts[i].rows.size() * labels() * kLabelFeatures);
    classify(parts[i], taught, std::span(features).subspan(begin));
  }
  return features;
}

void CrossFit::classify(const Part& part, const Taught& taught, std::span<float> features) const {
  const TermWeighting& weighting = taught.weighting;
  const auto backend = snapshot_.backend().refreshed(mirror_.counts.list(), weighting);
  const std::vector<Neighbor> neighbors =
      nearest(weighting, *backend, part.rows, part.voting, kBlendNeighbors);
  const ClassSums sums(mirror_.counts, {postings_.view(), mirror_.labels.view(), part.voting},
                       weighting, mirror_.labels.names.size(), threads_);
  std::optional<LinearVotes> linear;
  if (linear_) linear.emplace(taught.classifiers, mirror_.vocabulary, mirror_.labels.names);
  const auto compare_rows = [&](std::size_t begin, std::size_t end) {
    std::vector<double> cosines(labels()), profiles(labels()), values(linear ? labels() : 0);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = part.rows[i];
      Queries vectors;
      snapshot_.weigh_left_out(row, weighting, vectors);
      snapshot_.weigh_row(row, weighting, vectors);
      const SparseVector query{vectors.terms(0), vectors.weights(0)};
      const LeftOut left_out{{vectors.terms(1), vectors.weights(1)}, mirror_.labels.of(row)};
      sums.compare(query, part.voting.has(row) ? &left_out : nullptr, cosines, profiles);
      if (linear) linear->compare(query, values);
      fill_features(std::span(neighbors).subspan(i * kBlendNeighbors, kBlendNeighbors),
                    mirror_.labels.view(), cosines, profiles, values,
                    features.subspan(i * labels() * kLabelFeatures, labels() * kLabelFeatures));
    }
  };
  for_each_chunk(part.rows.size(), kComparedAtOnce, threads_, compare_rows);
}

LeftOutGrowth CrossFit::growth(const Taught& taught, std::span<const Part> parts,
                               std::span<const float> features) const {
  std::vector<std::uint32_t> rows;
  for (const Part& part : parts) rows.insert(rows.end(), part.rows.begin(), part.rows.end());
  const Queries vectors = weighed_left_out(rows, taught.weighting);
  const LinearVotes linear(taught.classifiers, mirror_.vocabulary, mirror_.labels.names);
  std::array<double, 2> products{}, squares{};  // for the labels of a document, and for the others
  std::vector<double> learned(labels());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!linear.learned_from(mirror_.docids[rows[i]])) continue;
    linear.compare({vectors.terms(i), vectors.weights(i)}, learned);
    for (std::uint32_t label = 0; label < labels(); ++label) {
      const bool is_own = std::ranges::binary_search(mirror_.labels.of(rows[i]), label);
      const double y = is_own ? 1 : -1, missing = 1 - y * learned[label];
      const float left_out = features[(i * labels() + label) * kLabelFeatures + kLinear];
      if (missing <= 0) continue;
      products[is_own ? 0 : 1] += missing * (1 - y * left_out);
      squares[is_own ? 0 : 1] += missing * missing;
    }
  }
  const auto ratio = [&](std::size_t i) {
    const double growth = squares[i] > 0 ? products[i] / squares[i] : 1;
    return std::round(std::clamp(growth, 0.0, LinearClassifiers::kMostGrowth) /
                      LinearClassifiers::kUnit) *
           LinearClassifiers::kUnit;
  };
  return {ratio(0), ratio(1)};
}

}  // namespace kindred
