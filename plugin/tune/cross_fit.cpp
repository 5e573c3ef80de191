#include "plugin/tune/cross_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "gpu/knn/vote.h"
#include "gpu/workers.h"
#include "plugin/tune/correction_fit.h"
#include "plugin/tune/linear_fit.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/weights/label_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kBatch = 1000;         // rows searched for at a time
constexpr std::size_t kComparedAtOnce = 64;  // rows that one thread compares with labels
constexpr std::size_t kLearningNeighbors = 30;
constexpr double kLambda = 40;
constexpr int kLearningSteps = 10;

}  // namespace

CrossFit::CrossFit(const Snapshot& snapshot, const FoldedRows& rows, CrossFitOptions options,
                   Tick tick, std::shared_ptr<const Csr> postings)
    : snapshot_(snapshot),
      mirror_(snapshot.mirror()),
      rows_(rows),
      options_(options),
      tick_(std::move(tick)),
      threads_(number_of_threads(options_.threads)),
      postings_(postings != nullptr ? std::move(postings)
                                    : std::make_shared<const Csr>(transpose(mirror_.counts))) {}

TermWeighting CrossFit::weighting(const std::vector<double>& weights) const {
  TermWeighting result;
  result.tf = snapshot_.weighting().tf;
  result.idf = weights;
  return result;
}

std::vector<double> CrossFit::fit(const RowSet& voters) const {
  const std::uint32_t labels = mirror_.labels.names.size();
  const Voters teaching{postings_->view(), mirror_.labels.view(), voters};
  std::vector<double> weights =
      label_weights(snapshot_.weighting().idf, label_information(teaching, labels, threads_));
  for (std::uint32_t t = 0; t < weights.size(); ++t) {
    const std::uint64_t begin = postings_->row_begin[t];
    const bool known =
        begin < postings_->row_begin[t + 1] && postings_->column[begin] < rows_.known_rows;
    if (!known) weights[t] = 0;
  }
  const std::vector<double> corrections = learn_corrections(weighting(weights), voters);
  for (std::size_t t = 0; t < weights.size(); ++t)
    weights[t] = static_cast<float>(weights[t] * std::exp(corrections[t]));
  return weights;
}

std::vector<double> CrossFit::learn_corrections(const TermWeighting& base,
                                                const RowSet& voters) const {
  const std::vector<std::uint32_t> documents =
      drawn(voters.to_vector(), options_.learning_documents, 0);
  const auto backend = reweighted(snapshot_.backend(), mirror_, base);
  const std::vector<Neighbor> neighbors =
      nearest(base, *backend, documents, voters, kLearningNeighbors);
  const Csr matrix = mirror_.counts.matrix();
  const FrequentFirst counts(matrix.view());
  const TermWeighting renumbered{counts.renumbered(base.idf), base.tf};
  return counts.restored(fit_corrections(
      {counts.view(), mirror_.labels.view(), &renumbered, documents, neighbors, kLearningNeighbors},
      kLambda, kLearningSteps, threads_));
}

std::size_t CrossFit::learning_parts() const {
  return rows_.rows.size() * 2 > rows_.voters.count() ? folds() : 1;
}

RowSet CrossFit::learning_voters(std::size_t part) const {
  if (learning_parts() == folds()) return rows_.without[part];
  RowSet others = rows_.voters;
  for (const RowSet& voting : rows_.voting) others &= voting;
  for (const std::uint32_t row : rows_.rows) others.reset(row);
  return others;
}

std::vector<std::size_t> CrossFit::places_of(std::size_t fold, bool repeated) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    const bool is_repeated = !rows_.is_repeated.empty() && rows_.is_repeated[i];
    if (rows_.fold[i] == fold && is_repeated == repeated) places.push_back(i);
  }
  return places;
}

std::vector<std::size_t> CrossFit::places_of_part(std::size_t part) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    if (part_of(rows_.fold[i]) == part) places.push_back(i);
  }
  return places;
}

Queries CrossFit::weighed_left_out(std::span<const std::uint32_t> rows,
                                   const TermWeighting& weighting) const {
  return weighed_rows(rows, threads_, [&](std::uint32_t row, Queries& queries) {
    snapshot_.weigh_left_out(row, weighting, queries);
  });
}

LeaveOneOut CrossFit::run() const {
  LeaveOneOut result;
  result.neighbors.resize(rows_.rows.size() * kBlendNeighbors);
  result.cosines.resize(rows_.rows.size() * mirror_.labels.names.size());
  result.profiles.resize(result.cosines.size());
  for (std::size_t part = 0; part < learning_parts(); ++part)
    result.weights.push_back(fit(learning_voters(part)));
  for (std::size_t fold = 0; fold < folds(); ++fold) {
    const TermWeighting fitted = weighting(result.weights[part_of(fold)]);
    const auto backend = reweighted(snapshot_.backend(), mirror_, fitted);
    classify(fitted, *backend, places_of(fold, false), rows_.voting[fold], result);
    if (!rows_.voting_on_repeated.empty())
      classify(fitted, *backend, places_of(fold, true), rows_.voting_on_repeated[fold], result);
  }
  return result;
}

void CrossFit::classify(const TermWeighting& weighting, const Backend& backend,
                        std::span<const std::size_t> places, const RowSet& voters,
                        LeaveOneOut& result) const {
  if (places.empty()) return;
  std::vector<std::uint32_t> rows;
  for (const std::size_t place : places) rows.push_back(rows_.rows[place]);
  const std::vector<Neighbor> found = nearest(weighting, backend, rows, voters, kBlendNeighbors);
  for (std::size_t i = 0; i < places.size(); ++i)
    std::ranges::copy(std::span(found).subspan(i * kBlendNeighbors, kBlendNeighbors),
                      std::span(result.neighbors).subspan(places[i] * kBlendNeighbors).begin());
  compare(weighting, places, voters, result);
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

void CrossFit::compare(const TermWeighting& weighting, std::span<const std::size_t> places,
                       const RowSet& voters, LeaveOneOut& result) const {
  const std::uint32_t labels = mirror_.labels.names.size();
  const ClassSums sums(mirror_.counts, {postings_->view(), mirror_.labels.view(), voters},
                       weighting, labels, threads_);
  const auto compare_rows = [&](std::size_t begin, std::size_t end) {
    std::vector<double> cosines(labels), profiles(labels);
    for (const std::size_t place : places.subspan(begin, end - begin)) {
      const std::uint32_t row = rows_.rows[place];
      Queries vectors;
      snapshot_.weigh_left_out(row, weighting, vectors);
      snapshot_.weigh_row(row, weighting, vectors);
      const SparseVector query{vectors.terms(0), vectors.weights(0)};
      const LeftOut left_out{{vectors.terms(1), vectors.weights(1)}, mirror_.labels.of(row)};
      sums.compare(query, voters.has(row) ? &left_out : nullptr, cosines, profiles);
      std::ranges::copy(cosines, std::span(result.cosines).subspan(place * labels).begin());
      std::ranges::copy(profiles, std::span(result.profiles).subspan(place * labels).begin());
    }
  };
  for_each_chunk(places.size(), kComparedAtOnce, threads_, compare_rows);
}

std::shared_ptr<const LinearClassifiers> CrossFit::learn_linear(const std::vector<double>& weights,
                                                                const RowSet& voters) const {
  const StringTable& vocabulary = mirror_.vocabulary;
  const TermWeighting by_weights = weighting(weights);
  const LearningSet set =
      learning_set(mirror_.docids.back(), rows_.voters.count(), options_.learning_documents);
  LinearExamples examples;
  examples.labels = mirror_.labels.view();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> drawn;  // by hash: an order of chance
  voters.for_each([&](std::uint32_t row) {
    const Xapian::docid docid = mirror_.docids[row];
    if (set.has(docid)) drawn.emplace_back(LearningSet::hash_of(docid), row);
  });
  std::sort(drawn.begin(), drawn.end());
  for (const auto& [hash, row] : drawn) examples.rows.push_back(row);
  const Queries vectors = weighed_left_out(examples.rows, by_weights);
  for (std::size_t d = 0; d < vectors.rows(); ++d) {
    const auto terms = vectors.terms(d);
    examples.term.insert(examples.term.end(), terms.begin(), terms.end());
    for (const double weight : vectors.weights(d))
      examples.weight.push_back(static_cast<float>(weight));
    examples.begin.push_back(examples.term.size());
  }
  LinearClassifiers::Parts parts =
      fit_linear(examples, vocabulary.size(), mirror_.labels.names.size(), threads_);
  std::vector<std::uint64_t> begin{0};
  for (std::uint32_t term = 0; term < vocabulary.size(); ++term) {
    if (parts.begin[term] == parts.begin[term + std::size_t{1}]) continue;
    parts.terms.push_back(vocabulary[term]);
    begin.push_back(parts.begin[term + std::size_t{1}]);
  }
  parts.begin = std::move(begin);
  for (std::uint32_t label = 0; label < mirror_.labels.names.size(); ++label)
    parts.labels.push_back(mirror_.labels.names[label]);
  parts.labels.index();
  parts.learned_from = set;
  tick_(examples.documents());
  return std::make_shared<const LinearClassifiers>(std::move(parts));
}

std::vector<float> CrossFit::run_linear(const LeaveOneOut& known) const {
  std::vector<float> values(rows_.rows.size() * mirror_.labels.names.size());
  for (std::size_t part = 0; part < learning_parts(); ++part) {
    const LinearVotes linear(learn_linear(known.weights[part], learning_voters(part)),
                             mirror_.vocabulary, mirror_.labels.names);
    compare_linear(weighting(known.weights[part]), linear, places_of_part(part), values);
  }
  return values;
}

void CrossFit::compare_linear(const TermWeighting& weighting, const LinearVotes& linear,
                              std::span<const std::size_t> places, std::span<float> values) const {
  const std::uint32_t labels = mirror_.labels.names.size();
  const auto compare_rows = [&](std::size_t begin, std::size_t end) {
    std::vector<double> own(labels);
    for (const std::size_t place : places.subspan(begin, end - begin)) {
      Queries vector;
      snapshot_.weigh_left_out(rows_.rows[place], weighting, vector);
      linear.compare({vector.terms(0), vector.weights(0)}, own);
      std::ranges::transform(own, values.subspan(place * labels).begin(),
                             [](double value) { return static_cast<float>(value); });
    }
  };
  for_each_chunk(places.size(), kComparedAtOnce, threads_, compare_rows);
}

LeftOutGrowth CrossFit::growth(const std::vector<double>& weights, const LinearVotes& learned,
                               std::span<const float> left_out) const {
  const std::uint32_t labels = mirror_.labels.names.size();
  std::vector<std::size_t> places(rows_.rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<float> values(places.size() * labels);
  compare_linear(weighting(weights), learned, places, values);
  std::array<double, 2> products{}, squares{};  // for the labels of a document, and for the others
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    if (!learned.learned_from(mirror_.docids[rows_.rows[i]])) continue;
    const auto own = mirror_.labels.of(rows_.rows[i]);
    for (std::uint32_t label = 0; label < labels; ++label) {
      const bool is_own = std::ranges::binary_search(own, label);
      const double y = is_own ? 1 : -1, missing = 1 - y * values[i * labels + label];
      if (missing <= 0) continue;
      products[is_own ? 0 : 1] += missing * (1 - y * left_out[i * labels + label]);
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
