#include "gpu/segment_list.h"

#include <iterator>
#include <limits>
#include <string>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::uint32_t kNoLabel = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kBits = 64;

[[noreturn]] void reject(const std::string& fault) { throw Error(Errc::kInvalidArgument, fault); }

void check_labels_of_rows(LabelView labels, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t row = first; row < last; ++row) {
    const std::uint64_t begin = labels.row_begin[row], end = labels.row_begin[row + std::size_t{1}];
    if (begin == end) continue;
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

std::vector<std::uint32_t> SegmentList::places_of(std::span<const SegmentPointer> segments) {
  std::vector<std::uint32_t> first;
  std::uint64_t end = 0;
  for (const SegmentPointer& segment : segments) {
    first.push_back(static_cast<std::uint32_t>(end));
    end += segment->counts.rows;
    if (end >= kNoRow)
      reject("the mirror would keep " + std::to_string(end) +
             " rows, dead ones included; at most 2^32 - 2 are");
  }
  first.push_back(static_cast<std::uint32_t>(end));
  return first;
}

SegmentList::SegmentList(const std::vector<SegmentPointer>& segments, std::uint32_t columns,
                         std::uint32_t rows, std::vector<std::uint32_t> number)
    : rows_(rows), columns_(columns), number_(std::move(number)) {
  const std::vector<std::uint32_t> first = places_of(segments);
  places_ = first.back();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const CsrView& counts = segments[i]->counts;
    if (counts.columns > columns)
      reject("a segment of " + std::to_string(counts.columns) + " columns is in a mirror of " +
             std::to_string(columns));
    if (counts.rows > 0) parts_.push_back({segments[i], first[i]});
  }
  if (number_.empty() && rows_ == places_) {
    ascending_ = places_;
    return;
  }
  if (number_.size() != places_)
    reject(std::to_string(number_.size()) + " numbers come with " + std::to_string(places_) +
           " places");
  place_rows();
}

void SegmentList::place_rows() {
  place_.assign(rows_, kNoRow);
  dead_ = RowSet(places_);
  std::int64_t last = -1;
  bool ascends = true, is_same = rows_ == places_;
  for (const auto& [segment, first] : parts_) {
    const std::uint32_t end = first + segment->counts.rows;
    std::int64_t before = -1;
    for (std::uint32_t place = first; place < end; ++place) {
      const std::uint32_t own = number_[place];
      if (own == kNoRow) {
        dead_.set(place);
        continue;
      }
      if (own >= rows_ || own <= before || place_[own] != kNoRow)
        reject("row " + std::to_string(place - first) + " of a segment has the number " +
               std::to_string(own) + ": expected one below " + std::to_string(rows_) +
               " that ascends, and that no other row has");
      ascends = ascends && (before >= 0 || own > last);
      before = own;
      is_same = is_same && own == place;
      place_[own] = place;
    }
    if (ascends) ascending_ = end;
    last = std::max(last, before);
  }
  const bool any_dead = dead_.count() > 0;
  if (!any_dead) dead_ = {};
  moved_ = any_dead || !is_same;
  if (!moved_) number_ = place_ = {};
}

std::uint64_t SegmentList::nonzeros() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.segment->counts.nonzeros();
  return sum;
}

std::span<const std::uint32_t> SegmentList::labels(std::uint32_t number) const {
  const std::uint32_t place = place_of(number);
  if (place == kNoRow) return {};
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

std::size_t SegmentList::bytes() const {
  return parts_.capacity() * sizeof(Part) +
         (place_.capacity() + number_.capacity()) * sizeof(std::uint32_t) + dead_.bytes();
}

namespace {

constexpr double kFewAllowed = 0.03;  // below this share, rows are scored one by one

/// The bits of a set of numbers, which covers all, by place: bit p % 64 of word p / 64. Where 64
/// rows in a row have numbers in a row, their bits are copied together. Numbers ascend in a
/// segment, so the first and the last of them tell.
std::vector<std::uint64_t> bits_by_place(const RowSet& numbers, const SegmentList& mirror) {
  std::vector<std::uint64_t> bits((std::size_t{mirror.places()} + kBits - 1) / kBits);
  const std::span<const std::uint64_t> words = numbers.words();
  const std::span<const std::uint32_t> number = mirror.number();
  for (const auto& [segment, first] : mirror.parts()) {
    const std::uint32_t end = first + segment->counts.rows;
    for (std::uint32_t place = first; place < end;) {
      const std::uint32_t own = number[place], shift = own % kBits;
      const bool fits = place % kBits == 0 && end - place >= kBits && own != kNoRow &&
                        number[place + kBits - 1] != kNoRow;
      if (fits && number[place + kBits - 1] - own == kBits - 1) {
        bits[place / kBits] = words[own / kBits] >> shift;
        if (shift != 0) bits[place / kBits] |= words[own / kBits + 1] << (kBits - shift);
        place += kBits;
        continue;
      }
      if (own != kNoRow) bits[place / kBits] |= std::uint64_t{numbers.has(own)} << place % kBits;
      ++place;
    }
  }
  return bits;
}

}  // namespace

AllowedRows allow_rows(const RowSet* allowed, const SegmentList& mirror) {
  AllowedRows result;
  if (allowed == nullptr) return result;
  const std::uint32_t rows = mirror.rows();
  const std::size_t count = allowed->count(0, rows);
  result.few = static_cast<double>(count) < kFewAllowed * rows;
  if (result.few) {
    result.rows.reserve(count);
    allowed->for_each([&](std::uint32_t number) {
      const std::uint32_t place = number < rows ? mirror.place_of(number) : kNoRow;
      if (place != kNoRow) result.rows.push_back(place);
    });
  } else if (mirror.has_moved()) {
    result.moved = bits_by_place(*allowed, mirror);
  } else {
    result.borrowed = allowed->words();
  }
  return result;
}

}  // namespace kindred
