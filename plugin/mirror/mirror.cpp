#include "plugin/mirror/mirror.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <queue>

#include "config/error.h"
#include "plugin/store/database.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

ShardRevisions if_several(std::vector<ShardRevision> shards) {
  if (shards.size() < 2) return nullptr;
  return std::make_shared<const std::vector<ShardRevision>>(std::move(shards));
}

/// Calls visit(begin, end) for each run of rows of a segment that are alive.
template <typename Visit>
void for_each_live_run(const LivingSegment& each, Visit&& visit) {
  std::uint32_t begin = 0;
  each.dead.for_each([&](std::uint32_t row) {
    if (begin < row) visit(begin, row);
    begin = row + 1;
  });
  if (begin < each.rows()) visit(begin, each.rows());
}

/// Live rows of a segment that follow each other in the index, too.
struct Run {
  std::size_t segment;
  std::uint32_t begin, end;
};

/// All live documents, docids ascending. @throws Error kCorrupt if two segments have one.
std::vector<Run> runs_of(const LivingSegments& segments) {
  using Head = std::pair<Xapian::docid, std::size_t>;  // the next document of a segment
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<std::vector<Run>> rest(segments.size());  // of each segment, the next one at the end
  for (std::size_t i = 0; i < segments.size(); ++i) {
    for_each_live_run(segments[i], [&](std::uint32_t begin, std::uint32_t end) {
      rest[i].push_back({i, begin, end});
    });
    std::ranges::reverse(rest[i]);
    if (!rest[i].empty()) heads.emplace(segments[i].docids()[rest[i].back().begin], i);
  }
  std::vector<Run> runs;
  while (!heads.empty()) {
    const std::size_t segment = heads.top().second;
    heads.pop();
    const std::vector<Xapian::docid>& docids = segments[segment].docids();
    Run& left = rest[segment].back();
    std::uint32_t end = left.end;
    if (!heads.empty() && docids[left.begin] == heads.top().first)
      throw Error(Errc::kCorrupt,
                  "document " + std::to_string(docids[left.begin]) + " is in two segments");
    if (!heads.empty() && docids[end - 1] > heads.top().first) {
      std::uint32_t step = 1;  // the next document of another segment is often near
      while (step < end - left.begin && docids[left.begin + step] < heads.top().first) step *= 2;
      const auto from = docids.begin() + left.begin;
      const auto last = from + std::min(step, end - left.begin);
      end = static_cast<std::uint32_t>(std::lower_bound(from, last, heads.top().first) -
                                       docids.begin());
    }
    runs.push_back({segment, left.begin, end});
    left.begin = end;
    if (left.begin == left.end) rest[segment].pop_back();
    if (!rest[segment].empty()) heads.emplace(docids[rest[segment].back().begin], segment);
  }
  return runs;
}

/// Compares terms as a mirror that is read from the database numbers them.
class TermOrder {
 public:
  explicit TermOrder(const Mirror& mirror) : mirror_(mirror) {}

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    const std::string_view first = mirror_.vocabulary[a], second = mirror_.vocabulary[b];
    if (mirror_.prefixes.size() == 1) return first < second;
    return std::pair(prefix_of(first), first) < std::pair(prefix_of(second), second);
  }

 private:
  std::size_t prefix_of(std::string_view term) const {
    std::size_t prefix = 0;
    while (prefix + 1 < mirror_.prefixes.size() && !value_under(mirror_.prefixes[prefix], term))
      ++prefix;
    return prefix;
  }

  const Mirror& mirror_;
};

/// New numbers for those of `count` things that were marked as used.
class Renumbering {
 public:
  explicit Renumbering(std::size_t count) : number_(count, 0) {}

  void use(std::span<const std::uint32_t> numbers) {
    for (const std::uint32_t number : numbers) number_[number] = 1;
  }
  /// Gives each used thing its number in the order of `before`, and names them in this order.
  template <typename Before>
  StringTable settle(const StringTable& names, Before&& before) {
    std::vector<std::uint32_t> used;
    for (std::uint32_t i = 0; i < number_.size(); ++i)
      if (number_[i] != 0) used.push_back(i);
    if (!std::is_sorted(used.begin(), used.end(), before))
      std::sort(used.begin(), used.end(), before);
    StringTable kept;
    for (const std::uint32_t i : used) {
      number_[i] = kept.size();
      kept.push_back(names[i]);
    }
    kept.index();
    return kept;
  }
  std::uint32_t operator[](std::uint32_t number) const { return number_[number]; }

 private:
  std::vector<std::uint32_t> number_;
};

/// The documents of some rows, which ascend, with terms and labels as `columns` and `labels` number
/// them, and without predicted tags and limits.
DocumentRows renumbered_rows(const Mirror& mirror, std::span<const std::uint32_t> rows,
                             const Renumbering& columns, const Renumbering& labels) {
  DocumentRows result;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> entries;
  for (const std::uint32_t row : rows) {
    result.docids.push_back(mirror.docids[row]);
    result.ids.push_back(mirror.has_ids() ? mirror.id_of(row) : std::string());
    const RowCounts::Row from = mirror.counts[row];
    entries.clear();
    for (std::size_t i = 0; i < from.size(); ++i)
      entries.emplace_back(columns[from.columns[i]], from.counts[i]);
    if (!std::is_sorted(entries.begin(), entries.end())) std::sort(entries.begin(), entries.end());
    for (const auto& [column, count] : entries) {
      result.counts.column.push_back(column);
      result.counts.count.push_back(count);
    }
    result.counts.row_begin.push_back(result.counts.column.size());
    for (const std::uint32_t own : mirror.labels.of(row)) result.label.push_back(labels[own]);
    std::sort(result.label.begin() + static_cast<std::ptrdiff_t>(result.label_begin.back()),
              result.label.end());
    result.label_begin.push_back(result.label.size());
  }
  result.ids.index();
  result.tagged = result.marked = RowSet(rows.size());
  return result;
}

/// The mirror of some rows without its documents, and these.
std::pair<Mirror, DocumentRows> compact_part(const Mirror& mirror,
                                             std::span<const std::uint32_t> rows) {
  Mirror part;
  part.prefixes = mirror.prefixes;
  part.set_revision(mirror);
  part.agrees = mirror.agrees;
  Renumbering column(mirror.vocabulary.size()), label(mirror.labels.names.size());
  for (const std::uint32_t row : rows) {
    column.use(mirror.counts[row].columns);
    label.use(mirror.labels.of(row));
  }
  part.vocabulary = column.settle(mirror.vocabulary, TermOrder(mirror));
  part.labels.names = label.settle(mirror.labels.names, [&](std::uint32_t a, std::uint32_t b) {
    return mirror.labels.names[a] < mirror.labels.names[b];
  });
  DocumentRows documents = renumbered_rows(mirror, rows, column, label);
  documents.counts.columns = part.vocabulary.size();
  part.df.assign(part.vocabulary.size(), 0);
  for (const std::uint32_t own : documents.counts.column) ++part.df[own];
  return {std::move(part), std::move(documents)};
}

}  // namespace

DatabaseRevision database_revision(const Xapian::Database& database) {
  DatabaseRevision of{database.get_uuid(), shards_of(database), revision_of(database)};
  std::vector<ShardRevision> unknown;
  for (const std::string& uuid : of.shards) unknown.push_back({uuid, 0});
  of.shard_revisions = if_several(std::move(unknown));
  return of;
}

ShardRevisions revisions_of(const DatabaseState& state) {
  std::vector<ShardRevision> revisions;
  for (const TermlistState& shard : state) revisions.push_back({shard.uuid, shard.revision});
  return if_several(std::move(revisions));
}

void LabelMatrix::count() {
  documents.assign(names.size(), 0);
  for (std::uint32_t row = 0; row < rows.rows(); ++row)
    for (const std::uint32_t own : of(row)) ++documents[own];
  order.clear();
  for (std::uint32_t own = 0; own < documents.size(); ++own)
    if (documents[own] > 0) order.push_back(own);
  std::ranges::sort(order, {}, [&](std::uint32_t own) { return names[own]; });
  in_byte_order_ = order.size() == names.size() && std::ranges::is_sorted(order);
}

void LabelMatrix::count_one(std::uint32_t own) {
  if (documents[own]++ > 0) return;
  order.insert(place_of(own), own);
  in_byte_order_ = false;
}

void LabelMatrix::discount_one(std::uint32_t own) {
  if (--documents[own] > 0) return;
  order.erase(place_of(own));
  in_byte_order_ = false;
}

/// Where a label stands in the order, or is to stand.
std::vector<std::uint32_t>::iterator LabelMatrix::place_of(std::uint32_t own) {
  return std::lower_bound(order.begin(), order.end(), own,
                          [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
}

std::vector<std::uint32_t> LabelMatrix::ranks() const {
  std::vector<std::uint32_t> ranks(names.size(), UINT32_MAX);
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

std::vector<std::string> LabelMatrix::names_of(std::uint32_t row) const {
  std::vector<std::string> result;
  for (const std::uint32_t number : of(row)) result.emplace_back(names[number]);
  std::sort(result.begin(), result.end());
  return result;
}

void Mirror::place_rows() {
  std::vector<SegmentPointer> list;
  for (const LivingSegment& each : segments) list.push_back(each.segment);
  const std::vector<std::uint32_t> first = SegmentList::places_of(list);
  const std::vector<Run> runs = runs_of(segments);
  std::size_t live = 0;
  for (const Run& run : runs) live += run.end - run.begin;
  const bool in_place = live == first.back() && std::ranges::is_sorted(runs, {}, &Run::segment);
  std::vector<std::uint32_t> number(in_place ? 0 : first.back(), kNoRow);
  docids.clear();
  docids.reserve(live);
  labeled = tagged = marked = RowSet();
  for (const auto& [segment, begin, end] : runs) {
    if (!in_place) {
      const auto own = number.begin() + first[segment];
      std::iota(own + begin, own + end, rows());
    }
    const DocumentSegment& from = *segments[segment].segment;
    docids.insert(docids.end(), &from.documents.docids[begin], from.documents.docids.data() + end);
    labeled.append(from.labeled, begin, end);
    tagged.append(from.documents.tagged, begin, end);
    marked.append(from.documents.marked, begin, end);
  }
  counts = RowCounts(
      std::make_shared<const SegmentList>(list, vocabulary.size(), rows(), std::move(number)));
  labels.rows = RowLabels(counts.list());
}

void Mirror::set_documents(DocumentRows own, std::size_t threads) {
  segments = cut_into_segments(std::move(own), threads);
  take_segments();
}

void Mirror::take_segments() {
  std::erase_if(segments, [](const LivingSegment& each) { return each.rows() == 0; });
  with_id = 0;
  for (const LivingSegment& each : segments)
    for (std::uint32_t row = 0; row < each.rows(); ++row)
      with_id += each.dead.has(row) || each.segment->documents.ids[row].empty() ? 0 : 1;
  place_rows();
  labels.count();
}

std::size_t Mirror::bytes() const {
  std::size_t sum = vocabulary.bytes() + labels.names.bytes() + counts.list()->bytes() +
                    bytes_of(df) + bytes_of(docids) + bytes_of(labels.documents) +
                    bytes_of(labels.order) + labeled.bytes() + tagged.bytes() + marked.bytes();
  for (const LivingSegment& each : segments) sum += each.segment->bytes() + each.dead.bytes();
  return sum;
}

std::uint32_t Mirror::terms() const {
  return static_cast<std::uint32_t>(df.size()) -
         static_cast<std::uint32_t>(std::count(df.begin(), df.end(), 0));
}

std::uint64_t Mirror::nonzeros() const {
  return std::accumulate(df.begin(), df.end(), std::uint64_t{0});
}

std::optional<std::uint32_t> Mirror::row_of(Xapian::docid docid) const {
  if (docids.empty() || docid < docids[0]) return {};
  // Docids often have no gaps; a search among millions is many cache misses.
  auto it = docids.begin() + static_cast<std::ptrdiff_t>(
                                 std::min<std::size_t>(docid - docids[0], docids.size() - 1));
  if (*it != docid) it = std::lower_bound(docids.begin(), it, docid);
  if (*it != docid) return {};
  return static_cast<std::uint32_t>(it - docids.begin());
}

std::optional<std::uint32_t> Mirror::row_with_id(std::string_view id) const {
  if (id.empty()) return std::nullopt;
  if (!has_ids()) {
    Xapian::docid docid = 0;
    const auto [end, fault] = std::from_chars(id.data(), id.data() + id.size(), docid);
    if (fault != std::errc() || end != id.data() + id.size() || std::to_string(docid) != id)
      return std::nullopt;
    return row_of(docid);
  }
  std::optional<std::uint32_t> found;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto own = segments[i].find_id(id);
    if (own) found = std::min(found.value_or(kNoRow), row_at({i, *own}));
  }
  return found;
}

std::string Mirror::id_of(std::uint32_t row) const {
  if (!has_ids()) return std::to_string(docids[row]);
  const Place place = place_of(row);
  return std::string(segments[place.segment].segment->documents.ids[place.row]);
}

Mirror::Place Mirror::place_of(std::uint32_t row) const {
  const SegmentList& list = *counts.list();
  const std::uint32_t place = list.place_of(row);
  const SegmentList::Part& part = list.part_of(place);
  return {static_cast<std::size_t>(&part - list.parts().data()), place - part.first_place};
}

std::optional<std::uint32_t> Mirror::column_of(std::string_view term) const {
  const auto column = vocabulary.find(term);
  return column && df[*column] > 0 ? column : std::nullopt;
}

bool has_same_documents(const Mirror& a, const Mirror& b) { return a.segments == b.segments; }

std::vector<std::uint32_t> terms_in_order(const Mirror& mirror) {
  std::vector<std::uint32_t> terms;
  for (std::uint32_t term = 0; term < mirror.df.size(); ++term)
    if (mirror.df[term] > 0) terms.push_back(term);
  const TermOrder before(mirror);
  if (!std::ranges::is_sorted(terms, before)) std::ranges::sort(terms, before);
  return terms;
}

Mirror mirror_sample(const Mirror& mirror, std::span<const std::uint32_t> rows) {
  auto [sample, documents] = compact_part(mirror, rows);
  sample.set_documents(std::move(documents), 1);
  return std::move(sample);
}

Mirror compacted_mirror(const Mirror& mirror, std::size_t threads) {
  std::vector<std::uint32_t> rows(mirror.rows());
  std::iota(rows.begin(), rows.end(), 0u);
  auto [compact, documents] = compact_part(mirror, rows);
  documents.tagged = mirror.tagged;
  documents.marked = mirror.marked;
  compact.tags = mirror.tags;
  compact.set_documents(std::move(documents), threads);
  return std::move(compact);
}

}  // namespace kindred
