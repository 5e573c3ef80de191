#include "plugin/mirror/following/mirror_growth.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/mirror/following/document_changes.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/mirror/reading/read_revisions.h"

// Floor: the numbers that each row or label has one of are copied, some 16 bytes a row.

namespace kindred {
namespace {

constexpr std::size_t kMostChanges = 256;   // since the mirror was compact: each is a segment
constexpr std::size_t kMovedShare = 4;      // a compact mirror is due when 1 in so many rows moved
constexpr std::size_t kMovedAlways = 4096;  // but not before so many did

/// What becomes of the rows of a mirror.
struct RowPlan {
  struct Written {
    std::uint32_t row;
    std::size_t document;  ///< number of the change
  };
  std::vector<Written> written;  ///< rows with a document that is new or different, ascending
  std::vector<std::uint32_t> died;
  std::vector<Xapian::docid> added;  ///< docids of the rows after the last one
};

/// Nothing if a document came between two others.
std::optional<RowPlan> plan_rows(const Mirror& known, const DocumentChanges& changes) {
  RowPlan plan;
  const Xapian::docid last = known.docids.empty() ? 0 : known.docids.back();
  for (std::size_t i = 0; i < changes.documents().size(); ++i) {
    const DocumentChanges::DocumentChange& change = changes.documents()[i];
    const auto at = std::lower_bound(known.docids.begin(), known.docids.end(), change.docid);
    const auto row = static_cast<std::uint32_t>(at - known.docids.begin());
    const bool has_row = at != known.docids.end() && *at == change.docid;
    if (has_row && holds_document(known, row, changes, i)) continue;
    if (has_row && change.exists) {
      plan.written.push_back({row, i});
    } else if (has_row) {
      if (!known.gone.has(row)) plan.died.push_back(row);
    } else if (change.exists && change.docid > last) {
      plan.written.push_back({known.rows() + static_cast<std::uint32_t>(plan.added.size()), i});
      plan.added.push_back(change.docid);
    } else if (change.exists) {
      return std::nullopt;
    }
  }
  if (known.docids.size() + plan.added.size() >= std::numeric_limits<std::uint32_t>::max())
    throw Error(Errc::kInvalidArgument, "the database has too many documents for one mirror");
  return plan;
}

class MirrorGrowth {
 public:
  MirrorGrowth(const Mirror& known, const DocumentChanges& changes, RowPlan plan)
      : known_(known), changes_(changes), plan_(std::move(plan)), grown_(known) {}

  std::optional<Mirror> grow() {
    if (!keeps_ids()) return std::nullopt;
    place_rows();
    grow_terms();
    write_rows();
    grow_labels();
    count_labels();
    mark_rows();
    return std::move(grown_);
  }

 private:
  bool keeps_ids() const;
  void place_rows();
  void grow_terms();
  void write_rows();
  void grow_labels();
  bool moves_labels() const;
  void rewrite_labels();
  void count_labels();
  void mark_rows();
  std::vector<std::uint32_t> labels_of(std::size_t document) const;

  const DocumentChanges::DocumentChange& document(const RowPlan::Written& written) const {
    return changes_.documents()[written.document];
  }

  const Mirror& known_;
  const DocumentChanges& changes_;
  const RowPlan plan_;
  Mirror grown_;
};

/// True if each row keeps its id, and an id stands for the document for which it stands in a
/// compact mirror: the first one that has it.
bool MirrorGrowth::keeps_ids() const {
  if (!known_.has_ids)
    return std::all_of(plan_.written.begin(), plan_.written.end(),
                       [&](const auto& written) { return document(written).id.empty(); });
  const StringTable& ids = known_.ids;
  for (const std::uint32_t row : plan_.died)
    if (!ids[row].empty() && (!ids.is_distinct() || ids.find_added(ids[row]))) return false;
  std::set<std::string_view> added;
  for (const RowPlan::Written& written : plan_.written) {
    const std::string& id = document(written).id;
    const bool is_new = written.row >= known_.rows() || known_.gone.has(written.row);
    if (written.row < known_.rows() && ids[written.row] != id) return false;
    if (!is_new || id.empty()) continue;
    const auto other = known_.row_with_id(id);
    const bool stays = other && !std::binary_search(plan_.died.begin(), plan_.died.end(), *other);
    if (stays && *other < ids.shared_size() && *other < written.row) continue;
    if (stays || !added.insert(id).second) return false;
  }
  return true;
}

void MirrorGrowth::place_rows() {
  grown_.docids.append(plan_.added);
  for (const RowPlan::Written& written : plan_.written) {
    if (written.row < known_.rows()) continue;
    grown_.ids.push_back(known_.has_ids ? document(written).id
                                        : std::to_string(document(written).docid));
  }
  if (!plan_.added.empty()) grown_.ids.index();
  if (plan_.died.empty() && grown_.gone.rows() == 0) return;
  grown_.gone.grow(grown_.rows());
  for (const std::uint32_t row : plan_.died) grown_.gone.set(row);
  for (const RowPlan::Written& written : plan_.written) grown_.gone.reset(written.row);
}

/// Appends new strings in the order of their numbers.
void append(const DocumentChanges::NewStrings& added, StringTable& strings) {
  if (added.empty()) return;
  std::vector<std::pair<std::uint32_t, const std::string*>> numbered;
  for (const auto& [key, number] : added) numbered.emplace_back(number, &key.second);
  std::sort(numbered.begin(), numbered.end());
  for (const auto& [number, text] : numbered) strings.push_back(*text);
  strings.index();
}

void MirrorGrowth::grow_terms() {
  append(changes_.new_terms(), grown_.vocabulary);
  grown_.df.resize(grown_.vocabulary.size());
  const auto forget = [&](std::uint32_t row) {
    for (const std::uint32_t column : known_.counts[row].columns) --grown_.df[column];
  };
  std::for_each(plan_.died.begin(), plan_.died.end(), forget);
  for (const RowPlan::Written& written : plan_.written) {
    forget(written.row);
    for (const auto& feature : changes_.features(written.document)) ++grown_.df[feature.term];
  }
}

void MirrorGrowth::write_rows() {
  auto change = std::make_shared<RowChange>();
  change->counts.columns = grown_.vocabulary.size();
  for (const RowPlan::Written& written : plan_.written) {
    const auto read = changes_.features(written.document);
    std::vector<DocumentChanges::FeatureCount> features(read.begin(), read.end());
    std::sort(features.begin(), features.end(),
              [](const auto& a, const auto& b) { return a.term < b.term; });
    for (const auto& feature : features) {
      change->counts.column.push_back(feature.term);
      change->counts.count.push_back(feature.count);
    }
    change->counts.row_begin.push_back(change->counts.column.size());
    change->rows.push_back(written.row);
    const std::vector<std::uint32_t> labels = labels_of(written.document);
    change->label.insert(change->label.end(), labels.begin(), labels.end());
    change->label_begin.push_back(change->label.size());
  }
  grown_.counts.apply(std::move(change), grown_.gone);
}

/// Ascending, each once.
std::vector<std::uint32_t> MirrorGrowth::labels_of(std::size_t document) const {
  const auto read = changes_.labels(document);
  std::vector<std::uint32_t> labels(read.begin(), read.end());
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

/// The labels of all rows in one piece, as backends and votes want them.
void MirrorGrowth::grow_labels() {
  append(changes_.new_labels(), grown_.labels.names);
  if (moves_labels()) return rewrite_labels();
  const RowChange& change = *grown_.counts.last_change();
  LabelMatrix& labels = grown_.labels;
  for (std::uint32_t i = 0; i < plan_.written.size(); ++i) {
    if (plan_.written[i].row < known_.rows()) continue;
    labels.label.append(change.labels().of(i));
    labels.row_begin.push_back(labels.label.size());
  }
}

/// True if a row that the known mirror has gets other labels, or loses those that it had.
bool MirrorGrowth::moves_labels() const {
  const LabelView own = grown_.counts.last_change()->labels();
  for (std::uint32_t i = 0; i < plan_.written.size(); ++i) {
    const std::uint32_t row = plan_.written[i].row;
    if (row < known_.rows() && !std::ranges::equal(own.of(i), known_.labels.of(row))) return true;
  }
  return std::any_of(plan_.died.begin(), plan_.died.end(),
                     [&](std::uint32_t row) { return !known_.labels.of(row).empty(); });
}

void MirrorGrowth::rewrite_labels() {
  const LabelMatrix& known = known_.labels;
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> label;
  row_begin.reserve(grown_.rows() + std::size_t{1});
  label.reserve(known.label.size() + grown_.counts.last_change()->label.size());
  std::uint32_t row = 0;
  const auto keep_until = [&](std::uint32_t end) {  // rows of the known mirror, as they are
    const std::uint32_t kept = std::min(end, known_.rows());
    if (row >= kept) return;
    const std::uint64_t first = known.row_begin[row], to = label.size();
    label.insert(label.end(), known.label.begin() + first,
                 known.label.begin() + known.row_begin[kept]);
    for (; row < kept; ++row)
      row_begin.push_back(known.row_begin[row + std::size_t{1}] - first + to);
  };
  const auto write = [&](std::uint32_t at, std::span<const std::uint32_t> own) {
    keep_until(at);
    label.insert(label.end(), own.begin(), own.end());
    row_begin.push_back(label.size());
    row = at + 1;
  };
  auto died = plan_.died.begin();
  for (std::uint32_t i = 0; i < plan_.written.size(); ++i) {
    const std::uint32_t at = plan_.written[i].row;
    for (; died != plan_.died.end() && *died < at; ++died) write(*died, {});
    write(at, grown_.counts.last_change()->labels().of(i));
  }
  for (; died != plan_.died.end(); ++died) write(*died, {});
  keep_until(known_.rows());
  grown_.labels.row_begin = std::move(row_begin);
  grown_.labels.label = std::move(label);
}

void MirrorGrowth::count_labels() {
  LabelMatrix& labels = grown_.labels;
  labels.documents.resize(labels.names.size());
  const auto discount = [&](std::uint32_t row) {
    for (const std::uint32_t label : known_.labels.of(row)) labels.discount_one(label);
  };
  std::for_each(plan_.died.begin(), plan_.died.end(), discount);
  for (const RowPlan::Written& written : plan_.written) {
    if (written.row < known_.rows()) discount(written.row);
    for (const std::uint32_t label : labels.of(written.row)) labels.count_one(label);
  }
}

void MirrorGrowth::mark_rows() {
  const auto put = [](RowSet& rows, std::uint32_t row, bool in) {
    in ? rows.set(row) : rows.reset(row);
  };
  for (RowSet* rows : {&grown_.labeled, &grown_.tagged, &grown_.marked}) {
    rows->grow(grown_.rows());
    for (const std::uint32_t row : plan_.died) rows->reset(row);
  }
  for (const RowPlan::Written& written : plan_.written) {
    put(grown_.labeled, written.row, !grown_.labels.of(written.row).empty());
    put(grown_.tagged, written.row, document(written).tagged);
    put(grown_.marked, written.row, document(written).marked);
  }
}

/// True if some document has an id, or none had one.
bool still_has_ids(const Mirror& mirror) {
  if (!mirror.has_ids) return true;
  for (std::uint32_t row = 0; row < mirror.rows(); ++row)
    if (!mirror.gone.has(row) && !mirror.ids[row].empty()) return true;
  return false;
}

}  // namespace

bool is_due_for_compaction(const RowCounts& counts, bool nearly) {
  const std::size_t part = nearly ? 2 : 1, moved = counts.moved() * part;
  return counts.changes() * part > kMostChanges ||
         (moved > kMovedAlways && moved > counts.rows() / kMovedShare);
}

std::optional<Mirror> grown_mirror(const Mirror& known, const DocumentChanges& changes,
                                   const Xapian::Database& database, const Settings& settings) {
  if (feature_prefixes(database, settings.mirror) != known.prefixes) return std::nullopt;
  std::optional<RowPlan> plan = plan_rows(known, changes);
  if (!plan) return std::nullopt;
  std::optional<Mirror> grown = MirrorGrowth(known, changes, std::move(*plan)).grow();
  if (!grown || !still_has_ids(*grown) || is_due_for_compaction(grown->counts, false))
    return std::nullopt;
  grown->set_revision(database_revision(database));
  grown->tags = count_tags(database, settings.labels, grown->tagged);
  return grown;
}

}  // namespace kindred
