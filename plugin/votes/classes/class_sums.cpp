#include "plugin/votes/classes/class_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gpu/workers.h"
#include "plugin/votes/classes/counterparts.h"

namespace kindred {
namespace {

constexpr std::size_t kFewestTermsAtOnce = 512;
constexpr std::size_t kShares = 4;       // of the terms, for each thread
constexpr std::size_t kTimesLarger = 8;  // each of a segment's sums than the next

/// Of a segment's rows, those that are in a set of documents.
RowSet rows_in(const SegmentList::Part& part, const DocumentSet& documents) {
  RowSet rows;
  rows.append(documents.places(), part.first_place,
              std::size_t{part.first_place} + part.segment->counts.rows);
  return rows;
}

RowSet without(RowSet rows, const RowSet& others) {
  rows -= others;
  return rows;
}

}  // namespace

ClassSums::ClassSums(const DocumentSet& voters, const TermWeighting& weighting,
                     std::uint32_t label_count, std::size_t threads, const Pulse& pulse)
    : ClassSums(ClassSums(), voters, weighting, label_count, threads, pulse) {}

ClassSums::ClassSums(const ClassSums& before, const DocumentSet& voters,
                     const TermWeighting& weighting, std::uint32_t label_count, std::size_t threads,
                     const Pulse& pulse)
    : pages_(number_of_chunks(weighting.idf.size(), std::size_t{Page::kTerms})),
      documents_(before.documents_),
      square_(before.square_),
      mass_(before.mass_),
      mass_of_all_(before.mass_of_all_),
      terms_(before.terms_) {
  documents_.resize(label_count);
  square_.resize(label_count);
  mass_.resize(label_count);

  // Each segment adds what came of its rows to the set of voters, less what went.
  RowSums change;
  for (const SegmentList::Part& part : voters.mirror().parts()) {
    const RowSet rows = rows_in(part, voters);
    const auto known = std::ranges::find(before.segments_, part.segment, &SegmentSums::segment);
    SegmentSums own{part.segment, RowSet(rows.rows()), {}};
    if (known != before.segments_.end()) own = *known;

    if (own.voters != rows) {
      own.sums.push_back(std::make_shared<const RowSums>(*part.segment, without(rows, own.voters),
                                                         without(own.voters, rows), weighting,
                                                         label_count, threads, pulse));
      own.voters = rows;
      change = RowSums(change, *own.sums.back(), 1);
    }
    add(std::move(own));
  }

  // What segments held that are gone is subtracted.
  for (const SegmentSums& old : before.segments_) {
    if (voters.mirror().has(old.segment)) continue;
    for (const auto& sums : old.sums) change = RowSums(change, *sums, -1);
  }

  count(change, before, threads, pulse);
}

void ClassSums::add(SegmentSums own) {
  // Sums of a segment that are nearly as large as the next become one with it, so there are few.
  auto& sums = own.sums;
  while (sums.size() > 1) {
    auto& last = sums[sums.size() - 2];
    if (last->size() > kTimesLarger * sums.back()->size()) break;
    last = std::make_shared<const RowSums>(*last, *sums.back(), 1);
    sums.pop_back();
  }
  segments_.push_back(std::move(own));
}

/// Counts what changed since `before`.
void ClassSums::count(const RowSums& change, const ClassSums& before, std::size_t threads,
                      const Pulse& pulse) {
  struct Counts {
    std::vector<Wide> square;  // of each label, as mass is
    std::vector<Wide> mass;
    Wide mass_of_all = 0;
    std::int64_t terms = 0;
  };
  const std::size_t terms = change.terms().size();
  const std::size_t share = terms / (kShares * number_of_threads(threads));
  const std::size_t at_once = std::max(kFewestTermsAtOnce, share);
  std::vector<Counts> counts(number_of_chunks(terms, at_once));

  // Each share of the terms is counted by itself.
  for_each_chunk(terms, at_once, threads, [&](std::size_t begin, std::size_t end) {
    Counts& own = counts[begin / at_once];
    own.square.resize(square_.size());
    own.mass.resize(mass_.size());

    Reader was(before);
    for (std::size_t i = begin; i < end; ++i) {
      pulse();
      const RowSums::Term step = change.at(i);
      was.read(change.terms()[i]);

      // (a + b)^2 is b (2 a + b) more than a^2.
      for (const auto& [label, by] : step.labels) {
        own.square[label] += by * (2 * Wide{was.of(label)} + by);
        own.mass[label] += by;
      }
      own.mass_of_all += step.total;

      const bool was_there = was.total() > 0;
      const bool is_there = was.total() + step.total > 0;
      if (is_there && !was_there) ++own.terms;
      if (was_there && !is_there) --own.terms;
    }
  });

  // The numbers are whole, so the order in which they are added up does not matter.
  for (const Counts& own : counts) {
    for (std::size_t label = 0; label < square_.size(); ++label) {
      square_[label] += own.square[label];
      mass_[label] += own.mass[label];
    }
    mass_of_all_ += own.mass_of_all;
    terms_ += own.terms;
  }

  for (const auto& [label, documents] : change.documents()) documents_[label] += documents;
}

ClassSums::Reader::Reader(const ClassSums& sums) {
  for (const SegmentSums& own : sums.segments_)
    for (const auto& each : own.sums) parts_.push_back({each.get(), 0, {}});
}

void ClassSums::Reader::read(std::uint32_t term) {
  for (Part& part : parts_) part.term = part.sums->of(term, part.index);
}

std::int64_t ClassSums::Reader::total() const {
  std::int64_t total = 0;
  for (const Part& part : parts_) total += part.term.total;
  return total;
}

std::int64_t ClassSums::Reader::of(std::uint32_t label) const {
  std::int64_t sum = 0;
  for (const Part& part : parts_) {
    const auto own = std::ranges::lower_bound(part.term.labels, label, {}, &LabelTotal::label);
    if (own != part.term.labels.end() && own->label == label) sum += own->sum;
  }
  return sum;
}

std::vector<LabelTotal> ClassSums::Reader::labels() const {
  std::vector<LabelTotal> labels;
  for (const Part& part : parts_)
    if (!part.term.labels.empty()) labels = added_up(labels, part.term.labels);
  return labels;
}

const TermSums& ClassSums::term(std::uint32_t number) const {
  static const TermSums none;
  if (number / Page::kTerms >= pages_.size()) return none;

  // Both the page and the term's sums are made when they are first asked for.
  const auto& page = pages_[number / Page::kTerms].get([] {
    return std::make_unique<const Page>();
  });
  return page->terms[number % Page::kTerms].get([&] {
    Reader sums(*this);
    sums.read(number);
    const std::int64_t total = sums.total();
    const std::vector<LabelTotal> labels = sums.labels();

    TermSums made{total, fixed_log_odds(0, total), {}};
    made.entries.reserve(labels.size());
    for (const auto& [label, sum] : labels)
      made.entries.push_back({label, sum, fixed_log_odds(sum, total - sum) - made.absent});
    return made;
  });
}

std::size_t ClassSums::bytes() const {
  std::size_t bytes = pages_.capacity() * sizeof(pages_[0]) +
                      documents_.capacity() * sizeof(documents_[0]) +
                      (square_.capacity() + mass_.capacity()) * sizeof(Wide);

  // Other sums may share those of a segment, which are then counted in part.
  for (const SegmentSums& own : segments_) {
    bytes += own.voters.bytes();
    for (const auto& sums : own.sums) bytes += part_of_bytes(sums->bytes(), sums);
  }

  // Pages that were asked for.
  for (const auto& each : pages_) {
    const auto* const page = each.get_if_made();
    if (page == nullptr) continue;
    bytes += sizeof(Page);
    for (const auto& term : (*page)->terms)
      if (const TermSums* const made = term.get_if_made())
        bytes += made->entries.capacity() * sizeof(LabelSum);
  }
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
      Wide gone = 0;
      Wide apart = 0;
      if (is_own(label)) gone = gone_;
      if (lacks_counterpart(label)) apart = left_out->counterparts->mass_[label];

      const Wide inside = sums.mass_[label] - gone - apart;
      const Wide outside = sums.mass_of_all_ - sums.mass_[label] - (gone_ - gone);
      prior_[label] = fixed_point(log_odds(static_cast<double>(inside + smoothing),
                                           static_cast<double>(outside + smoothing)),
                                  kLogUnit);
    }
  }

  void add(const SparseVector& query) {
    SparseVector left_out;
    const Counterparts* counterparts = nullptr;
    if (left_out_ != nullptr) {
      left_out = left_out_->vector;
      counterparts = left_out_->counterparts;
    }

    std::size_t other = 0;
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
      const std::uint32_t number = query.terms[i];
      const std::int64_t q = fixed_point(query.weights[i], kQueryUnit);

      // What the document that is left out has of the term, which may be nothing.
      while (other < left_out.terms.size() && left_out.terms[other] < number) ++other;
      const bool is_left_out = other < left_out.terms.size() && left_out.terms[other] == number;
      std::int64_t x = 0;
      if (is_left_out) x = fixed_point(left_out.weights[other], kSumUnit);

      std::span<const LabelTotal> apart;
      if (counterparts != nullptr) apart = counterparts->of(number);

      if (is_left_out || !apart.empty()) {
        add_without(sums_.term(number), q, x, apart);
      } else {
        add_whole(sums_.term(number), q);
      }
    }
  }

  void finish(std::span<double> cosines, std::span<double> profiles) {
    // Sums up to each term, by rising odds, so that absent_part() is found by one search.
    std::ranges::sort(absent_, {}, &Absent::odds);
    for (std::size_t i = 1; i < absent_.size(); ++i) {
      absent_[i].weight += absent_[i - 1].weight;
      absent_[i].product += absent_[i - 1].product;
    }

    for (std::uint32_t label = 0; label < sums_.labels(); ++label) {
      Wide square = sums_.square_[label];
      Wide dot = dot_[label];
      std::int64_t documents = sums_.documents_[label];

      // Without the document that is left out, or the label's counterpart.
      if (is_own(label)) {
        dot -= shared_;
        square += gone_square_ - 2 * with_left_out_[label];
        if (!left_out_->vector.terms.empty()) --documents;
      } else if (lacks_counterpart(label)) {
        square -= left_out_->counterparts->square_[label];
        --documents;
      }

      // Nothing speaks for a label without documents.
      cosines[label] = 0;
      profiles[label] = -std::numeric_limits<double>::infinity();
      if (documents == 0) continue;

      const Wide odds = odds_[label] + absent_part(prior_[label]);
      profiles[label] = static_cast<double>(odds) * kQueryUnit * kLogUnit;

      if (square <= 0) continue;
      const double length = std::sqrt(static_cast<double>(square));
      const double cosine = static_cast<double>(dot) * kQueryUnit / length;
      cosines[label] = std::min(cosine, 1.0);  // rounding may lead beyond 1
    }
  }

 private:
  /// A term as the labels see it that lack it.
  struct Absent {
    std::int64_t odds;
    Wide weight;   ///< q_t; in the end of all up to here
    Wide product;  ///< of weight and odds; in the end of all up to here
  };

  bool is_own(std::uint32_t label) const { return !own_.empty() && own_[label] != 0; }
  bool lacks_counterpart(std::uint32_t label) const {
    if (left_out_ == nullptr || left_out_->counterparts == nullptr) return false;
    return own_[label] == 0 && left_out_->counterparts->is_there_[label] != 0;
  }

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

  /// `x`: what the document that is left out has of the term. `apart`: what counterparts have.
  void add_without(const TermSums& term, std::int64_t q, std::int64_t x,
                   std::span<const LabelTotal> apart) {
    shared_ += Wide{q} * x;
    const std::int64_t none = fixed_log_odds(0, term.total - x);
    absent_.push_back({none, q, Wide{q} * none});

    // The labels of the term, and beside them the counterparts that have it.
    auto counterpart = apart.begin();
    for (const auto& [label, sum, gain] : term.entries) {
      const std::int64_t rest = term.total - sum;
      while (counterpart != apart.end() && counterpart->label < label) ++counterpart;
      const bool lacks = counterpart != apart.end() && counterpart->label == label;

      // The document itself is in the sums of its own labels, and in the rest of the others.
      std::int64_t y = 0;
      std::int64_t odds = 0;
      if (own_[label] != 0) {
        odds = fixed_log_odds(sum - x, rest);
      } else {
        if (lacks) y = counterpart->sum;
        odds = fixed_log_odds(sum - y, rest - x);
      }

      dot_[label] += Wide{q} * (sum - y);
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
  std::vector<Wide> dot_;
  std::vector<Wide> odds_;
  std::vector<Wide> with_left_out_;  // S(l) times the vector of the document that is left out
  std::vector<std::int64_t> prior_;  // the log-odds of the labels' masses
  std::vector<Absent> absent_;       // of each term of the query
  std::vector<char> own_;
  Wide shared_ = 0;  // of the query and the document that is left out, as gone_ is of it alone
  Wide gone_ = 0;
  Wide gone_square_ = 0;
};

void ClassSums::compare(const SparseVector& query, const LeftOut* left_out,
                        std::span<double> cosines, std::span<double> profiles) const {
  Comparison comparison(*this, left_out);
  comparison.add(query);
  comparison.finish(cosines, profiles);
}

}  // namespace kindred
