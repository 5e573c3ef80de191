#include "plugin/votes/classes/class_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/workers.h"

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

    TermSums made{total, fixed_log_odds(0, total), {}, {}};
    made.labels.reserve(labels.size());
    made.sums.reserve(labels.size());
    for (const auto& [label, sum] : labels) {
      made.labels.push_back(label);
      made.sums.push_back({sum, fixed_log_odds(sum, total - sum) - made.absent});
    }
    return made;
  });
}

std::size_t ClassSums::bytes() const {
  std::size_t bytes = pages_.capacity() * sizeof(pages_[0]) +
                      documents_.capacity() * sizeof(documents_[0]) +
                      (square_.capacity() + mass_.capacity()) * sizeof(Wide);
  if (whole_->get_if_made() != nullptr)
    bytes += labels() * (sizeof(Whole::lengths[0]) + sizeof(Whole::priors[0]));

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
        bytes += made->labels.capacity() * sizeof(made->labels[0]) +
                 made->sums.capacity() * sizeof(LabelSum);
  }
  return bytes;
}

const ClassSums::Whole& ClassSums::whole() const {
  return whole_->get([&] {
    Whole made{std::vector<double>(labels()), std::vector<std::int64_t>(labels())};
    for (std::uint32_t label = 0; label < labels(); ++label) {
      if (documents_[label] > 0 && square_[label] > 0)
        made.lengths[label] = std::sqrt(static_cast<double>(square_[label]));
      made.priors[label] = prior(mass_[label], mass_of_all_ - mass_[label]);
    }
    return made;
  });
}

/// The log-odds of the mass that is inside a label.
std::int64_t ClassSums::prior(Wide inside, Wide outside) const {
  // log_odds() adds one prior of a term, so those of the others are added here.
  const auto others = static_cast<double>(std::max<std::int64_t>(terms_ - 1, 0));
  const std::int64_t smoothing = fixed_point(kSumPrior * others, kSumUnit);
  return fixed_point(
      log_odds(static_cast<double>(inside + smoothing), static_cast<double>(outside + smoothing)),
      kLogUnit);
}

}  // namespace kindred
