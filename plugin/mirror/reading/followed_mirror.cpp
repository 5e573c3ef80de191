#include "plugin/mirror/reading/followed_mirror.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/mirror/reading/read_revisions.h"

// Floor: each row has a docid, a number and a place, 12 bytes, which are written anew.

namespace kindred {
namespace {

/// Appends new strings in the order of their numbers.
void append(const DocumentChanges::NewStrings& added, StringTable& strings) {
  if (added.empty()) return;
  std::vector<std::pair<std::uint32_t, const std::string*>> numbered;
  for (const auto& [key, number] : added) numbered.emplace_back(number, &key.second);
  std::sort(numbered.begin(), numbered.end());
  for (const auto& [number, text] : numbered) strings.push_back(*text);
  strings.index();
}

/// The next state of a mirror, made document by document.
class MirrorUpdate {
 public:
  MirrorUpdate(const Mirror& known, const DocumentChanges& changes)
      : known_(known), changes_(changes) {
    mirror_.prefixes = known.prefixes;
    mirror_.vocabulary = known.vocabulary;
    append(changes.new_terms(), mirror_.vocabulary);
    mirror_.df = known.df;
    mirror_.df.resize(mirror_.vocabulary.size());
    mirror_.segments = known.segments;
    mirror_.with_id = known.with_id;
    mirror_.agrees = known.agrees;
    mirror_.labels = known.labels;
    append(changes.new_labels(), mirror_.labels.names);
    mirror_.labels.documents.resize(mirror_.labels.names.size());
    born_.counts.columns = mirror_.vocabulary.size();
  }

  /// A row of the known mirror.
  void die(std::uint32_t row) {
    for (const std::uint32_t column : known_.counts[row].columns) --mirror_.df[column];
    for (const std::uint32_t label : known_.labels.of(row)) mirror_.labels.discount_one(label);
    const auto [segment, own] = known_.place_of(row);
    LivingSegment& from = mirror_.segments[segment];
    if (!from.segment->documents.ids[own].empty()) --mirror_.with_id;
    from.dead.set(own);
  }

  /// Takes a document as it was read. Docids ascend from call to call.
  void bear(std::size_t number) {
    const DocumentChanges::DocumentChange& document = changes_.documents()[number];
    add_features(number);
    add_labels(number);
    born_.docids.push_back(document.docid);
    born_.ids.push_back(document.id);
    if (!document.id.empty()) ++mirror_.with_id;
    if (document.tagged) tagged_.push_back(born_.rows() - 1);
    if (document.marked) marked_.push_back(born_.rows() - 1);
  }

  Mirror finish() {
    born_.ids.index();
    born_.tagged = born_.marked = RowSet(born_.rows());
    for (const std::uint32_t row : tagged_) born_.tagged.set(row);
    for (const std::uint32_t row : marked_) born_.marked.set(row);
    if (born_.rows() > 0)
      for (LivingSegment& segment : cut_into_segments(std::move(born_), 1))
        mirror_.segments.push_back(std::move(segment));
    merge_segments(mirror_.segments);
    mirror_.place_rows();
    return std::move(mirror_);
  }

 private:
  void add_features(std::size_t number) {
    const auto read = changes_.features(number);
    std::vector<DocumentChanges::FeatureCount> features(read.begin(), read.end());
    std::ranges::sort(features, {}, &DocumentChanges::FeatureCount::term);
    for (const auto& [term, count] : features) {
      ++mirror_.df[term];
      born_.counts.column.push_back(term);
      born_.counts.count.push_back(count);
    }
    born_.counts.row_begin.push_back(born_.counts.column.size());
  }

  void add_labels(std::size_t number) {
    const auto read = changes_.labels(number);
    std::vector<std::uint32_t> labels(read.begin(), read.end());
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    for (const std::uint32_t label : labels) mirror_.labels.count_one(label);
    born_.label.insert(born_.label.end(), labels.begin(), labels.end());
    born_.label_begin.push_back(born_.label.size());
  }

  const Mirror& known_;
  const DocumentChanges& changes_;
  Mirror mirror_;
  DocumentRows born_;
  std::vector<std::uint32_t> tagged_, marked_;
};

}  // namespace

std::optional<Mirror> followed_mirror(const Mirror& known, const DocumentChanges& changes,
                                      const Xapian::Database& database, const Settings& settings) {
  if (feature_prefixes(database, settings.mirror) != known.prefixes) return std::nullopt;
  MirrorUpdate update(known, changes);
  for (std::size_t i = 0; i < changes.documents().size(); ++i) {
    const DocumentChanges::DocumentChange& document = changes.documents()[i];
    const auto row = known.row_of(document.docid);
    if (row && holds_document(known, *row, changes, i)) continue;
    if (row) update.die(*row);
    if (document.exists) update.bear(i);
  }
  Mirror mirror = update.finish();
  mirror.set_revision(database_revision(database));
  mirror.tags = count_tags(database, settings.labels, mirror.tagged);
  return mirror;
}

}  // namespace kindred
