#include "plugin/mirror/reading/followed_mirror.h"

#include <algorithm>

#include "plugin/input/document_data.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/readers.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

/// Appends new strings in the order of their numbers.
void append(const DocumentChanges::NewStrings& added, StringTable& strings) {
  if (added.empty()) return;

  // The map is in the order of the strings, and each is to get the number that it was given.
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
      : known_(known), changes_(changes), mirror_(known) {
    // The new strings follow those that are known, and their counts begin at 0.
    append(changes.new_terms(), mirror_.dictionary);
    mirror_.df.resize(mirror_.dictionary.size());
    append(changes.new_labels(), mirror_.labels.names);
    mirror_.labels.documents.resize(mirror_.labels.names.size());

    born_.counts.columns = mirror_.dictionary.size();
  }

  /// A document of the known mirror.
  void die(Xapian::docid docid) {
    for (const std::uint32_t column : known_.terms_of(docid).columns) --mirror_.df[column];
    for (const std::uint32_t label : known_.labels_of(docid)) mirror_.labels.discount_one(label);

    // The row stays where it is, and counts as dead.
    const auto [segment, own] = known_.place_of(docid);
    LivingSegment& from = mirror_.segments[segment];
    if (!from.segment->documents.ids[own].empty()) --mirror_.with_id;
    from.dead.set(own);
  }

  /// Takes a document as it was read. Docids ascend from call to call.
  void bear(std::size_t number) {
    const DocumentChanges::DocumentChange& document = changes_.documents()[number];
    const std::uint32_t row = born_.rows();
    born_.docids.push_back(document.docid);
    born_.ids.push_back(document.id);
    if (!document.id.empty()) ++mirror_.with_id;

    // What it has is a row of the new segment, and counts in the mirror as a whole.
    for (const auto& [term, count] : changes_.features(number)) {
      ++mirror_.df[term];
      born_.counts.column.push_back(term);
      born_.counts.count.push_back(count);
    }
    born_.counts.row_begin.push_back(born_.counts.column.size());

    for (const std::uint32_t label : changes_.labels(number)) {
      mirror_.labels.count_one(label);
      born_.label.push_back(label);
    }
    born_.label_begin.push_back(born_.label.size());

    born_.tagged.grow(born_.rows());
    born_.marked.grow(born_.rows());
    if (document.tagged) born_.tagged.set(row);
    if (document.marked) born_.marked.set(row);
  }

  Mirror finish() {
    born_.ids.index();
    // What came together becomes a segment, and small ones at the end are joined.
    if (born_.rows() > 0)
      for (LivingSegment& segment : cut_into_segments(std::move(born_), 1))
        mirror_.segments.push_back(std::move(segment));
    merge_segments(mirror_.segments);
    mirror_.list_segments();
    return std::move(mirror_);
  }

 private:
  const Mirror& known_;
  const DocumentChanges& changes_;
  Mirror mirror_;
  DocumentRows born_;
};

}  // namespace

DocumentChanges::DocumentChanges(const Mirror& known, const Settings& settings)
    : known_(known), settings_(settings), counted_(settings.mirror) {}

DocumentChanges::Fetched DocumentChanges::fetch(const Xapian::Database& database, Xapian::docid own,
                                                Xapian::docid docid) const {
  Fetched fetched;
  fetched.document.docid = docid;
  try {
    const auto slot = static_cast<Xapian::valueno>(settings_.labels.prediction_slot);
    const auto end = database.termlist_end(own);
    for (auto term = database.termlist_begin(own); term != end; ++term)
      sort_term(*term, term.get_wdf(), fetched);

    // The term list has shown that the document is there.
    const Xapian::Document document = database.get_document(own, Xapian::DOC_ASSUME_VALID);
    if (!document.get_value(slot).empty()) fetched.document.marked = true;
    if (settings_.index.ids != "terms")
      fetched.document.id = id_beside_terms(document, settings_.index);
    if (const std::string label = known_.shard_label_of(docid); !label.empty())
      add_label(label, fetched);

    // What does not count is as if it were not there.
    if (!counted_.are_all() && !counted_.has(document)) {
      fetched = Fetched();
      fetched.document.docid = docid;
      return fetched;
    }
    fetched.document.exists = true;
  } catch (const Xapian::DocNotFoundError&) {
  }
  return fetched;
}

void DocumentChanges::sort_term(std::string_view term, Xapian::termcount wdf,
                                Fetched& fetched) const {
  // A term may be a feature and one of the others, too: prefixes of features can be any.
  for (std::size_t i = 0; i < known_.prefixes.size(); ++i) {
    const auto word = value_under(known_.prefixes[i], term);
    if (!word || !is_word_under(known_.prefixes[i], *word)) continue;
    const auto count = static_cast<std::uint16_t>(std::clamp<Xapian::termcount>(wdf, 1, kMaxCount));
    if (const auto column = known_.dictionary.find(term)) {
      fetched.features.push_back({*column, count});
    } else {
      fetched.new_features.push_back({i, std::string(term), count});
    }
  }

  const LabelSettings& labels = settings_.labels;
  DocumentChange& document = fetched.document;

  const auto id = value_under(settings_.index.id_prefix, term);
  const bool is_of_term = id && settings_.index.ids == "terms" && is_id(settings_.index, *id);
  if (is_of_term && document.id.empty()) document.id = *id;

  if (const auto value = value_under(labels.prefix, term)) {
    const std::string label = label_name(*value);
    if (!is_system_label(labels, label)) add_label(label, fetched);
  }

  if (value_under(labels.predicted_prefix, term)) document.tagged = true;
  if (term == kOptOutTerm || value_under(labels.rejected_prefix, term)) document.marked = true;
}

void DocumentChanges::add_label(const std::string& label, Fetched& fetched) const {
  if (const auto known = known_.labels.names.find(label)) {
    fetched.labels.push_back(*known);
  } else {
    fetched.new_labels.push_back(label);
  }
}

void DocumentChanges::add(Fetched fetched) {
  // Documents are fetched by several threads, and added by one. So numbers of new terms are given
  // here, in the order of the documents, and not when a document is fetched.
  for (Fetched::NewFeature& feature : fetched.new_features) {
    const auto next = known_.dictionary.size() + static_cast<std::uint32_t>(new_terms_.size());
    const auto [term, added] =
        new_terms_.try_emplace({feature.prefix, std::move(feature.term)}, next);
    fetched.features.push_back({term->second, feature.count});
  }

  // New terms came last, and the features of a row ascend.
  std::ranges::sort(fetched.features, {}, &FeatureCount::term);
  features_.insert(features_.end(), fetched.features.begin(), fetched.features.end());

  for (std::string& name : fetched.new_labels) {
    const auto next = known_.labels.names.size() + static_cast<std::uint32_t>(new_labels_.size());
    fetched.labels.push_back(new_labels_.try_emplace({0, std::move(name)}, next).first->second);
  }
  std::ranges::sort(fetched.labels);

  // Several terms may spell one label.
  const auto twice = std::unique(fetched.labels.begin(), fetched.labels.end());
  labels_.insert(labels_.end(), fetched.labels.begin(), twice);

  fetched.document.features_end = features_.size();
  fetched.document.labels_end = labels_.size();
  documents_.push_back(std::move(fetched.document));
}

std::span<const DocumentChanges::FeatureCount> DocumentChanges::features(
    std::size_t document) const {
  const std::uint64_t begin = document == 0 ? 0 : documents_[document - 1].features_end;
  return std::span(features_).subspan(begin, documents_[document].features_end - begin);
}

std::span<const std::uint32_t> DocumentChanges::labels(std::size_t document) const {
  const std::uint64_t begin = document == 0 ? 0 : documents_[document - 1].labels_end;
  return std::span(labels_).subspan(begin, documents_[document].labels_end - begin);
}

bool holds_document(const Mirror& mirror, const DocumentChanges& read, std::size_t document) {
  const DocumentChanges::DocumentChange& stored = read.documents()[document];
  const Xapian::docid docid = stored.docid;
  if (!stored.exists || !mirror.has(docid)) return false;
  if (stored.id != (mirror.has_ids() ? mirror.id_of(docid) : std::string())) return false;

  // Only what a mirror holds counts. A document may have changed in other ways.
  using Feature = DocumentChanges::FeatureCount;
  const RowEntries entries = mirror.terms_of(docid);
  const auto features = read.features(document);
  return stored.tagged == mirror.tagged.has(docid) && stored.marked == mirror.marked.has(docid) &&
         std::ranges::equal(read.labels(document), mirror.labels_of(docid)) &&
         std::ranges::equal(features, entries.columns, {}, &Feature::term) &&
         std::ranges::equal(features, entries.counts, {}, &Feature::count);
}

void DatabaseCounts::add(const DatabaseCounts& shard) {
  documents += shard.documents;
  stems = stems || shard.stems;
  tags.pending += shard.tags.pending;
  tags.opted_out += shard.tags.opted_out;
  tags.rejected += shard.tags.rejected;
  frequencies.resize(shard.frequencies.size());
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] += shard.frequencies[i];
  }
}

DatabaseCounts read_counts(const Xapian::Database& database, const Settings& settings,
                           std::span<const std::string> terms) {
  DatabaseCounts counts;
  counts.documents = CountedDocuments(settings.mirror).count(database);
  counts.stems = has_stems(database);
  counts.tags.pending = database.get_termfreq(kPendingTerm);
  counts.tags.opted_out = database.get_termfreq(kOptOutTerm);

  // A term may begin with the prefix and be of a longer one.
  const std::string& prefix = settings.labels.rejected_prefix;
  for (TermReader rejected(database, prefix); !rejected.at_end(); rejected.next())
    if (value_under(prefix, rejected.term())) counts.tags.rejected += rejected.termfreq();

  for (const std::string& term : terms) counts.frequencies.push_back(database.get_termfreq(term));
  return counts;
}

std::optional<Mirror> followed_mirror(const Mirror& known, const DocumentChanges& changes,
                                      DatabaseRevision revision, const DatabaseCounts& counts,
                                      const Settings& settings) {
  if (feature_prefixes(counts.stems, settings.mirror) != known.prefixes) return std::nullopt;

  // A document that was read though it did not change keeps its row, so that segments stay as they
  // are.
  MirrorUpdate update(known, changes);
  for (std::size_t i = 0; i < changes.documents().size(); ++i) {
    const DocumentChanges::DocumentChange& document = changes.documents()[i];
    if (holds_document(known, changes, i)) continue;
    if (known.has(document.docid)) update.die(document.docid);
    if (document.exists) update.bear(i);
  }

  Mirror mirror = update.finish();
  mirror.set_revision(std::move(revision));
  mirror.tags = counts.tags;
  mirror.tags.tagged = mirror.tagged.count();
  return mirror;
}

}  // namespace kindred
