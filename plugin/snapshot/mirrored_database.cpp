#include "plugin/snapshot/mirrored_database.h"

#include <chrono>
#include <map>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/input/document_data.h"
#include "plugin/mirror/reading/surveys.h"
#include "plugin/query/filter.h"
#include "plugin/store/database.h"
#include "plugin/store/readers.h"
#include "plugin/store/settled_settings.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

using Groups = std::vector<std::vector<Xapian::docid>>;

Groups groups_by_term(const Xapian::Database& database, const std::string& prefix) {
  Groups groups;
  for (TermReader terms(database, prefix); !terms.at_end(); terms.next()) {
    if (!value_under(prefix, terms.term())) continue;
    auto& group = groups.emplace_back();
    for (PostingReader list(database, terms.term()); !list.at_end(); list.next())
      group.push_back(list.docid());
  }
  return groups;
}

Groups groups_by_value(const Xapian::Database& database, Xapian::valueno slot) {
  std::map<std::string, std::vector<Xapian::docid>> of_value;
  for (ValueReader values(database, slot); !values.at_end(); values.next())
    of_value[values.value()].push_back(values.docid());

  Groups groups;
  for (auto& [value, docids] : of_value) groups.push_back(std::move(docids));
  return groups;
}

}  // namespace

MirroredDatabase::MirroredDatabase(std::string path, const Xapian::Database* opened,
                                   const Settings& settings)
    : path_(std::move(path)),
      database_(opened != nullptr ? DatabaseReader(*opened) : DatabaseReader(path_)),
      settings_(settled_settings(database_, path_, settings)),
      location_(file_location(path_, settings_.index.directory)),
      analyzers_(settings_.analyzer, settings_.index),
      readers_([this] {
        return std::make_unique<DatabaseReader>(path_);
      }) {}

std::string MirroredDatabase::uuid() {
  const std::lock_guard lock(mutex_);
  return database_.database().get_uuid();
}

bool MirroredDatabase::has_moved(const Mirror& known, const std::optional<DatabaseState>& shards) {
  const std::lock_guard lock(mutex_);
  const bool followed = database_.follow(name() + ": cannot follow the database");
  if (shards && !still_at(path_, *shards)) return true;  // perhaps the same revision, restored

  // Where Xapian tells no revision, the states of the shards have decided, or whether the reader
  // found another header. Of a database that the caller opened nothing tells.
  const std::uint64_t revision = revision_of(database_.database());
  if (revision == 0 && known.revision == 0) return !shards && (followed || path_.empty());
  return revision != known.revision || database_.database().get_uuid() != known.uuid;
}

MirroredDatabase::Turn MirroredDatabase::take_turn(const Pulse& pulse) {
  if (!pulse) return Turn(mutex_);

  Turn turn(mutex_, std::defer_lock);
  // By the system's clock: ThreadSanitizer of GCC 12 does not know the other way to wait.
  while (!turn.try_lock_until(std::chrono::system_clock::now() + std::chrono::milliseconds(20)))
    pulse();
  return turn;
}

std::shared_ptr<const DocumentSet> MirroredDatabase::matching(const Snapshot& snapshot,
                                                              const std::string& filter,
                                                              const Pulse& pulse) {
  FilterCache& known = snapshot.filters();
  if (auto found = known.find(filter, database_.openings())) return found;

  const auto analyzer = analyzers_.lease_for_query(filter);
  const Turn turn = take_turn(pulse);
  if (auto found = known.find(filter, database_.openings())) return found;  // asked meanwhile

  const std::string doing = name() + ": cannot apply the filter";
  auto found = database_.read(doing, [&](const Xapian::Database& database) {
    return std::make_shared<const DocumentSet>(
        matching_documents(database, snapshot.mirror(), snapshot.vocabulary().get(), filter,
                           settings_, *analyzer, pulse));
  });

  // Under the number of openings after the read, which may have opened the database anew.
  known.keep(filter, database_.openings(), found);
  return found;
}

TagLimits MirroredDatabase::limits_of(const Snapshot& snapshot, const Example& example,
                                      Xapian::docid docid) {
  TagLimits limits;
  if (snapshot.mirror().marked.has(docid)) limits = tags_of(snapshot, docid).tags.limits;

  // What a record says goes before what its document has, and rejected tags add up.
  if (const auto* record = std::get_if<Record>(&example)) {
    limits.auto_tag = record->auto_tag.value_or(limits.auto_tag);
    limits.rejected.insert(limits.rejected.end(), record->rejected_labels.begin(),
                           record->rejected_labels.end());
  }
  return limits;
}

TitledTags MirroredDatabase::tags_of(const Snapshot& snapshot, Xapian::docid docid) {
  return read("cannot read a document's tags", [&](const auto& database) {
    TitledTags found;
    try {
      const Xapian::Document document = database.get_document(docid);
      StoredTags tags = read_tags(document, settings_, docid);
      settle_limits(tags, settings_.labels);
      add_shard_label(snapshot.mirror().shard_label_of(docid), tags);
      found = {std::move(tags), document_heading(document, settings_.index)};
    } catch (const Xapian::DocNotFoundError&) {  // deleted since, or its terms are not kept
      found.tags.labels = snapshot.mirror().label_names_of(docid);
    }
    return found;
  });
}

std::vector<Xapian::docid> MirroredDatabase::with_term(const Snapshot& snapshot,
                                                       const std::string& term,
                                                       const DocumentSet* among) {
  return read("cannot read the documents of a query", [&](const auto& database) {
    std::vector<Xapian::docid> docids;
    for (PostingReader list(database, term); !list.at_end(); list.next()) {
      const Xapian::docid docid = list.docid();
      // The database may be ahead of the snapshot, and have documents that the snapshot lacks.
      const bool is_known = among != nullptr ? among->has(docid) : snapshot.mirror().has(docid);
      if (is_known) docids.push_back(docid);
    }
    return docids;
  });
}

std::optional<Xapian::valueno> slot_of_group(const std::string& name) {
  if (!name.starts_with("value:")) return std::nullopt;

  const auto value = slot_value(name);
  if (!value || name.find('=') != std::string::npos)
    throw Error(
        Errc::kInvalidArgument,
        "group '" + shortened(name) + "': expected a prefix, or value: and the number of a slot");
  return value->first;
}

std::vector<std::vector<Xapian::docid>> MirroredDatabase::groups(const std::string& prefix) {
  const auto slot = slot_of_group(prefix);
  Groups groups = read("cannot read the groups of " + prefix, [&](const auto& database) {
    if (slot) return groups_by_value(database, *slot);
    return groups_by_term(database, prefix);
  });
  std::erase_if(groups, [](const auto& group) {
    return group.size() < 2;
  });
  return groups;
}

std::shared_ptr<const api::LabelsAnswer> MirroredDatabase::label_counts(const Pulse& pulse) {
  const Turn turn = take_turn(pulse);

  // Whoever opened the database may have changed it since, and need not have committed.
  const bool may_keep = !path_.empty();
  if (may_keep && label_counts_ && counted_opening_ == database_.openings()) return label_counts_;

  const std::string doing = name() + ": cannot read its labels";
  auto counts = database_.read(doing, [&](const Xapian::Database& database) {
    api::LabelsAnswer all{
        {revision_of(database)},
        survey_labels(database, settings_, shard_labels(path_, settings_.labels), pulse)};
    all.found = all.labels.size();
    return std::make_shared<const api::LabelsAnswer>(std::move(all));
  });
  if (!may_keep) return counts;

  // Under the number of openings after the read, which may have opened the database anew.
  label_counts_ = counts;
  counted_opening_ = database_.openings();
  return counts;
}

KeptFiles MirroredDatabase::kept() { return read("cannot read its metadata", kept_files); }

void MirroredDatabase::read_latest(const std::string& what,
                                   const std::function<void(const Xapian::Database&)>& body) {
  if (path_.empty()) return read(what, body);
  const std::string doing = name() + ": " + what;
  const Pool<DatabaseReader>::Lease reader = readers_.lease();
  reader->catch_up(doing);
  reader->read(doing, body);
}

}  // namespace kindred
