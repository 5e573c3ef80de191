#include "gpu/segment_list.h"

#include <limits>
#include <string>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::uint32_t kNoLabel = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void reject(const std::string& fault) { throw Error(Errc::kInvalidArgument, fault); }

void check_labels_of_rows(LabelView labels, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t row = first; row < last; ++row) {
    const std::uint64_t begin = labels.row_begin[row];
    const std::uint64_t end = labels.row_begin[row + std::size_t{1}];
    if (begin == end) continue;

    // Labels that ascend strictly are also distinct, so the last is the largest.
    bool fault = labels.label == nullptr;
    for (std::uint64_t i = begin + 1; !fault && i < end; ++i)
      fault = labels.label[i] <= labels.label[i - 1];
    if (fault) reject("the labels of row " + std::to_string(row) + " do not ascend");
    if (labels.label[end - 1] == kNoLabel)
      reject("a label of row " + std::to_string(row) + " is " + std::to_string(kNoLabel) +
             ", which stands for no label");
  }
}

}  // namespace

void check_labels(LabelView labels, std::uint32_t rows, std::size_t threads) {
  if (labels.rows == 0) return;

  if (labels.rows != rows)
    reject("labels of " + std::to_string(labels.rows) + " rows come with " + std::to_string(rows) +
           " rows");
  if (labels.row_begin == nullptr || labels.row_begin[0] != 0)
    reject("the offsets of the labels do not begin with 0");

  // Rows are checked at the same time below, which reads between offsets, so all offsets must be
  // valid first.
  for (std::uint32_t row = 0; row < rows; ++row)
    if (labels.row_begin[row + std::size_t{1}] < labels.row_begin[row])
      reject("the labels of row " + std::to_string(row) + " end before they begin");

  constexpr std::uint32_t kRowsAtOnce = 1 << 15;
  for_each_chunk(rows, kRowsAtOnce, threads, [&](std::uint32_t begin, std::uint32_t end) {
    check_labels_of_rows(labels, begin, end);
  });
}

SegmentPointer borrowed_segment(CsrView counts, LabelView labels, std::size_t threads) {
  check_labels(labels, counts.rows, threads);
  return std::make_shared<const Segment>(Segment{counts, labels});
}

SegmentList::SegmentList(const std::vector<SegmentPointer>& segments, std::uint32_t columns,
                         RowSet dead)
    : columns_(columns), dead_(std::move(dead)) {
  std::uint64_t end = 0;
  std::uint32_t last = kNoDocument;
  bool ascends = true;

  // Places count rows through all segments. A segment without rows has no place, so it is left out,
  // and every part has a first and a last row.
  for (const SegmentPointer& segment : segments) {
    const CsrView& counts = segment->counts;

    if (counts.columns > columns)
      reject("a segment of " + std::to_string(counts.columns) + " columns is in a mirror of " +
             std::to_string(columns));
    if (counts.rows == 0) continue;

    parts_.push_back({segment, static_cast<std::uint32_t>(end)});
    end += counts.rows;
    if (end >= kNoPlace)
      reject("the mirror would keep " + std::to_string(end) +
             " rows, dead ones included; at most 2^32 - 2 are");

    // `ascending_` is the end of the longest run of segments whose numbers ascend together. Numbers
    // ascend inside each, so its first number decides.
    ascends = ascends && segment->number(0) > last;
    last = segment->number(counts.rows - 1);
    if (ascends) ascending_ = static_cast<std::uint32_t>(end);
  }

  places_ = static_cast<std::uint32_t>(end);
  const auto gone = static_cast<std::uint32_t>(dead_.count());
  if (gone > 0 && dead_.rows() != places_)
    reject("a set of " + std::to_string(dead_.rows()) + " dead places comes with " +
           std::to_string(places_) + " places");

  // A set without any dead place is dropped, so that is_dead() is quick and equal mirrors are
  // equal.
  if (gone == 0) dead_ = {};
  documents_ = places_ - gone;
}

std::uint32_t SegmentList::place_of(std::uint32_t number) const {
  // Segments whose ends do not enclose the number are passed over. A document that was changed has
  // dead rows in older segments, so the search goes on until a row is alive.
  for (const auto& [segment, first] : parts_) {
    const std::uint32_t rows = segment->counts.rows;
    const std::uint32_t least = segment->number(0);
    if (number < least || number > segment->number(rows - 1)) continue;

    // Numbers often have no gaps; a search among millions is many cache misses.
    std::uint32_t row = std::min(number - least, rows - 1);
    if (segment->number(row) != number) {
      const std::uint32_t* const numbers = segment->numbers;
      row = static_cast<std::uint32_t>(std::lower_bound(numbers, numbers + row, number) - numbers);
      if (numbers[row] != number) continue;
    }

    if (!is_dead(first + row)) return first + row;
  }
  return kNoPlace;
}

std::uint32_t SegmentList::place_of_neighbor(std::uint32_t number) const {
  const std::uint32_t place = place_of(number);
  if (place == kNoPlace) refuse_neighbor(number);
  return place;
}

void refuse_neighbor(std::uint32_t number) {
  throw Error(Errc::kDevice, "the device named document " + std::to_string(number) +
                                 " as a neighbor, which it cannot have found");
}

std::vector<std::uint32_t> SegmentList::numbers() const {
  std::vector<std::uint32_t> result;
  result.reserve(documents_);

  for (const auto& [segment, first] : parts_)
    for (std::uint32_t row = 0; row < segment->counts.rows; ++row)
      if (!is_dead(first + row)) result.push_back(segment->number(row));

  // Segments that follow the ascending ones may have lower numbers.
  if (ascending_ < places_) std::ranges::sort(result);
  return result;
}

std::vector<std::uint32_t> SegmentList::places_in_order() const {
  RowSet alive = RowSet::all(places_);
  alive -= dead_;
  std::vector<std::uint32_t> result = alive.to_vector();
  if (ascending_ < places_)
    std::ranges::sort(result, {}, [this](std::uint32_t place) {
      return number_at(place);
    });
  return result;
}

std::uint64_t SegmentList::nonzeros() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.segment->counts.nonzeros();
  return sum;
}

std::span<const std::uint32_t> SegmentList::labels_at(std::uint32_t place) const {
  if (is_dead(place)) return {};
  const Part& part = part_of(place);
  return part.segment->labels.of(place - part.first_place);
}

std::size_t SegmentList::find_index(std::uint32_t place) const {
  const auto after = std::ranges::upper_bound(parts_, place, {}, &Part::first_place);
  return static_cast<std::size_t>(after - parts_.begin()) - 1;
}

bool SegmentList::has(const SegmentPointer& segment) const {
  return std::ranges::find(parts_, segment, &Part::segment) != parts_.end();
}

std::size_t SegmentList::bytes() const { return parts_.capacity() * sizeof(Part) + dead_.bytes(); }

Csr matrix_of(const SegmentList& mirror, std::span<const std::uint32_t> numbers) {
  Csr result;
  result.columns = mirror.columns();
  for (const std::uint32_t number : numbers) {
    const RowEntries own = mirror.terms_of(number);
    result.column.insert(result.column.end(), own.columns.begin(), own.columns.end());
    result.count.insert(result.count.end(), own.counts.begin(), own.counts.end());
    result.row_begin.push_back(result.column.size());
  }
  return result;
}

Csr transpose(const SegmentList& mirror) {
  Csr result;
  result.columns = mirror.places();

  result.row_begin.assign(mirror.columns() + std::size_t{1}, 0);
  const std::vector<std::uint32_t> places = mirror.places_in_order();

  // Both passes below go through the documents in the order of their numbers, so each list comes
  // out in that order.
  const auto each_entry = [&](auto&& visit) {
    for (const std::uint32_t place : places) {
      const RowEntries own = mirror[place];
      for (std::size_t i = 0; i < own.size(); ++i) {
        visit(place, own.columns[i], own.counts[i]);
      }
    }
  };

  // Counts the entries of each term one place further on; the running sum makes offsets of it.
  each_entry([&](std::uint32_t, std::uint32_t term, std::uint16_t) {
    ++result.row_begin[term + std::size_t{1}];
  });
  for (std::size_t t = 0; t < mirror.columns(); ++t) {
    result.row_begin[t + 1] += result.row_begin[t];
  }

  result.column.resize(result.row_begin.back());
  result.count.resize(result.row_begin.back());

  // next[t] is where the next entry of term t goes.
  std::vector<std::uint64_t> next(result.row_begin.begin(), result.row_begin.end() - 1);
  each_entry([&](std::uint32_t place, std::uint32_t term, std::uint16_t count) {
    const std::uint64_t at = next[term]++;
    result.column[at] = place;
    result.count[at] = count;
  });
  return result;
}

}  // namespace kindred
