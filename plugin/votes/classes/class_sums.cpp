#include "plugin/votes/classes/class_sums.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::uint32_t kTermsSummedAtOnce = 512;
constexpr std::uint32_t kDocumentsAtOnce = 8192;
constexpr std::size_t kChangedAtOnce = 512;  // terms, which lie in a delta
constexpr std::size_t kFewParts = 4096;      // sorted by comparing them

double length_of(const RowEntries& row, const TermWeighting& weighting) {
  return euclidean_length(row.size(), [&](std::size_t i) {
    return weighting.tf[row.counts[i]] * weighting.idf[row.columns[i]];
  });
}

/// |d| of the voter at each place; 0 where there is none.
std::vector<double> lengths_of(const Voters& voters, const TermWeighting& weighting,
                               std::size_t threads) {
  std::vector<double> lengths(voters.mirror().places(), 0);
  const auto measure = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t place = begin; place < end; ++place)
      if (voters.votes(place)) lengths[place] = length_of(voters.mirror()[place], weighting);
  };
  for_each_chunk(voters.mirror().places(), kDocumentsAtOnce, threads, measure);
  return lengths;
}

/// A document that votes: its terms and its labels, ascending. Borrowed.
struct VotingDocument {
  std::uint32_t number;
  RowEntries terms;
  std::span<const std::uint32_t> labels;
};

bool votes_alike(const VotingDocument& a, const VotingDocument& b) {
  return std::ranges::equal(a.terms.columns, b.terms.columns) &&
         std::ranges::equal(a.terms.counts, b.terms.counts) &&
         std::ranges::equal(a.labels, b.labels);
}

/// Of a segment's rows, those that are in a set of documents.
RowSet rows_in(const SegmentList::Part& part, const DocumentSet& documents) {
  RowSet rows;
  rows.append(documents.places(), part.first_place,
              std::size_t{part.first_place} + part.segment->counts.rows);
  return rows;
}

/// The voters, by their numbers, without those in a segment that both mirrors have, if they are
/// voters of the other one, too.
std::vector<VotingDocument> without_shared(const DocumentSet& voters, const DocumentSet& others) {
  const SegmentList& mirror = voters.mirror();
  std::vector<VotingDocument> result;
  for (const SegmentList::Part& part : mirror.parts()) {
    RowSet rows = rows_in(part, voters);
    const auto& known = others.mirror().parts();
    const auto same = std::ranges::find(known, part.segment, &SegmentList::Part::segment);
    if (same != known.end()) rows -= rows_in(*same, others);
    rows.for_each([&](std::uint32_t row) {
      const std::uint32_t place = part.first_place + row;
      const auto labels = mirror.labels_at(place);
      if (!labels.empty()) result.push_back({part.segment->number(row), mirror[place], labels});
    });
  }
  std::ranges::sort(result, {}, &VotingDocument::number);
  return result;
}

/// Takes away those that both have alike. Numbers ascend in both.
void leave_out_equal(std::vector<VotingDocument>& some, std::vector<VotingDocument>& others) {
  const auto is_among = [](const std::vector<VotingDocument>& all) {
    return [&all](const VotingDocument& each) {
      const auto same = std::ranges::lower_bound(all, each.number, {}, &VotingDocument::number);
      return same != all.end() && same->number == each.number && votes_alike(*same, each);
    };
  };
  const std::vector<VotingDocument> known = some;
  std::erase_if(some, is_among(others));
  std::erase_if(others, is_among(known));
}

/// By their terms, which are below `terms`.
void sort_parts(std::vector<TermPart>& parts, std::size_t terms) {
  if (parts.size() < kFewParts) {
    std::ranges::sort(parts, {}, &TermPart::term);
    return;
  }
  std::vector<std::uint32_t> next(terms + 1);
  for (const TermPart& part : parts) ++next[part.term + std::size_t{1}];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<TermPart> sorted(parts.size());
  for (const TermPart& part : parts) sorted[next[part.term]++] = part;
  parts = std::move(sorted);
}

}  // namespace

ClassSums::ClassSums(const Voters& voters, const TermWeighting& weighting,
                     std::uint32_t label_count, std::size_t threads)
    : documents_(label_count), square_(label_count), mass_(label_count) {
  const std::vector<double> lengths = lengths_of(voters, weighting, threads);
  const CsrView& postings = voters.postings;
  std::vector<OwnTermSums> sums(postings.rows);
  const auto add_up_terms = [&](std::uint32_t begin, std::uint32_t end) {
    TermAdder term_sums(label_count);
    for (std::uint32_t term = begin; term < end; ++term) {
      for (std::uint64_t i = postings.row_begin[term]; i < postings.row_begin[term + 1]; ++i) {
        const std::uint32_t place = postings.column[i];
        if (!(lengths[place] > 0)) continue;
        const double weight = weighting.tf[postings.count[i]] * weighting.idf[term];
        term_sums.add(fixed_point(weight / lengths[place], kSumUnit),
                      voters.mirror().labels_at(place));
      }
      sums[term] = term_sums.take();
    }
  };
  for_each_chunk(postings.rows, kTermsSummedAtOnce, threads, add_up_terms);
  auto matrix = std::make_shared<Matrix>();
  for (const OwnTermSums& term : sums) append(term, *matrix);
  matrix_ = std::move(matrix);
  for (std::uint32_t place = 0; place < lengths.size(); ++place) {
    if (!(lengths[place] > 0)) continue;
    for (const std::uint32_t label : voters.mirror().labels_at(place)) ++documents_[label];
  }
}

/// What a change of the voters does to terms.
class ClassSums::Changes {
 public:
  Changes(const TermWeighting& weighting, const ClassSums& before)
      : weighting_(weighting), before_(before) {}

  /// Adds the parts of a document. False if no term of it weighs anything.
  bool add(const VotingDocument& document, int sign) {
    const double length = length_of(document.terms, weighting_);
    if (!(length > 0)) return false;
    const auto number = static_cast<std::uint32_t>(labels_.size());
    labels_.push_back(document.labels);
    for (std::size_t i = 0; i < document.terms.size(); ++i) {
      const std::uint32_t term = document.terms.columns[i];
      const double weight = weighting_.tf[document.terms.counts[i]] * weighting_.idf[term];
      parts_.push_back({term, number, sign * fixed_point(weight / length, kSumUnit)});
    }
    return true;
  }

  /// Makes room for what more documents add.
  void reserve(std::span<const VotingDocument> documents) {
    std::size_t parts = parts_.capacity();
    for (const VotingDocument& document : documents) parts += document.terms.size();
    parts_.reserve(parts);
  }

  /// When all documents were added.
  void sort() {
    sort_parts(parts_, weighting_.idf.size());
    find_terms();
  }

  std::size_t terms() const { return begin_.size() - 1; }
  std::uint32_t term(std::size_t i) const { return parts_[begin_[i]].term; }

  /// Adds terms whose sums stay as they are, which have not been added.
  void add_same(std::vector<std::uint32_t> terms) {
    if (terms.empty()) return;
    std::ranges::sort(terms);
    const auto before = static_cast<std::ptrdiff_t>(parts_.size());
    for (const std::uint32_t term : terms) parts_.push_back({term, kNobody, 0});
    std::ranges::inplace_merge(parts_, parts_.begin() + before, {}, &TermPart::term);
    find_terms();
  }

  struct Result {
    std::shared_ptr<ChangedTerms> terms;
    std::vector<LabelStep> steps;
    Wide mass = 0;           // by how much the totals grew
    std::int64_t total = 0;  // by how many more terms have one
  };

  /// The sums of terms [first, last).
  Result result(std::size_t first, std::size_t last) const {
    std::size_t sums = parts_of(first, last).size();  // that did not differ; hardly more
    for (std::size_t t = first; t < last; ++t) sums += before_.known(term(t)).sums.size();
    Result result{std::make_shared<ChangedTerms>(last - first, sums), {}};
    for (std::size_t t = first; t < last; ++t) {
      if (t + kAhead < last) prefetch_sums(t + kAhead);
      const ChangedTerms::Known known = before_.known(term(t));
      result.terms->add(term(t), known, parts_of(t, t + 1), labels_, result.steps);
      const std::int64_t now = result.terms->total(static_cast<std::uint32_t>(t - first));
      result.mass += now - known.total;
      result.total += (now > 0 ? 1 : 0) - (known.total > 0 ? 1 : 0);
    }
    return result;
  }

 private:
  static constexpr std::uint32_t kNobody = 0;
  static constexpr std::size_t kAhead = 8;  // terms, whose sums are on their way from memory

  /// Asks for the first sums of the labels of a term's parts, where they are likely to be.
  void prefetch_sums(std::size_t t) const {
    const std::span<const LabelSum> sums = before_.matrix_->term(term(t)).entries;
    if (sums.empty()) return;
    for (const TermPart& part : parts_of(t, t + 1)) {
      for (const std::uint32_t label : labels_[part.document])
        __builtin_prefetch(&sums[std::min<std::size_t>(label, sums.size() - 1)]);
    }
  }

  void find_terms() {
    begin_.clear();
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (i == 0 || parts_[i].term != parts_[i - 1].term) begin_.push_back(i);
    begin_.push_back(parts_.size());
  }

  std::span<const TermPart> parts_of(std::size_t first, std::size_t last) const {
    return std::span(parts_).subspan(begin_[first], begin_[last] - begin_[first]);
  }

  const TermWeighting& weighting_;
  const ClassSums& before_;
  std::vector<TermPart> parts_;
  std::vector<std::span<const std::uint32_t>> labels_{{}};  // of each document; kNobody has none
  std::vector<std::size_t> begin_;                          // of each term's parts
};

ClassSums::ClassSums(const ClassSums& before, const DocumentSet& voted, const DocumentSet& voters,
                     const TermWeighting& weighting, std::uint32_t label_count, std::size_t threads)
    : ClassSums(before) {
  std::vector<VotingDocument> gone = without_shared(voted, voters);
  std::vector<VotingDocument> come = without_shared(voters, voted);
  leave_out_equal(gone, come);
  documents_.resize(label_count);
  square_.resize(label_count);
  mass_.resize(label_count);
  Changes changes(weighting, before);
  changes.reserve(gone);
  changes.reserve(come);
  for (const VotingDocument& document : gone) {
    if (!changes.add(document, -1)) continue;
    for (const std::uint32_t label : document.labels) --documents_[label];
  }
  for (const VotingDocument& document : come) {
    if (!changes.add(document, 1)) continue;
    for (const std::uint32_t label : document.labels) ++documents_[label];
  }
  changes.sort();
  leave_deltas(changes);
  std::vector<Changes::Result> results(number_of_chunks(changes.terms(), kChangedAtOnce));
  for_each_chunk(changes.terms(), kChangedAtOnce, threads,
                 [&](std::size_t first, std::size_t last) {
                   results[first / kChangedAtOnce] = changes.result(first, last);
                 });
  place_.resize(weighting.idf.size());
  for (const Changes::Result& result : results) {
    for (const auto& [label, old, now] : result.steps) count_label(label, old, now);
    mass_of_all_ += result.mass;
    terms_ += result.total;
    place(result.terms);
  }
}

/// Terms that change are no longer current where they are. Deltas of which less than half is left
/// are left for good: what is current in them becomes part of the change.
void ClassSums::leave_deltas(Changes& changes) {
  for (std::size_t t = 0; t < changes.terms(); ++t) {
    const Place place = place_of(changes.term(t));
    if (place.delta != Place::kMatrix) --deltas_[place.delta].current;
  }
  std::vector<std::uint32_t> same;
  for (std::uint32_t number = 0; number < deltas_.size(); ++number) {
    const auto& [terms, current] = deltas_[number];
    if (terms == nullptr || current * 2 >= terms->size()) continue;
    std::size_t changed = 0;  // the first term of the change that is not below the present one
    for (std::uint32_t i = 0; i < terms->size(); ++i) {
      const std::uint32_t term = terms->term(i);
      if (place_of(term) != Place{number, i}) continue;
      while (changed < changes.terms() && changes.term(changed) < term) ++changed;
      if (changed == changes.terms() || changes.term(changed) != term) same.push_back(term);
    }
    deltas_[number] = {};
  }
  changes.add_same(std::move(same));
}

/// Puts terms that changed into a delta.
void ClassSums::place(std::shared_ptr<const ChangedTerms> terms) {
  const auto free = std::ranges::find(deltas_, nullptr, &Delta::terms);
  const auto number = static_cast<std::uint32_t>(free - deltas_.begin());
  if (free == deltas_.end()) deltas_.emplace_back();
  for (std::uint32_t i = 0; i < terms->size(); ++i) place_[terms->term(i)] = {number, i};
  const std::uint32_t current = terms->size();
  deltas_[number] = {std::move(terms), current};
}

void ClassSums::append(const OwnTermSums& term, Matrix& matrix) {
  matrix.entries.insert(matrix.entries.end(), term.entries.begin(), term.entries.end());
  matrix.begin.push_back(matrix.entries.size());
  matrix.total.push_back(term.total);
  matrix.absent.push_back(term.absent);
  for (const LabelSum& entry : term.entries) count_label(entry.label, 0, entry.sum);
  mass_of_all_ += term.total;
  terms_ += term.total > 0 ? 1 : 0;
}

void ClassSums::count_label(std::uint32_t label, std::int64_t before, std::int64_t after) {
  square_[label] += Wide{after} * after - Wide{before} * before;
  mass_[label] += after - before;
}

TermSums ClassSums::Matrix::term(std::uint32_t number) const {
  if (number >= terms()) return {};
  return {
      total[number], absent[number],
      std::span(entries).subspan(begin[number], begin[number + std::size_t{1}] - begin[number])};
}

ChangedTerms::Known ClassSums::known(std::uint32_t number) const {
  const TermSums first = matrix_->term(number);
  const Place place = place_of(number);
  if (place.delta == Place::kMatrix) return {first.total, {}, first};
  const ChangedTerms& terms = *deltas_[place.delta].terms;
  return {terms.total(place.number), terms.sums(place.number), first};
}

TermSums ClassSums::term(std::uint32_t number) const {
  const TermSums first = matrix_->term(number);
  const Place place = place_of(number);
  if (place.delta == Place::kMatrix) return first;
  return deltas_[place.delta].terms->whole(place.number, first);
}

std::size_t ClassSums::bytes() const {
  std::size_t matrix = matrix_->entries.capacity() * sizeof(LabelSum) +
                       matrix_->begin.capacity() * sizeof(matrix_->begin[0]) +
                       matrix_->total.capacity() * 2 * sizeof(matrix_->total[0]);
  std::size_t bytes = part_of_bytes(matrix, matrix_) + deltas_.capacity() * sizeof(Delta) +
                      place_.capacity() * sizeof(Place) +
                      documents_.capacity() * sizeof(documents_[0]) +
                      (square_.capacity() + mass_.capacity()) * sizeof(Wide);
  for (const Delta& delta : deltas_)
    if (delta.terms != nullptr) bytes += part_of_bytes(delta.terms->bytes(), delta.terms);
  return bytes;
}

/// Compares one query with all labels.
class ClassSums::Comparison {
 public:
  Comparison(const ClassSums& sums, const LeftOut* left_out)
      : sums_(sums),
        left_out_(left_out),
        dot_(sums.labels()),
        odds_(sums.labels()),
        prior_(sums.labels()) {
    if (left_out != nullptr) leave_out();
    // fixed_log_odds() adds one prior.
    const std::int64_t smoothing = fixed_point(
        kSumPrior * static_cast<double>(std::max<std::int64_t>(sums.terms_ - 1, 0)), kSumUnit);
    for (std::uint32_t label = 0; label < sums.labels(); ++label) {
      const Wide gone = is_own(label) ? gone_ : 0;
      const Wide inside = sums.mass_[label] - gone;
      const Wide outside = sums.mass_of_all_ - sums.mass_[label] - (gone_ - gone);
      prior_[label] = fixed_point(log_odds(static_cast<double>(inside + smoothing),
                                           static_cast<double>(outside + smoothing)),
                                  kLogUnit);
    }
  }

  void add(const SparseVector& query) {
    std::size_t other = 0;
    const SparseVector left_out = left_out_ != nullptr ? left_out_->vector : SparseVector();
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
      const std::uint32_t number = query.terms[i];
      while (other < left_out.terms.size() && left_out.terms[other] < number) ++other;
      const bool is_left_out = other < left_out.terms.size() && left_out.terms[other] == number;
      const std::int64_t q = fixed_point(query.weights[i], kQueryUnit);
      if (is_left_out) {
        add_without(sums_.term(number), q, fixed_point(left_out.weights[other], kSumUnit));
      } else {
        add_whole(sums_.term(number), q);
      }
    }
  }

  void finish(std::span<double> cosines, std::span<double> profiles) {
    std::ranges::sort(absent_, {}, &Absent::odds);
    for (std::size_t i = 1; i < absent_.size(); ++i) {
      absent_[i].weight += absent_[i - 1].weight;
      absent_[i].product += absent_[i - 1].product;
    }
    for (std::uint32_t label = 0; label < sums_.labels(); ++label) {
      Wide square = sums_.square_[label], dot = dot_[label];
      std::uint64_t documents = sums_.documents_[label];
      if (is_own(label)) {
        dot -= shared_;
        square += gone_square_ - 2 * with_left_out_[label];
        if (!left_out_->vector.terms.empty()) --documents;
      }
      const double length = std::sqrt(static_cast<double>(std::max<Wide>(square, 0)));
      cosines[label] = documents == 0 || square <= 0  // rounding may lead beyond 1
                           ? 0
                           : std::min(static_cast<double>(dot) * kQueryUnit / length, 1.0);
      profiles[label] =
          static_cast<double>(odds_[label] + absent_part(prior_[label])) * kQueryUnit * kLogUnit;
    }
  }

 private:
  /// A term as the labels see it that lack it.
  struct Absent {
    std::int64_t odds;
    Wide weight, product;  ///< q_t, and with the odds; then of all up to here
  };

  bool is_own(std::uint32_t label) const { return !own_.empty() && own_[label] != 0; }

  void leave_out() {
    with_left_out_.resize(sums_.labels());
    own_.resize(sums_.labels());
    for (const std::uint32_t label : left_out_->labels) own_[label] = 1;
    for (std::size_t i = 0; i < left_out_->vector.terms.size(); ++i) {
      const std::int64_t x = fixed_point(left_out_->vector.weights[i], kSumUnit);
      gone_ += x;
      gone_square_ += Wide{x} * x;
      for (const LabelSum& entry : sums_.term(left_out_->vector.terms[i]).entries)
        with_left_out_[entry.label] += Wide{x} * entry.sum;
    }
  }

  void add_whole(const TermSums& term, std::int64_t q) {
    absent_.push_back({term.absent, q, Wide{q} * term.absent});
    for (const LabelSum& entry : term.entries) {
      dot_[entry.label] += Wide{q} * entry.sum;
      odds_[entry.label] += Wide{q} * entry.gain;
    }
  }

  void add_without(const TermSums& term, std::int64_t q, std::int64_t x) {
    shared_ += Wide{q} * x;
    const std::int64_t none = fixed_log_odds(0, term.total - x);
    absent_.push_back({none, q, Wide{q} * none});
    for (const auto& [label, sum, gain] : term.entries) {
      const std::int64_t rest = term.total - sum;
      dot_[label] += Wide{q} * sum;
      const std::int64_t odds =
          own_[label] != 0 ? fixed_log_odds(sum - x, rest) : fixed_log_odds(sum, rest - x);
      odds_[label] += Wide{q} * (odds - none);
    }
  }

  /// The sum over all terms of q_t min(odds - prior, 0).
  Wide absent_part(std::int64_t prior) const {
    const auto end = std::ranges::lower_bound(absent_, prior, {}, &Absent::odds);
    if (end == absent_.begin()) return 0;
    const Absent& last = *std::prev(end);
    return last.product - last.weight * prior;
  }

  const ClassSums& sums_;
  const LeftOut* const left_out_;
  std::vector<Wide> dot_, odds_, with_left_out_;  // the last: S(l) times the document's vector
  std::vector<std::int64_t> prior_;               // the log-odds of the labels' masses
  std::vector<Absent> absent_;                    // of each term of the query
  std::vector<char> own_;
  Wide shared_ = 0, gone_ = 0, gone_square_ = 0;
};

void ClassSums::compare(const SparseVector& query, const LeftOut* left_out,
                        std::span<double> cosines, std::span<double> profiles) const {
  Comparison comparison(*this, left_out);
  comparison.add(query);
  comparison.finish(cosines, profiles);
}

}  // namespace kindred
