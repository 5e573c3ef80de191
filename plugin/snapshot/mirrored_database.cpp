#include "plugin/snapshot/mirrored_database.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/documents/languages.h"
#include "plugin/glass/database_walk.h"
#include "plugin/mirror/filter/filter.h"
#include "plugin/mirror/mirror_file.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/mirror/reading/read_revisions.h"
#include "plugin/profile/document_names.h"
#include "plugin/profile/settled_settings.h"
#include "plugin/store/database.h"
#include "plugin/store/posting_reader.h"
#include "plugin/store/prefix.h"

namespace kindred {
namespace {

constexpr std::uint64_t kAllUnsaved = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kAlwaysUnsaved = 1000;  // documents for which a mirror is not saved again
constexpr std::uint64_t kUnsavedShare = 8;      // nor for fewer than 1 in so many

/// The reader, once the settings have been found to be good.
DatabaseReader opened_reader(const std::string& path, const Xapian::Database* opened,
                             const Settings& settings) {
  check_settings(settings);
  return opened != nullptr ? DatabaseReader(*opened) : DatabaseReader(path);
}

/// The shards that a stub of folders lists, each for a thread of its own, and the database that
/// they are together. None for anything else.
struct OpenedShards {
  explicit OpenedShards(const std::string& path) {
    std::string why;
    const auto folders = path.empty() ? std::nullopt : shard_folders(path, why);
    if (!folders || folders->size() < 2) return;
    for (const std::string& folder : *folders) {
      each.push_back(open_database(folder));
      all.add_database(each.back());
    }
    if (all.size() != each.size()) each.clear();  // one of them is a stub itself
  }
  Xapian::Database all;
  std::vector<Xapian::Database> each;
};

using Groups = std::vector<std::vector<std::uint32_t>>;

/// The slot of "value:SLOT"; nothing for a prefix.
std::optional<Xapian::valueno> slot_of_group(const std::string& name) {
  constexpr std::string_view kValue = "value:";
  if (!name.starts_with(kValue)) return std::nullopt;
  Xapian::valueno slot = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, fault] = std::from_chars(name.data() + kValue.size(), end, slot);
  if (fault != std::errc() || rest != end)
    throw Error(Errc::kInvalidArgument,
                "group '" + name + "': expected a prefix, or value: and the number of a slot");
  return slot;
}

Groups groups_by_term(const Xapian::Database& database, const Snapshot& snapshot,
                      const std::string& prefix) {
  Groups groups;
  for (TermReader terms(database, prefix); !terms.at_end(); terms.next()) {
    if (!value_under(prefix, terms.term())) continue;
    auto& group = groups.emplace_back();
    for (PostingReader list(database, terms.term()); !list.at_end(); list.next())
      if (const auto row = snapshot.row_of(list.docid())) group.push_back(*row);
  }
  return groups;
}

Groups groups_by_value(const Xapian::Database& database, const Snapshot& snapshot,
                       Xapian::valueno slot) {
  std::map<std::string, std::vector<std::uint32_t>> of_value;
  for (ValueReader values(database, slot); !values.at_end(); values.next())
    if (const auto row = snapshot.row_of(values.docid())) of_value[values.value()].push_back(*row);
  Groups groups;
  for (auto& [value, rows] : of_value) groups.push_back(std::move(rows));
  return groups;
}

}  // namespace

MirroredDatabase::MirroredDatabase(std::string path, const Xapian::Database* opened,
                                   const Settings& settings, Log log, ReadingProgress on_reading)
    : path_(std::move(path)),
      database_(opened_reader(path_, opened, settings)),
      settings_(settled_settings(database_, path_, settings)),
      location_(file_location(path_, settings_.index.directory)),
      log_(std::move(log)),
      on_reading_(std::move(on_reading)),
      threads_(number_of_threads(static_cast<std::size_t>(settings_.backend.threads))),
      analyzers_(settings_.analyzer, settings_.index),
      follower_(path_, settings_) {}

/// The tuning of the database; settings may turn it off. It is read again if its file has changed.
/// One of another index is refused. In index.directory, where another index may have had the same
/// path, it is only reported, as is one of another format anywhere.
const std::shared_ptr<const Tuning>& MirroredDatabase::load_tuning(const std::string& uuid) {
  if (!settings_.classify.use_tuning || path_.empty()) return tuning_;
  const auto is_own = [&](const Tuning& tuning) {
    return tuning.uuid == uuid || kept().has_uuid(tuning.uuid);
  };
  if (tuning_ && tuning_->stamp == tuning_stamp(location_) && is_own(*tuning_)) return tuning_;
  tuning_.reset();
  const std::string stamp = tuning_stamp(location_);
  const auto pass_over = [&](const std::string& why) {
    {
      const std::lock_guard lock(refused_mutex_);
      refused_tuning_ = stamp;
    }
    say_once(why);
  };
  try {
    std::optional<Tuning> read = read_tuning(location_, "");
    if (read && is_own(*read)) {
      tuning_ = std::make_shared<const Tuning>(std::move(*read));
    } else if (read) {
      if (location_ == path_) read_tuning(path_, uuid);  // which refuses it
      pass_over(tuning_path(location_) + ": not used: made for another index: expected uuid " +
                uuid + ", found " + read->uuid + "; tune again");
    }
  } catch (const Error& e) {
    if (e.code() != Errc::kUnsupported) throw;
    pass_over(e.what());
  }
  return tuning_;
}

std::shared_ptr<const Tuning> MirroredDatabase::tuning_of(const Mirror& mirror) {
  const std::shared_ptr<const Tuning>& tuning = load_tuning(mirror.uuid);
  if (!tuning || tuning->prefixes == mirror.prefixes) return tuning;
  throw Error(Errc::kInvalidArgument,
              tuning_path(location_) +
                  ": tuned with other mirror.term_prefixes than the settings'; "
                  "tune again, or set classify.use_tuning = false");
}

bool MirroredDatabase::should_save(const Snapshot& known, bool closing) const {
  const std::string& when = settings_.mirror.save;
  if ((when != "close" && when != "follow") || !follower_.state()) return false;
  if (closing) return unsaved_ > 0;
  return when == "follow" && unsaved_ > kAlwaysUnsaved + known.mirror().documents() / kUnsavedShare;
}

Mirror MirroredDatabase::read_lists() {
  unsaved_ = kAllUnsaved;
  const ReadingProgress on_reading = std::exchange(on_reading_, {});
  const auto read = [&](DatabaseReader& source) {
    return source.read(name() + ": cannot mirror the database", [&](const auto& database) {
      const OpenedShards shards(path_);
      Mirror mirror = shards.each.empty()
                          ? read_mirror(database, settings_, on_reading)
                          : read_mirror(shards.all, settings_, on_reading, {shards.each, threads_});
      if (!mirror.agrees && source.overtaken()) {
        throw Xapian::DatabaseModifiedError("lists of terms were overwritten while they were read");
      }
      return mirror;
    });
  };
  if (path_.empty()) {  // it cannot be opened a second time
    const std::lock_guard lock(mutex_);
    return read(database_);
  }
  follower_.begin();
  DatabaseReader source(path_, DatabaseReader::Extent::kLists);
  return read(source);
}

/// The saved mirror, brought up to date; nothing if there is none that can be used.
std::optional<Mirror> MirroredDatabase::load_saved() {
  if (path_.empty()) return std::nullopt;
  const std::string path =
      saved_mirror_path(location_, database_.database().get_uuid(), settings_.mirror);
  try {
    SavedMirror saved = load_mirror(path, settings_, threads_);
    follower_.resume(std::move(saved.state));
    MirrorFollower::Outcome followed = follower_.follow(saved.mirror);
    if (!followed.mirror && !followed.unchanged) {
      tell(path + ": not used, save it again: " + followed.why_not);
      return std::nullopt;
    }
    tell_followed(path + ": saved mirror", followed);
    unsaved_ = followed.documents_read;
    if (followed.mirror) return std::move(followed.mirror);
    saved.mirror.shard_revisions = revisions_of(*follower_.state());
    return std::move(saved.mirror);
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) tell(e.what());
  }
  return std::nullopt;
}

void MirroredDatabase::tell(const std::string& message) {
  if (log_) log_(message);
}

void MirroredDatabase::tell_followed(const std::string& what,
                                     const MirrorFollower::Outcome& followed) {
  tell(what + ": read " + std::to_string(followed.documents_read) +
       " documents that may have changed");
}

std::string MirroredDatabase::save(const Snapshot& known) {
  if (!follower_.state())
    throw Error(Errc::kUnsupported,
                name() + ": its mirror cannot be saved, since changes could not be followed: " +
                    follower_.why_no_state());
  const std::string path = saved_mirror_path(location_, known.mirror().uuid, settings_.mirror);
  save_mirror(known.mirror(), *follower_.state(), settings_, path, threads_);
  unsaved_ = 0;
  return path;
}

std::shared_ptr<const Snapshot> MirroredDatabase::read_snapshot() {
  load_tuning(database_.database().get_uuid());
  std::optional<Mirror> saved = load_saved();
  auto snapshot = make_snapshot(saved ? std::move(*saved) : read_lists());
  follower_.accept();
  return snapshot;
}

std::shared_ptr<const Snapshot> MirroredDatabase::next_snapshot(
    const Snapshot& known, std::span<const Xapian::docid> changed) {
  MirrorFollower::Outcome followed = follow(known, changed);
  if (followed.unchanged) followed.mirror = known.mirror();
  if (followed.mirror) {
    tell_followed(name(), followed);
    unsaved_ += std::min<std::uint64_t>(followed.documents_read, kAllUnsaved - unsaved_);
    const bool is_waste = 2 * followed.mirror->terms() < followed.mirror->vocabulary.size();
    if (is_waste) followed.mirror = compacted_mirror(*followed.mirror, threads_);
    auto snapshot = make_snapshot(std::move(*followed.mirror), is_waste ? nullptr : &known);
    follower_.accept();
    return snapshot;
  }
  const std::string why = name() + ": all documents are read again: " + followed.why_not;
  if (!path_.empty() && why != last_why_) tell(why);
  last_why_ = why;
  auto snapshot = make_snapshot(read_lists());
  follower_.accept();
  return snapshot;
}

MirrorFollower::Outcome MirroredDatabase::follow(const Snapshot& known,
                                                 std::span<const Xapian::docid> changed) {
  if (!path_.empty() && (follower_.state() || changed.empty()))
    return follower_.follow(known.mirror());
  MirrorFollower::Outcome outcome;
  if (changed.empty()) return outcome;
  const std::lock_guard lock(mutex_);
  database_.follow(name() + ": cannot follow the database");
  outcome = database_.read(name() + ": cannot read documents", [&](const auto& database) {
    return follower_.take(known.mirror(), database, {changed.begin(), changed.end()});
  });
  if (!database_.overtaken()) return outcome;
  outcome.mirror.reset();
  outcome.why_not = "others wrote meanwhile";
  return outcome;
}

std::shared_ptr<const Snapshot> MirroredDatabase::compact_snapshot(const Snapshot& known) {
  auto snapshot = make_snapshot(compacted_mirror(known.mirror(), threads_));
  if (known.voting().has_class_sums())
    snapshot->voting().class_sums();  // so that no question waits
  return snapshot;
}

/// `before`: a snapshot of an earlier state of the mirror, or null.
std::shared_ptr<const Snapshot> MirroredDatabase::make_snapshot(Mirror mirror,
                                                                const Snapshot* before) {
  std::shared_ptr<const Tuning> tuning = tuning_of(mirror);
  if (analyzers_.detects()) expect_languages();
  std::optional<RowSet> matching;
  if (tuning && !tuning->filter.empty()) {
    DatabaseReader source(path_);  // only a database with a path is tuned
    matching =
        source.read(name() + ": cannot apply the tuning's filter", [&](const auto& database) {
          return matching_rows(database, mirror, tuning->filter, settings_,
                               *analyzers_.lease_for_query(tuning->filter));
        });
  }
  return std::make_shared<const Snapshot>(
      std::move(mirror), settings_, [this](const std::string& message) { say_once(message); },
      std::move(tuning), matching ? &*matching : nullptr, before);
}

/// From now on, queries are in the languages that the documents name.
void MirroredDatabase::expect_languages() {
  std::vector<std::string> languages;
  const std::lock_guard lock(mutex_);
  database_.read(name() + ": cannot read the languages", [&](const Xapian::Database& database) {
    languages.clear();
    for (LanguageCount& count : languages_of(database))
      languages.push_back(std::move(count.language));
  });
  analyzers_.expect_languages(languages);
}

/// Logs a message unless it is the last one again: each snapshot may report the same, when it is
/// made or when it is asked, in any thread.
void MirroredDatabase::say_once(const std::string& message) {
  {
    const std::lock_guard lock(said_mutex_);
    if (message == last_said_) return;
    last_said_ = message;
  }
  tell(message);
}

/// True also for a file that could not be read, since no snapshot was made with it: it is read
/// again until that succeeds.
bool MirroredDatabase::tuning_moved(const Snapshot& known) {
  if (!settings_.classify.use_tuning || path_.empty()) return false;
  const Tuning* const tuning = known.voting().tuning();
  const std::string stamp = tuning_stamp(location_);
  if (tuning != nullptr) return stamp != tuning->stamp;
  const std::lock_guard lock(refused_mutex_);
  return !stamp.empty() && stamp != refused_tuning_;
}

bool MirroredDatabase::moved(const Snapshot& known) {
  const std::lock_guard lock(mutex_);
  const bool followed = database_.follow(name() + ": cannot follow the database");
  if (tuning_moved(known)) return true;
  const std::uint64_t revision = revision_of(database_.database());
  if (revision == 0 && known.mirror().revision == 0) {
    const auto& shards = follower_.state();
    return shards ? !still_at(path_, *shards) : followed || path_.empty();
  }
  return revision != known.mirror().revision ||
         database_.database().get_uuid() != known.mirror().uuid;
}

std::shared_ptr<const RowSet> MirroredDatabase::matching(const Snapshot& snapshot,
                                                         const std::string& filter) {
  FilterCache& known = snapshot.filters();
  if (auto rows = known.find(filter, database_.openings())) return rows;
  const auto analyzer = analyzers_.lease_for_query(filter);
  const std::lock_guard lock(mutex_);
  if (auto rows = known.find(filter, database_.openings())) return rows;  // asked meanwhile
  const std::string doing = name() + ": cannot apply the filter";
  auto rows = database_.read(doing, [&](const Xapian::Database& database) {
    return std::make_shared<const RowSet>(
        matching_rows(database, snapshot.mirror(), filter, settings_, *analyzer));
  });
  known.keep(filter, database_.openings(), rows);
  return rows;
}

TagLimits MirroredDatabase::limits_of(const Snapshot& snapshot, const Example& example,
                                      std::uint32_t row) {
  TagLimits limits;
  if (row != Neighbor::kNoRow && snapshot.mirror().marked.has(row)) {
    const std::lock_guard lock(mutex_);
    const std::string doing = name() + ": cannot read a document's tags";
    limits = database_.read(doing, [&](const Xapian::Database& database) {
      try {
        StoredTags tags = read_tags(database.get_document(snapshot.docid_of(row)), settings_);
        settle_limits(tags, settings_.labels);
        return tags.limits;
      } catch (const Xapian::DocNotFoundError&) {
        return TagLimits{};  // deleted since the snapshot was made
      }
    });
  }
  if (const auto* record = std::get_if<Record>(&example)) {
    limits.auto_tag = record->auto_tag.value_or(limits.auto_tag);
    limits.rejected.insert(limits.rejected.end(), record->rejected_labels.begin(),
                           record->rejected_labels.end());
  }
  return limits;
}

TitledTags MirroredDatabase::tags_of(const Snapshot& snapshot, std::uint32_t row) {
  TitledTags found;
  read("cannot read a document's tags", [&](const Xapian::Database& database) {
    try {
      const Xapian::Document document = database.get_document(snapshot.docid_of(row));
      StoredTags tags = read_tags(document, settings_);
      settle_limits(tags, settings_.labels);
      found = {std::move(tags), document_heading(document, settings_.index)};
    } catch (const Xapian::DocNotFoundError&) {  // deleted since, or its terms are not kept
      found = {};
      found.tags.labels = snapshot.mirror().labels.names_of(row);
    }
  });
  return found;
}

std::vector<Xapian::docid> MirroredDatabase::with_term(const Snapshot& snapshot,
                                                       const std::string& term,
                                                       const RowSet* rows) {
  std::vector<Xapian::docid> docids;
  read("cannot read the documents of a query", [&](const Xapian::Database& database) {
    docids.clear();
    for (PostingReader list(database, term); !list.at_end(); list.next()) {
      const auto row = snapshot.row_of(list.docid());
      if (row && (rows == nullptr || rows->has(*row))) docids.push_back(list.docid());
    }
  });
  return docids;
}

std::vector<std::vector<std::uint32_t>> MirroredDatabase::groups(const Snapshot& snapshot,
                                                                 const std::string& prefix) {
  std::vector<std::vector<std::uint32_t>> groups;
  const auto slot = slot_of_group(prefix);
  read("cannot read the groups of " + prefix, [&](const Xapian::Database& database) {
    groups = slot ? groups_by_value(database, snapshot, *slot)
                  : groups_by_term(database, snapshot, prefix);
  });
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

KeptFiles MirroredDatabase::kept() {
  KeptFiles files;
  read("cannot read its metadata",
       [&](const Xapian::Database& database) { files = kept_files(database); });
  return files;
}

void MirroredDatabase::read(const std::string& what,
                            const std::function<void(const Xapian::Database&)>& body) {
  const std::lock_guard lock(mutex_);
  database_.read(name() + ": " + what, body);
}

}  // namespace kindred
