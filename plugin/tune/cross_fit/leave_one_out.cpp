#include "plugin/tune/cross_fit/leave_one_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "gpu/knn/vote.h"
#include "gpu/workers.h"
#include "plugin/tune/learning/correction_fit.h"
#include "plugin/tune/learning/linear_fit.h"
#include "plugin/tune/learning/weighed_rows.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/linear_votes.h"
#include "plugin/votes/weights/supervised_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kBatch = 1000;         // rows searched for at a time
constexpr std::size_t kComparedAtOnce = 64;  // rows that one thread compares with labels
constexpr std::size_t kLearnNeighbors = 30;
constexpr double kLambda = 20;  // never far from the best of 5, 20 and 80: docs/quality.md
constexpr int kLearnSteps = 10;
constexpr std::size_t kManyRepeated = 2;  // one row in so many

/// Shuffles by Fisher and Yates, the same on every platform.
void shuffle(std::vector<std::uint32_t>& rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = rows.size(); left > 1; --left)
    std::swap(rows[left - 1], rows[random() % left]);
}

}  // namespace

std::vector<std::uint32_t> drawn(std::vector<std::uint32_t> rows, std::size_t most,
                                 std::uint64_t seed) {
  if (rows.size() <= most) return rows;
  shuffle(rows, seed);
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

FoldedRows deal_rows(const RowSet& voters, std::size_t folds, std::uint64_t seed,
                     std::size_t sample) {
  FoldedRows dealt;
  dealt.voters = voters;
  dealt.voting.assign(folds, voters);
  dealt.without.assign(folds, voters);
  std::vector<std::uint32_t> rows = voters.to_vector();
  shuffle(rows, seed);
  std::vector<std::uint8_t> fold(voters.rows(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t f = i % folds;
    fold[rows[i]] = static_cast<std::uint8_t>(f);
    dealt.without[f].reset(rows[i]);
  }
  if (sample > 0 && sample < rows.size()) rows.resize(sample);
  std::sort(rows.begin(), rows.end());
  for (const std::uint32_t row : rows) dealt.fold.push_back(fold[row]);
  dealt.rows = std::move(rows);
  return dealt;
}

void keep_apart(std::span<const Companions> companions, FoldedRows& rows) {
  const auto repeated = std::ranges::count(companions, true, &Companions::is_repeated);
  const bool many =
      repeated > 0 && static_cast<std::size_t>(repeated) * kManyRepeated >= companions.size();
  if (many) {
    rows.voting_on_repeated = rows.voting;
    for (const Companions& own : companions) rows.is_repeated.push_back(own.is_repeated);
  }
  for (std::size_t i = 0; i < companions.size(); ++i) {
    if (many && companions[i].is_repeated) continue;
    for (const std::uint32_t row : companions[i].rows) {
      rows.voting[rows.fold[i]].reset(row);
      rows.without[rows.fold[i]].reset(row);
    }
  }
}

void keep_groups_apart(std::span<const std::vector<std::uint32_t>> groups, FoldedRows& rows) {
  for (const std::vector<std::uint32_t>& group : groups) {
    std::set<std::uint8_t> folds;  // in which one of them is classified
    for (const std::uint32_t row : group) {
      const auto place = std::ranges::lower_bound(rows.rows, row);
      if (place != rows.rows.end() && *place == row)
        folds.insert(rows.fold[static_cast<std::size_t>(place - rows.rows.begin())]);
    }
    for (const std::uint8_t fold : folds) {
      for (const std::uint32_t row : group) {
        rows.voting[fold].reset(row);
        rows.without[fold].reset(row);
        if (!rows.voting_on_repeated.empty()) rows.voting_on_repeated[fold].reset(row);
      }
    }
  }
}

FoldedRows deal_latest(const RowSet& voters, double share, std::uint64_t seed, std::size_t sample) {
  const std::vector<std::uint32_t> rows = voters.to_vector();
  const auto later = static_cast<std::size_t>(share * static_cast<double>(rows.size()));
  const std::size_t earlier = rows.size() - later;
  FoldedRows dealt;
  dealt.voters = voters;
  for (std::size_t i = earlier; i < rows.size(); ++i) dealt.voters.reset(rows[i]);
  dealt.voting = dealt.without = {dealt.voters};
  dealt.known_rows = later > 0 ? rows[earlier] : static_cast<std::uint32_t>(voters.rows());
  dealt.rows = drawn({rows.begin() + static_cast<std::ptrdiff_t>(earlier), rows.end()},
                     sample > 0 ? sample : later, seed);
  dealt.fold.assign(dealt.rows.size(), 0);
  return dealt;
}

CrossFit::CrossFit(const Snapshot& snapshot, const FoldedRows& rows, CrossFitOptions options,
                   Tick tick)
    : snapshot_(snapshot),
      mirror_(snapshot.mirror()),
      rows_(rows),
      options_(std::move(options)),
      tick_(std::move(tick)),
      threads_(number_of_threads(options_.threads)),
      counts_(options_.counts != nullptr
                  ? options_.counts
                  : std::make_shared<const CountsInOrders>(mirror_.counts.view())) {}

TermWeighting CrossFit::weighting(std::vector<double> weights) const {
  TermWeighting result;
  result.tf = snapshot_.weighting().tf;
  result.idf = std::move(weights);
  return result;
}

void CrossFit::forget_unknown(std::vector<double>& weights) const {
  const Csr& postings = counts_->postings();
  for (std::uint32_t t = 0; t < weights.size(); ++t) {
    const std::uint64_t begin = postings.row_begin[t];
    const bool known =
        begin < postings.row_begin[t + 1] && postings.column[begin] < rows_.known_rows;
    if (!known) weights[t] = 0;
  }
}

FittedWeights CrossFit::fit(TermWeightKind kind, const RowSet& voters) const {
  FittedWeights fitted;
  fitted.weights = weights_of_kind(
      kind, options_.keep_terms, {counts_->postings().view(), mirror_.labels.view(), voters},
      mirror_.labels.names.size(), snapshot_.weighting().idf, threads_);
  forget_unknown(fitted.weights);
  if (kind == TermWeightKind::kLearned) {
    fitted.corrections = learn(weighting(fitted.weights), voters);
    for (std::size_t t = 0; t < fitted.weights.size(); ++t)
      fitted.weights[t] *= std::exp(fitted.corrections[t]);
  }
  for (double& weight : fitted.weights) weight = static_cast<float>(weight);
  return fitted;
}

std::vector<double> CrossFit::learn(const TermWeighting& base, const RowSet& voters) const {
  LearningNeighbors own;
  if (options_.learning == nullptr || options_.learning->documents.empty())
    own = {kCandidates, learning_documents(), learning_candidates(learning_documents())};
  const FrequentFirst& counts = counts_->frequent_first();
  const TermWeighting renumbered{counts.renumbered(base.idf), base.tf};
  const LearningPairs pairs =
      learning_pairs(counts.view(), renumbered, own.documents.empty() ? *options_.learning : own,
                     voters, kLearnNeighbors, threads_);
  const CorrectionExamples set{counts.view(),   mirror_.labels.view(), &renumbered,
                               pairs.documents, pairs.neighbors,       kLearnNeighbors};
  return counts.restored(fit_corrections(set, kLambda, kLearnSteps, threads_));
}

std::vector<std::uint32_t> CrossFit::learning_documents() const {
  return drawn(rows_.voters.to_vector(), options_.corrected_by, 0);
}

std::vector<Neighbor> CrossFit::learning_candidates(
    std::span<const std::uint32_t> documents) const {
  std::vector<Neighbor> found(documents.size() * kCandidates);
  search(snapshot_.weighting(), snapshot_.backend(), documents, rows_.voters, kCandidates, found);
  return found;
}

Queries CrossFit::weighed_left_out(std::span<const std::uint32_t> rows,
                                   const TermWeighting& weighting) const {
  return weighed_rows(rows, threads_, [&](std::uint32_t row, Queries& queries) {
    snapshot_.weigh_left_out(row, weighting, queries);
  });
}

void CrossFit::search(const TermWeighting& weighting, const Backend& backend,
                      std::span<const std::uint32_t> rows, const RowSet& voters, std::size_t k,
                      std::span<Neighbor> neighbors) const {
  for (std::size_t begin = 0; begin < rows.size(); begin += kBatch) {
    const auto batch = rows.subspan(begin, std::min(kBatch, rows.size() - begin));
    const Queries queries = weighed_left_out(batch, weighting);
    std::vector<Neighbor> found = backend.nearest(queries, k + 1, &voters);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto of = std::span(found).subspan(i * (k + 1), k + 1);
      const std::size_t kept = leave_out(of, batch[i], k);
      std::copy_n(of.begin(), kept,
                  neighbors.begin() + static_cast<std::ptrdiff_t>((begin + i) * k));
    }
    tick_(batch.size());
  }
}

LeaveOneOut CrossFit::run(TermWeightKind kind, std::size_t k) const {
  LeaveOneOut result = nothing_classified(k);
  for (std::size_t f = 0; f < folds(); ++f) {
    std::vector<float>& weights = result.weights[part_of(f)];
    if (weights.empty()) weights = learn_weights(kind, part_of(f));
    gather(f, classify(weights, k, f), result);
  }
  return result;
}

LeaveOneOut CrossFit::nothing_classified(std::size_t k) const {
  LeaveOneOut result;
  result.k = k;
  result.neighbors.resize(rows_.rows.size() * k);
  result.cosines.resize(rows_.rows.size() * mirror_.labels.names.size());
  result.profiles.resize(result.cosines.size());
  result.weights.resize(learning_parts());
  return result;
}

std::vector<std::size_t> CrossFit::places_of(std::size_t fold) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    if (rows_.fold[i] == fold) places.push_back(i);
  }
  std::ranges::stable_partition(places, [&](std::size_t place) { return !is_repeated(place); });
  return places;
}

ClassifiedFold CrossFit::classify(std::vector<float> weights, std::size_t k,
                                  std::size_t fold) const {
  ClassifiedFold result;
  const TermWeighting fitted = weighting({weights.begin(), weights.end()});
  result.weights = std::move(weights);
  std::vector<std::uint32_t> rows;
  std::size_t first_repeated = 0;
  for (const std::size_t place : places_of(fold)) {
    rows.push_back(rows_.rows[place]);
    if (!is_repeated(place)) first_repeated = rows.size();
  }
  const std::size_t labels = mirror_.labels.names.size();
  result.neighbors.resize(rows.size() * k);
  result.cosines.resize(rows.size() * labels);
  result.profiles.resize(rows.size() * labels);
  const auto backend = reweighted(snapshot_.backend(), mirror_, fitted);
  const auto classify_some = [&](std::size_t begin, std::size_t end, const RowSet& voters) {
    const auto of = [&](auto& values, std::size_t size) {
      return std::span(values).subspan(begin * size, (end - begin) * size);
    };
    search(fitted, *backend, of(rows, 1), voters, k, of(result.neighbors, k));
    compare(fitted, voters, of(rows, 1), of(result.cosines, labels), of(result.profiles, labels));
  };
  if (first_repeated > 0) classify_some(0, first_repeated, rows_.voting[fold]);
  if (first_repeated < rows.size())
    classify_some(first_repeated, rows.size(), rows_.voting_on_repeated[fold]);
  return result;
}

LeaveOneOut CrossFit::part(std::size_t fold, const LeaveOneOut& gathered) const {
  const std::size_t labels = mirror_.labels.names.size();
  LeaveOneOut result;
  result.k = gathered.k;
  const auto take_row = [](const auto& from, std::size_t row, std::size_t size, auto& to) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * size);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  for (const std::size_t place : places_of(fold)) {
    take_row(gathered.neighbors, place, result.k, result.neighbors);
    take_row(gathered.cosines, place, labels, result.cosines);
    take_row(gathered.profiles, place, labels, result.profiles);
  }
  return result;
}

FoldedRows CrossFit::rows_of(std::size_t fold) const {
  FoldedRows result;
  for (const std::size_t place : places_of(fold)) result.rows.push_back(rows_.rows[place]);
  result.fold.assign(result.rows.size(), 0);
  result.voters = rows_.voters;
  result.voting = {rows_.voting[fold]};
  result.without = {rows_.without[fold]};
  result.known_rows = rows_.known_rows;
  return result;
}

void CrossFit::gather(std::size_t fold, ClassifiedFold classified, LeaveOneOut& result) const {
  const std::size_t labels = mirror_.labels.names.size();
  const auto copy_row = [](const auto& from, std::size_t row, auto& to, std::size_t place,
                           std::size_t size) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(row * size), size,
                to.begin() + static_cast<std::ptrdiff_t>(place * size));
  };
  std::size_t i = 0;
  for (const std::size_t place : places_of(fold)) {
    copy_row(classified.neighbors, i, result.neighbors, place, result.k);
    copy_row(classified.cosines, i, result.cosines, place, labels);
    copy_row(classified.profiles, i, result.profiles, place, labels);
    ++i;
  }
  result.weights[part_of(fold)] = std::move(classified.weights);
}

void CrossFit::compare(const TermWeighting& weighting, const RowSet& voters,
                       std::span<const std::uint32_t> rows, std::span<float> cosines,
                       std::span<float> profiles) const {
  const std::uint32_t labels = mirror_.labels.names.size();
  const ClassSums sums(mirror_.counts, {counts_->postings().view(), mirror_.labels.view(), voters},
                       weighting, labels, threads_);
  const auto compare_rows = [&](std::size_t begin, std::size_t end) {
    std::vector<double> own_cosines(labels), own_profiles(labels);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = rows[i];
      Queries vectors;
      snapshot_.weigh_left_out(row, weighting, vectors);
      snapshot_.weigh_row(row, weighting, vectors);
      const SparseVector query{vectors.terms(0), vectors.weights(0)};
      const LeftOut left_out{{vectors.terms(1), vectors.weights(1)}, mirror_.labels.of(row)};
      sums.compare(query, voters.has(row) ? &left_out : nullptr, own_cosines, own_profiles);
      std::ranges::copy(own_cosines, cosines.subspan(i * labels).begin());
      std::ranges::copy(own_profiles, profiles.subspan(i * labels).begin());
    }
  };
  for_each_chunk(rows.size(), kComparedAtOnce, threads_, compare_rows);
}

std::shared_ptr<const LinearClassifiers> CrossFit::learn_linear(const std::vector<double>& weights,
                                                                const RowSet& voters) const {
  const StringTable& vocabulary = mirror_.vocabulary;
  const TermWeighting by_weights = weighting(weights);
  const LearningSet set =
      learning_set(mirror_.docids.back(), rows_.voters.count(), options_.linear_documents);
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

std::size_t CrossFit::learning_parts() const {
  return rows_.rows.size() * 2 > rows_.voters.count() ? folds() : 1;
}

std::vector<std::size_t> CrossFit::places_of_part(std::size_t part) const {
  return learning_parts() == folds() ? places_of(part) : all_places();
}

RowSet CrossFit::learning_voters(std::size_t part) const {
  if (learning_parts() == folds()) return rows_.without[part];
  RowSet others = rows_.voters;
  for (const RowSet& voting : rows_.voting) others &= voting;
  for (const std::uint32_t row : rows_.rows) others.reset(row);
  return others;
}

std::vector<float> CrossFit::learn_weights(TermWeightKind kind, std::size_t part) const {
  const std::vector<double> weights = fit(kind, learning_voters(part)).weights;
  return {weights.begin(), weights.end()};
}

std::vector<float> CrossFit::compare_linear(const LeaveOneOut& known, std::size_t part) const {
  const std::vector<double> weights(known.weights[part].begin(), known.weights[part].end());
  const LinearVotes linear(learn_linear(weights, learning_voters(part)), mirror_.vocabulary,
                           mirror_.labels.names);
  return compare_linear(weighting(weights), linear, places_of_part(part));
}

void CrossFit::gather_linear(std::size_t part, std::span<const float> compared,
                             std::vector<float>& values) const {
  const std::size_t labels = mirror_.labels.names.size();
  values.resize(rows_.rows.size() * labels);
  for (const std::size_t place : places_of_part(part)) {
    std::copy_n(compared.begin(), labels,
                values.begin() + static_cast<std::ptrdiff_t>(place * labels));
    compared = compared.subspan(labels);
  }
}

std::vector<float> CrossFit::run_linear(const LeaveOneOut& known) const {
  std::vector<float> values;
  for (std::size_t part = 0; part < learning_parts(); ++part)
    gather_linear(part, compare_linear(known, part), values);
  return values;
}

LeftOutGrowth CrossFit::growth(const std::vector<double>& weights, const LinearVotes& learned,
                               std::span<const float> left_out) const {
  const std::uint32_t labels = mirror_.labels.names.size();
  const std::vector<float> values = compare_linear(weighting(weights), learned, all_places());
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

std::vector<std::size_t> CrossFit::all_places() const {
  std::vector<std::size_t> places(rows_.rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

std::vector<float> CrossFit::compare_linear(const TermWeighting& weighting,
                                            const LinearVotes& linear,
                                            std::span<const std::size_t> places) const {
  const std::uint32_t labels = mirror_.labels.names.size();
  std::vector<float> values(places.size() * labels);
  const auto compare_rows = [&](std::size_t begin, std::size_t end) {
    std::vector<double> own(labels);
    for (std::size_t i = begin; i < end; ++i) {
      Queries vector;
      snapshot_.weigh_left_out(rows_.rows[places[i]], weighting, vector);
      linear.compare({vector.terms(0), vector.weights(0)}, own);
      std::transform(own.begin(), own.end(),
                     values.begin() + static_cast<std::ptrdiff_t>(i * labels),
                     [](double value) { return static_cast<float>(value); });
    }
  };
  for_each_chunk(places.size(), kComparedAtOnce, threads_, compare_rows);
  return values;
}

}  // namespace kindred
