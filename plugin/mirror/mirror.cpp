#include "plugin/mirror/mirror.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "config/error.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

/// Compares terms as a mirror that is read from the database numbers them.
class TermOrder {
 public:
  explicit TermOrder(const Mirror& mirror) : mirror_(mirror) {}

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    const std::string_view first = mirror_.dictionary[a];
    const std::string_view second = mirror_.dictionary[b];
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

    // A mirror that was read, and has not followed any change, is in this order.
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

/// Documents, whose docids ascend, with terms and labels as `columns` and `labels` number them, and
/// without predicted tags and limits.
DocumentRows renumbered_rows(const Mirror& mirror, std::span<const Xapian::docid> docids,
                             const Renumbering& columns, const Renumbering& labels) {
  DocumentRows result;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> entries;
  for (const Xapian::docid docid : docids) {
    result.docids.push_back(docid);
    result.ids.push_back(mirror.has_ids() ? mirror.id_of(docid) : std::string());

    // The new numbers may be in another order, and those of a row must ascend.
    const RowEntries from = mirror.terms_of(docid);
    entries.clear();
    for (std::size_t i = 0; i < from.size(); ++i)
      entries.emplace_back(columns[from.columns[i]], from.counts[i]);
    if (!std::is_sorted(entries.begin(), entries.end())) std::sort(entries.begin(), entries.end());

    for (const auto& [column, count] : entries) {
      result.counts.column.push_back(column);
      result.counts.count.push_back(count);
    }
    result.counts.row_begin.push_back(result.counts.column.size());

    for (const std::uint32_t own : mirror.labels_of(docid)) result.label.push_back(labels[own]);
    std::sort(result.label.begin() + static_cast<std::ptrdiff_t>(result.label_begin.back()),
              result.label.end());
    result.label_begin.push_back(result.label.size());
  }

  result.ids.index();
  result.tagged = RowSet(docids.size());
  result.marked = RowSet(docids.size());
  return result;
}

/// The mirror of some documents without these, and these.
std::pair<Mirror, DocumentRows> compact_part(const Mirror& mirror,
                                             std::span<const Xapian::docid> docids) {
  Mirror part;
  static_cast<MirrorSource&>(part) = mirror;

  // Terms and labels that no document has are left out, and the others get the numbers that reading
  // the database would give them.
  Renumbering column(mirror.dictionary.size());
  Renumbering label(mirror.labels.names.size());
  for (const Xapian::docid docid : docids) {
    column.use(mirror.terms_of(docid).columns);
    label.use(mirror.labels_of(docid));
  }

  part.dictionary = column.settle(mirror.dictionary, TermOrder(mirror));
  part.labels.names = label.settle(mirror.labels.names, [&](std::uint32_t a, std::uint32_t b) {
    return mirror.labels.names[a] < mirror.labels.names[b];
  });

  DocumentRows documents = renumbered_rows(mirror, docids, column, label);
  documents.counts.columns = part.dictionary.size();

  part.df.assign(part.dictionary.size(), 0);
  for (const std::uint32_t own : documents.counts.column) ++part.df[own];
  return {std::move(part), std::move(documents)};
}

}  // namespace

void Mirror::list_segments() {
  std::vector<SegmentPointer> all;
  RowSet dead;
  RowSet with_label;
  RowSet with_tag;
  RowSet with_mark;
  // The rows of all segments, one after the other, are the places of the list.
  for (const LivingSegment& each : segments) {
    const DocumentRows& documents = each.segment->documents;
    all.push_back(each.segment);
    dead.append(each.dead, 0, each.rows());
    with_label.append(each.segment->labeled, 0, each.rows());
    with_tag.append(documents.tagged, 0, each.rows());
    with_mark.append(documents.marked, 0, each.rows());
  }

  // A row keeps its marks when it dies.
  for (RowSet* const set : {&with_label, &with_tag, &with_mark}) *set -= dead;

  list = std::make_shared<const SegmentList>(all, dictionary.size(), std::move(dead));
  labeled = {list, std::move(with_label)};
  tagged = {list, std::move(with_tag)};
  marked = {list, std::move(with_mark)};
}

void Mirror::set_documents(DocumentRows own, std::size_t threads) {
  segments = cut_into_segments(std::move(own), threads);
  index_segments();
}

void Mirror::index_segments() {
  std::erase_if(segments, [](const LivingSegment& each) {
    return each.rows() == 0;
  });
  list_segments();

  // The list finds one place for each document. If that is not this row, another segment has it,
  // too.
  with_id = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const LivingSegment& each = segments[i];
    const std::uint32_t first = list->parts()[i].first_place;
    for (std::uint32_t row = 0; row < each.rows(); ++row) {
      if (each.dead.has(row)) continue;
      if (!each.segment->documents.ids[row].empty()) ++with_id;
      if (list->place_of(each.docids()[row]) != first + row)
        throw Error(Errc::kCorrupt,
                    "document " + std::to_string(each.docids()[row]) + " is in two segments");
    }
  }

  labels.count(*list);
}

std::size_t Mirror::bytes() const {
  std::size_t sum = dictionary.bytes() + labels.names.bytes() + list->bytes() + bytes_of(df) +
                    bytes_of(labels.documents) + bytes_of(labels.order) + labeled.bytes() +
                    tagged.bytes() + marked.bytes();
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

std::vector<std::string> Mirror::label_names_of(Xapian::docid docid) const {
  std::vector<std::string> result;
  for (const std::uint32_t number : labels_of(docid)) result.emplace_back(labels.names[number]);
  std::sort(result.begin(), result.end());
  return result;
}

std::string Mirror::id_of(Xapian::docid docid) const {
  if (!has_ids()) return std::to_string(docid);
  const Place place = place_of(docid);
  return std::string(segments[place.segment].segment->documents.ids[place.row]);
}

std::vector<Xapian::docid> Mirror::documents_with_id(std::string_view id) const {
  if (id.empty()) return {};

  // Where no document has an id, it is the docid, in the digits that Kindred writes.
  if (!has_ids()) {
    Xapian::docid docid = 0;
    const auto [end, fault] = std::from_chars(id.data(), id.data() + id.size(), docid);
    if (fault != std::errc() || end != id.data() + id.size() || std::to_string(docid) != id ||
        !has(docid))
      return {};
    return {docid};
  }

  std::vector<Xapian::docid> docids;
  for (const LivingSegment& each : segments) each.find_id(id, docids);
  std::ranges::sort(docids);
  return docids;
}

Mirror::Place Mirror::place_of(Xapian::docid docid) const {
  const std::uint32_t place = list->place_of_neighbor(docid);
  const std::size_t segment = list->index_of(place);
  return {segment, place - list->parts()[segment].first_place};
}

std::optional<std::uint32_t> Mirror::column_of(std::string_view term) const {
  const auto column = dictionary.find(term);
  if (!column || df[*column] == 0) return std::nullopt;
  return column;
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

Mirror mirror_sample(const Mirror& mirror, std::span<const Xapian::docid> docids) {
  auto [sample, documents] = compact_part(mirror, docids);
  sample.set_documents(std::move(documents), 1);
  return std::move(sample);
}

Mirror compacted_mirror(const Mirror& mirror, std::size_t threads) {
  auto [compact, documents] = compact_part(mirror, mirror.list->numbers());

  // All documents stay, so what is known of their tags does, too.
  for (std::uint32_t row = 0; row < documents.rows(); ++row) {
    if (mirror.tagged.has(documents.docids[row])) documents.tagged.set(row);
    if (mirror.marked.has(documents.docids[row])) documents.marked.set(row);
  }
  compact.tags = mirror.tags;

  compact.set_documents(std::move(documents), threads);
  return std::move(compact);
}

}  // namespace kindred
