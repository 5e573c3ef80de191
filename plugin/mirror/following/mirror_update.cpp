#include "plugin/mirror/following/mirror_update.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/mirror/following/document_changes.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/mirror/reading/read_revisions.h"
#include "plugin/store/prefix.h"

// Floor: every entry of the known mirror is copied once, 6 bytes read and written, as fast as
// memory allows; everything else is in proportion to rows, terms and labels.

namespace kindred {
namespace {

constexpr std::uint32_t kGone = 0xffffffff;     // a term or label that no document has any more
constexpr std::uint32_t kRowsCopied = 1 << 13;  // by one thread at a time

/// Where a row of the new mirror comes from.
struct RowSource {
  std::uint32_t number;  ///< row of the known mirror, or place of the change
  bool changed;
};

class MirrorMerge {
 public:
  MirrorMerge(const Mirror& known, const DocumentChanges& changes, std::size_t threads)
      : known_(known), changes_(changes), threads_(threads) {}

  Mirror merge() {
    place_rows();
    merge_terms();
    copy_features();
    merge_ids();
    merge_labels();
    merge_marks();
    return std::move(merged_);
  }

 private:
  void place_rows();
  std::size_t prefix_of(std::string_view term) const;
  void merge_terms();
  void copy_features();
  void copy_row(std::uint32_t row);
  std::vector<DocumentChanges::FeatureCount> features_of(const RowSource& source) const;
  void merge_ids();
  void merge_labels();
  void merge_marks();

  const Mirror& known_;
  const DocumentChanges& changes_;
  const std::size_t threads_;
  std::vector<RowSource> sources_;         ///< of each row of the new mirror
  std::vector<std::uint32_t> left_;        ///< rows of the known mirror that are not copied
  std::vector<std::uint32_t> column_now_;  ///< of the terms of both, kGone for those in no document
  Csr counts_;
  Mirror merged_;
};

void MirrorMerge::place_rows() {
  sources_.reserve(known_.rows() + changes_.documents().size());
  std::vector<Xapian::docid> docids;
  docids.reserve(sources_.capacity());
  std::uint32_t row = 0;
  const std::uint32_t rows = known_.rows();
  const auto keep_row = [&] {
    if (!known_.gone.has(row)) {
      sources_.push_back({row, false});
      docids.push_back(known_.docids[row]);
    }
    ++row;
  };
  const auto keep_until = [&](Xapian::docid docid) {
    while (row < rows && known_.docids[row] < docid) keep_row();
  };
  std::uint32_t place = 0;
  for (const DocumentChanges::DocumentChange& change : changes_.documents()) {
    keep_until(change.docid);
    if (row < rows && known_.docids[row] == change.docid) left_.push_back(row++);
    if (change.exists) {
      sources_.push_back({place, true});
      docids.push_back(change.docid);
    }
    ++place;
  }
  keep_until(std::numeric_limits<Xapian::docid>::max());
  if (row < rows) keep_row();  // the largest docid of all
  merged_.docids = std::move(docids);
  if (sources_.size() >= std::numeric_limits<std::uint32_t>::max())
    throw Error(Errc::kInvalidArgument, "the database has too many documents for one mirror");
}

/// Those of the first `sorted` strings of `known`, and of `added`, that are still in use, in the
/// order of a compact mirror. Returns the new number of each old one. `before(number, key)`:
/// whether a known string comes before an added one.
template <typename Before>
std::vector<std::uint32_t> merge_strings(const StringTable& known, std::uint32_t sorted,
                                         const DocumentChanges::NewStrings& added,
                                         const std::vector<std::uint32_t>& uses, Before&& before,
                                         StringTable& merged) {
  std::vector<std::uint32_t> now(uses.size(), kGone);
  const auto take = [&](std::uint32_t number, std::string_view text) {
    if (uses[number] == 0) return;
    now[number] = merged.size();
    merged.push_back(text);
  };
  auto next = added.begin();
  for (std::uint32_t number = 0; number < sorted; ++number) {
    for (; next != added.end() && !before(number, next->first); ++next)
      take(next->second, next->first.second);
    take(number, known[number]);
  }
  for (; next != added.end(); ++next) take(next->second, next->first.second);
  merged.index();
  return now;
}

/// The number of the prefix that a term of the mirror has.
std::size_t MirrorMerge::prefix_of(std::string_view term) const {
  std::size_t prefix = 0;
  while (!value_under(known_.prefixes[prefix], term)) ++prefix;
  return prefix;
}

void MirrorMerge::merge_terms() {
  std::vector<std::uint32_t> df = known_.df;
  df.resize(df.size() + changes_.new_terms().size());
  for (const std::uint32_t row : left_)
    for (const std::uint32_t column : known_.counts[row].columns) --df[column];
  for (std::size_t i = 0; i < changes_.documents().size(); ++i)
    for (const DocumentChanges::FeatureCount& feature : changes_.features(i)) ++df[feature.term];
  merged_.prefixes = known_.prefixes;
  DocumentChanges::NewStrings added = changes_.new_terms();
  const std::uint32_t sorted = known_.vocabulary.shared_size();
  for (std::uint32_t column = sorted; column < known_.vocabulary.size(); ++column) {
    const std::string_view term = known_.vocabulary[column];
    added.try_emplace({prefix_of(term), std::string(term)}, column);
  }
  std::size_t prefix = 0;  // of the term that was asked about last: terms come by prefix
  const auto before = [&](std::uint32_t number, const std::pair<std::size_t, std::string>& key) {
    const std::string_view term = known_.vocabulary[number];
    while (!value_under(known_.prefixes[prefix], term)) ++prefix;
    return std::pair<std::size_t, std::string_view>(prefix, term) <
           std::pair<std::size_t, std::string_view>(key);
  };
  column_now_ = merge_strings(known_.vocabulary, sorted, added, df, before, merged_.vocabulary);
  merged_.df.resize(merged_.vocabulary.size());
  for (std::size_t i = 0; i < df.size(); ++i)
    if (column_now_[i] != kGone) merged_.df[column_now_[i]] = df[i];
}

void MirrorMerge::copy_features() {
  counts_.columns = merged_.vocabulary.size();
  counts_.row_begin.reserve(sources_.size() + 1);
  for (const RowSource& source : sources_) {
    const std::size_t size = source.changed ? changes_.features(source.number).size()
                                            : known_.counts[source.number].size();
    counts_.row_begin.push_back(counts_.row_begin.back() + size);
  }
  counts_.column.resize(counts_.row_begin.back());
  counts_.count.resize(counts_.row_begin.back());
  const auto rows = static_cast<std::uint32_t>(sources_.size());
  for_each_chunk(rows, kRowsCopied, threads_, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t row = begin; row < end; ++row) copy_row(row);
  });
  merged_.counts = std::move(counts_);
}

void MirrorMerge::copy_row(std::uint32_t row) {
  const RowSource& source = sources_[row];
  const std::uint64_t at = counts_.row_begin[row];
  if (!source.changed) {
    const RowCounts::Row known = known_.counts[source.number];
    const auto columns = counts_.column.begin() + static_cast<std::ptrdiff_t>(at);
    std::transform(known.columns.begin(), known.columns.end(), columns,
                   [&](std::uint32_t column) { return column_now_[column]; });
    if (std::is_sorted(columns, columns + static_cast<std::ptrdiff_t>(known.size()))) {
      std::copy(known.counts.begin(), known.counts.end(),
                counts_.count.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
  }
  std::vector<DocumentChanges::FeatureCount> features = features_of(source);
  for (auto& feature : features) feature.term = column_now_[feature.term];
  std::sort(features.begin(), features.end(),
            [](const auto& a, const auto& b) { return a.term < b.term; });
  for (std::size_t i = 0; i < features.size(); ++i) {
    counts_.column[at + i] = features[i].term;
    counts_.count[at + i] = features[i].count;
  }
}

/// With columns of the known mirror, or numbers of new terms.
std::vector<DocumentChanges::FeatureCount> MirrorMerge::features_of(const RowSource& source) const {
  std::vector<DocumentChanges::FeatureCount> features;
  if (source.changed) {
    const auto read = changes_.features(source.number);
    features.assign(read.begin(), read.end());
    return features;
  }
  const RowCounts::Row known = known_.counts[source.number];
  for (std::size_t i = 0; i < known.size(); ++i)
    features.push_back({known.columns[i], known.counts[i]});
  return features;
}

void MirrorMerge::merge_ids() {
  const auto id_of = [&](const RowSource& source) -> std::string_view {
    if (source.changed) return changes_.documents()[source.number].id;
    return known_.has_ids ? known_.ids[source.number] : std::string_view();
  };
  merged_.has_ids = std::any_of(sources_.begin(), sources_.end(),
                                [&](const RowSource& source) { return !id_of(source).empty(); });
  for (std::size_t row = 0; row < sources_.size(); ++row) {
    if (merged_.has_ids)
      merged_.ids.push_back(id_of(sources_[row]));
    else
      merged_.ids.push_back(std::to_string(merged_.docids[row]));
  }
  merged_.ids.index();
}

void MirrorMerge::merge_labels() {
  const LabelMatrix& known = known_.labels;
  const auto labels_of = [&](const RowSource& source) {
    return source.changed ? changes_.labels(source.number) : known.of(source.number);
  };
  std::vector<std::uint32_t> uses(known.names.size() + changes_.new_labels().size());
  for (const RowSource& source : sources_)
    for (const std::uint32_t label : labels_of(source)) ++uses[label];
  DocumentChanges::NewStrings added = changes_.new_labels();
  const std::uint32_t sorted = known.names.shared_size();
  for (std::uint32_t label = sorted; label < known.names.size(); ++label)
    added.try_emplace({0, std::string(known.names[label])}, label);
  const auto before = [&](std::uint32_t number, const std::pair<std::size_t, std::string>& key) {
    return known.names[number] < key.second;
  };
  const std::vector<std::uint32_t> label_now =
      merge_strings(known.names, sorted, added, uses, before, merged_.labels.names);
  merged_.labeled = RowSet(sources_.size());
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> labels, own;
  row_begin.reserve(sources_.size() + 1);
  for (std::size_t row = 0; row < sources_.size(); ++row) {
    own.clear();
    for (const std::uint32_t label : labels_of(sources_[row])) own.push_back(label_now[label]);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    labels.insert(labels.end(), own.begin(), own.end());
    row_begin.push_back(labels.size());
    if (!own.empty()) merged_.labeled.set(row);
  }
  merged_.labels.row_begin = std::move(row_begin);
  merged_.labels.label = std::move(labels);
  merged_.labels.count();
}

void MirrorMerge::merge_marks() {
  merged_.marked = RowSet(sources_.size());
  merged_.tagged = RowSet(sources_.size());
  for (std::size_t row = 0; row < sources_.size(); ++row) {
    const RowSource& source = sources_[row];
    const auto* const change = source.changed ? &changes_.documents()[source.number] : nullptr;
    if (change != nullptr ? change->marked : known_.marked.has(source.number))
      merged_.marked.set(row);
    if (change != nullptr ? change->tagged : known_.tagged.has(source.number))
      merged_.tagged.set(row);
  }
}

}  // namespace

std::optional<Mirror> updated_mirror(const Mirror& known, const DocumentChanges& changes,
                                     const Xapian::Database& database, const Settings& settings,
                                     std::size_t threads) {
  if (feature_prefixes(database, settings.mirror) != known.prefixes) return std::nullopt;
  Mirror mirror = MirrorMerge(known, changes, threads).merge();
  mirror.set_revision(database_revision(database));
  mirror.tags = count_tags(database, settings.labels, mirror.tagged);
  return mirror;
}

Mirror compacted_mirror(const Mirror& known, const Settings& settings, std::size_t threads) {
  const DocumentChanges nothing(known, settings);
  Mirror mirror = MirrorMerge(known, nothing, threads).merge();
  mirror.set_revision(known);
  mirror.tags = known.tags;
  mirror.agrees = known.agrees;
  return mirror;
}

}  // namespace kindred
