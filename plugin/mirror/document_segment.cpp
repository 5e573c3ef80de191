#include "plugin/mirror/document_segment.h"

#include <algorithm>

#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::uint32_t kSmallSegment = 4096;  // rows; joined with what follows
constexpr std::uint32_t kWornShare = 4;        // rewritten when 1 in so many rows is dead

template <typename T>
std::size_t capacity_of(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

/// Appends a row of a segment to documents.
void append(const DocumentRows& from, std::uint32_t row, DocumentRows& to) {
  to.docids.push_back(from.docids[row]);
  to.ids.push_back(from.ids[row]);

  const auto copy = [](const auto& values, std::uint64_t begin, std::uint64_t end, auto& target) {
    target.insert(target.end(), values.begin() + static_cast<std::ptrdiff_t>(begin),
                  values.begin() + static_cast<std::ptrdiff_t>(end));
  };

  // Counts and labels lie one row after the other, so each row ends where its last one does.
  const std::uint64_t begin = from.counts.row_begin[row];
  const std::uint64_t end = from.counts.row_begin[row + std::size_t{1}];
  copy(from.counts.column, begin, end, to.counts.column);
  copy(from.counts.count, begin, end, to.counts.count);
  to.counts.row_begin.push_back(to.counts.column.size());

  copy(from.label, from.label_begin[row], from.label_begin[row + std::size_t{1}], to.label);
  to.label_begin.push_back(to.label.size());
}

/// The live documents of some segments.
DocumentRows joined(std::span<const LivingSegment> segments) {
  struct Source {
    Xapian::docid docid;
    std::uint32_t segment;
    std::uint32_t row;
  };

  // Segments may have any docids, and the rows of the new one ascend. So all live rows are sorted
  // first, and copied in this order.
  std::vector<Source> sources;
  DocumentRows result;
  for (std::uint32_t i = 0; i < segments.size(); ++i) {
    const DocumentRows& documents = segments[i].segment->documents;
    result.counts.columns = std::max(result.counts.columns, documents.counts.columns);
    for (std::uint32_t row = 0; row < documents.rows(); ++row)
      if (!segments[i].dead.has(row)) sources.push_back({documents.docids[row], i, row});
  }
  std::ranges::sort(sources, {}, &Source::docid);

  result.tagged = RowSet(sources.size());
  result.marked = RowSet(sources.size());
  for (std::uint32_t to = 0; to < sources.size(); ++to) {
    const auto& [docid, segment, row] = sources[to];
    const DocumentRows& documents = segments[segment].segment->documents;
    append(documents, row, result);
    if (documents.tagged.has(row)) result.tagged.set(to);
    if (documents.marked.has(row)) result.marked.set(to);
  }

  result.ids.index();
  return result;
}

}  // namespace

DocumentSegment::DocumentSegment(DocumentRows own) : documents(std::move(own)) {
  // A segment never changes, and may live as long as the process: it keeps no room to grow.
  documents.docids.shrink_to_fit();
  documents.counts.row_begin.shrink_to_fit();
  documents.counts.column.shrink_to_fit();
  documents.counts.count.shrink_to_fit();
  documents.label_begin.shrink_to_fit();
  documents.label.shrink_to_fit();

  // Only now, since what backends read points into the vectors.
  counts = documents.counts.view();
  labels = documents.labels();
  numbers = documents.docids.data();

  labeled = RowSet(documents.rows());
  for (std::uint32_t row = 0; row < documents.rows(); ++row)
    if (!labels.of(row).empty()) labeled.set(row);
}

std::size_t DocumentSegment::bytes() const {
  return capacity_of(documents.docids) + documents.ids.bytes() +
         capacity_of(documents.counts.row_begin) + capacity_of(documents.counts.column) +
         capacity_of(documents.counts.count) + capacity_of(documents.label_begin) +
         capacity_of(documents.label) + documents.tagged.bytes() + documents.marked.bytes() +
         labeled.bytes();
}

LivingSegment::LivingSegment(DocumentRows own)
    : segment(std::make_shared<const DocumentSegment>(std::move(own))), dead(rows()) {}

void LivingSegment::find_id(std::string_view id, std::vector<Xapian::docid>& docids_of_id) const {
  const StringTable& ids = segment->documents.ids;
  const auto first = ids.find(id);
  if (!first) return;

  // The table of ids finds the first row of an id. Others of the same id may follow, unless each
  // occurs once.
  const std::uint32_t end = ids.is_distinct() ? *first + 1 : rows();
  for (std::uint32_t row = *first; row < end; ++row)
    if (!dead.has(row) && ids[row] == id) docids_of_id.push_back(docids()[row]);
}

LivingSegments cut_into_segments(DocumentRows rows, std::size_t threads) {
  const std::size_t count = number_of_chunks<std::size_t>(rows.rows(), kMostSegmentRows);
  LivingSegments result;
  if (count <= 1) {
    if (count == 1) result.emplace_back(std::move(rows));
    return result;
  }

  // Each part is a copy, and independent of the others.
  std::vector<DocumentRows> parts(count);
  for_each_item(count, threads, [&](std::size_t i) {
    const auto first = static_cast<std::uint32_t>(i * kMostSegmentRows);
    const std::uint32_t last = std::min(rows.rows(), first + kMostSegmentRows);

    DocumentRows& part = parts[i];
    part.counts.columns = rows.counts.columns;
    const std::uint64_t entries = rows.counts.row_begin[last] - rows.counts.row_begin[first];
    part.counts.column.reserve(entries);
    part.counts.count.reserve(entries);

    for (std::uint32_t row = first; row < last; ++row) append(rows, row, part);
    part.tagged.append(rows.tagged, first, last);
    part.marked.append(rows.marked, first, last);
    part.ids.index();
  });

  for (DocumentRows& part : parts) result.emplace_back(std::move(part));
  return result;
}

void merge_segments(LivingSegments& segments) {
  std::erase_if(segments, [](const LivingSegment& each) {
    return each.live() == 0;
  });

  const auto is_worn = [](const LivingSegment& each) {
    return each.dead.count() > 0 && each.dead.count() * kWornShare >= each.rows();
  };

  // From the end, a segment is taken as long as it is small, or at most twice as large as all that
  // follow it. So each that stays is more than twice as large as what follows, and there are few.
  std::size_t first = segments.size();
  std::uint32_t rows = 0;
  while (first > 0) {
    const std::uint32_t more = segments[first - 1].live();
    const bool is_small = first == segments.size() || more <= std::max(kSmallSegment, 2 * rows);
    if (!is_small || rows + more > kMostSegmentRows) break;
    rows += more;
    --first;
  }

  const std::size_t tail = segments.size() - first;
  if (tail > 1 || (tail == 1 && is_worn(segments[first]))) {
    DocumentRows merged = joined(std::span(segments).subspan(first));
    segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(first), segments.end());
    segments.emplace_back(std::move(merged));
  }

  // Of the others only one is rewritten in a call, so that a refresh takes no longer for all of
  // them.
  const auto waste = [&](const LivingSegment& each) {
    return is_worn(each) ? each.dead.count() : 0;
  };
  const auto worn = std::ranges::max_element(segments, {}, waste);
  if (worn != segments.end() && is_worn(*worn)) *worn = LivingSegment(joined({&*worn, 1}));
}

}  // namespace kindred
