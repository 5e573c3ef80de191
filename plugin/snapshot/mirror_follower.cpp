#include "plugin/snapshot/mirror_follower.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "gpu/workers.h"
#include "plugin/mirror/document_changes.h"
#include "plugin/mirror/mirror_update.h"
#include "plugin/store/database.h"

namespace kindred {
namespace {

constexpr int kAttempts = 5;                 // each fails only if somebody commits meanwhile
constexpr std::size_t kFewDocuments = 1000;  // always worth reading one by one
constexpr std::size_t kCheckedTerms = 100;
constexpr std::size_t kCheckedDocuments = 32;

/// False if the database has other frequencies of changed terms than the mirror: then a change was
/// missed.
bool has_frequencies(const Xapian::Database& database, const DocumentChanges& changes,
                     const Mirror& known, const Mirror& mirror) {
  const auto agrees = [&](const std::string& term) {
    const auto column = mirror.vocabulary.find(term);
    return database.get_termfreq(term) == (column ? mirror.df[*column] : 0);
  };
  std::size_t checked = 0;
  for (const auto& [key, number] : changes.new_terms()) {
    if (++checked > kCheckedTerms) break;
    if (!agrees(key.second)) return false;
  }
  checked = 0;
  for (std::size_t i = 0; i < changes.documents().size(); ++i) {
    for (const DocumentChanges::FeatureCount& feature : changes.features(i)) {
      if (feature.term >= known.vocabulary.size()) continue;
      if (++checked > kCheckedTerms) return true;
      if (!agrees(std::string(known.vocabulary[feature.term]))) return false;
    }
  }
  return true;
}

bool has_labels(const Mirror& mirror, std::uint32_t row, std::span<const std::uint32_t> read) {
  std::vector<std::uint32_t> labels(read.begin(), read.end());
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return std::ranges::equal(labels, mirror.labels.of(row));
}

/// True if the mirror holds a document as the database does.
bool has_row(const Mirror& mirror, std::uint32_t row, const DocumentChanges& read,
             std::size_t document) {
  const auto& stored = read.documents()[document];
  if (!stored.exists || (mirror.has_ids && mirror.ids[row] != stored.id)) return false;
  if (stored.tagged != mirror.tagged.has(row) || stored.marked != mirror.marked.has(row) ||
      !has_labels(mirror, row, read.labels(document)))
    return false;
  const std::uint64_t begin = mirror.counts.row_begin[row];
  const auto features = read.features(document);
  if (mirror.counts.row_begin[row + std::size_t{1}] - begin != features.size()) return false;
  return std::all_of(features.begin(), features.end(), [&](const auto& feature) {
    const auto first = mirror.counts.column.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(features.size());
    const auto at = std::lower_bound(first, last, feature.term);
    return at != last && *at == feature.term &&
           mirror.counts.count[static_cast<std::size_t>(at - mirror.counts.column.begin())] ==
               feature.count;
  });
}

/// False if documents all over the mirror are not those of the database: a database that was
/// restored from a backup has the same UUID, and may have the same revision.
bool has_documents(const Xapian::Database& database, const Mirror& mirror,
                   const Settings& settings) {
  DocumentChanges read(mirror, settings);
  const std::size_t rows = mirror.docids.size(), step = rows / kCheckedDocuments + 1;
  for (std::size_t row = step / 2; row < rows; row += step) {
    read.read(database, mirror.docids[row]);
    if (!has_row(mirror, static_cast<std::uint32_t>(row), read, read.documents().size() - 1))
      return false;
  }
  return true;
}

MirrorFollower::Outcome refused(const std::string& why_not) {
  MirrorFollower::Outcome outcome;
  outcome.why_not = why_not;
  return outcome;
}

}  // namespace

MirrorFollower::MirrorFollower(std::string path, const Settings& settings)
    : path_(std::move(path)), settings_(settings) {}

void MirrorFollower::begin() { state_ = read_termlist_state(path_, why_no_state_); }

MirrorFollower::Outcome MirrorFollower::follow(const Mirror& known) {
  if (!can_update(settings_.mirror)) return refused("mirror.min_df or mirror.max_df is set");
  if (!state_) return refused(why_no_state_);
  Outcome outcome;
  for (int i = 0; i < kAttempts; ++i) {
    try {
      bool overtaken = false;
      outcome = attempt(known, overtaken);
      if (!overtaken) return outcome;
    } catch (const std::exception& e) {  // overwritten blocks look like any damage
      outcome = refused(e.what());
    } catch (const Xapian::Error& e) {
      outcome = refused(e.get_description());
    }
  }
  return outcome;
}

/// `overtaken`: the database moved on meanwhile, and another attempt may succeed.
MirrorFollower::Outcome MirrorFollower::attempt(const Mirror& known, bool& overtaken) {
  Outcome outcome;
  const auto changes = walk_changes(path_, *state_, outcome.why_not);
  if (!changes) return outcome;
  const std::vector<Xapian::docid> documents = candidates(known, *changes);
  if (documents.size() > kFewDocuments && documents.size() > known.docids.size() / 4) {
    outcome.why_not = "more than a quarter of the documents may have changed";
    return outcome;
  }
  outcome.why_not = "others write faster than the changes can be read";
  const Xapian::Database database = open_database(path_);
  overtaken =
      revision_of(database) != changes->now.revision || database.get_uuid() != changes->now.uuid;
  if (overtaken) return outcome;
  DocumentChanges read(known, settings_);
  for (const Xapian::docid docid : documents) read.read(database, docid);
  if (documents.empty() && known.revision == changes->now.revision) {
    const bool same = has_documents(database, known, settings_);
    overtaken = !still_at(path_, changes->now);
    if (!overtaken && !same) outcome.why_not = "documents are not those that were saved";
    outcome.unchanged = !overtaken && same;
    return outcome;
  }
  std::optional<Mirror> mirror =
      updated_mirror(known, read, database, settings_,
                     number_of_threads(static_cast<std::size_t>(settings_.backend.threads)));
  const bool complete = mirror && mirror->docids.size() == database.get_doccount() &&
                        has_frequencies(database, read, known, *mirror) &&
                        has_documents(database, *mirror, settings_);
  overtaken = !still_at(path_, changes->now);
  if (overtaken) return outcome;
  outcome.why_not = !mirror     ? "features have other prefixes by now"
                    : !complete ? "the changes that were found do not explain the database's counts"
                                : "";
  if (!complete) return outcome;
  state_ = changes->now;
  outcome.mirror = std::move(mirror);
  outcome.documents_read = documents.size();
  return outcome;
}

/// The documents that may have changed: those in new leaves, and known ones where leaves were
/// rewritten or are gone.
std::vector<Xapian::docid> MirrorFollower::candidates(const Mirror& known,
                                                      const TermlistChanges& changes) const {
  std::vector<Xapian::docid> gone;
  for (const DocidRange& range : changes.ranges) {
    const auto begin = std::lower_bound(known.docids.begin(), known.docids.end(), range.first);
    const auto end = std::upper_bound(begin, known.docids.end(), range.last);
    gone.insert(gone.end(), begin, end);
  }
  std::sort(gone.begin(), gone.end());
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
  std::vector<Xapian::docid> all;
  std::set_union(changes.present.begin(), changes.present.end(), gone.begin(), gone.end(),
                 std::back_inserter(all));
  return all;
}

}  // namespace kindred
