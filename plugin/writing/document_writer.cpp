#include "plugin/writing/document_writer.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "config/error.h"
#include "plugin/documents/features.h"
#include "plugin/store/database.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/remembered.h"
#include "plugin/store/terms.h"
#include "plugin/store/value_check.h"
#include "plugin/store/writable_database.h"
#include "plugin/topics/topic_shelf.h"

namespace kindred {
namespace {

/// The engine logs from other threads.
IngestOptions with_turns(IngestOptions options) {
  options.log = taking_turns(std::move(options.log));
  return options;
}

/// Settings that allow to write. To be known before the database is opened, and so made.
const Settings& writable(const std::string& path, const Settings& settings) {
  check_may_write(path, settings);
  if (settings.index.ids != "terms")
    throw Error(Errc::kUnsupported,
                path + ": expected index.ids = \"terms\" to add records, found \"" +
                    settings.index.ids + "\"");
  return settings;
}

/// Documents classified together: enough to keep all threads busy, few enough to keep in memory.
constexpr std::size_t kWave = 512;
constexpr std::size_t kWaveBytes = std::size_t{32} << 20;  ///< of text, for documents that are long
/// Bytes of records between two commits: Xapian keeps what is not committed in memory.
constexpr std::size_t kMostUncommitted = std::size_t{256} << 20;

std::unique_ptr<DeadLetters> open_dead_letters(const IngestSettings& settings) {
  if (settings.on_failure != "dead_letter") return nullptr;
  return std::make_unique<DeadLetters>(settings.dead_letters);
}

/// The labels of a record that are none of the system, in byte order.
std::vector<std::string> labels_of(const Record& record, const LabelSettings& settings) {
  std::vector<std::string> labels;
  std::ranges::copy_if(record.labels, std::back_inserter(labels), [&](const std::string& label) {
    return !is_system_label(settings, label);
  });
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

}  // namespace

DocumentWriter::DocumentWriter(const std::string& path, const Settings& settings,
                               std::size_t threads, IngestOptions options, Engine* shared)
    : path_(path),
      settings_(writable(path, settings)),
      options_(with_turns(std::move(options))),
      dead_letters_(open_dead_letters(settings.ingest)),
      // If the database of an engine has been removed, it must not be made again.
      held_{open_writable_database(
          path, settings_.write, shared == nullptr ? Xapian::DB_CREATE_OR_OPEN : Xapian::DB_OPEN)},
      history_(path_, settings_, options_.who, options_.tag ? "ingest" : "index"),
      tagger_(path_, settings_, threads, options_, shared) {
  // Found before the first record, and kept with an index that is made now.
  check_values(*held_.database, path_, settings_);
  with_database_errors(path_ + ": cannot write", [&] {
    if (!remember_at_birth(*held_.database, settings_))
      remember_given(settings_, file_location(path_, settings_.index.directory));
  });
}

std::shared_ptr<const TopicMap> DocumentWriter::read_map() const {
  // Topics are an extra: without a map, or with one that cannot be read, documents are indexed
  // without them.
  const std::string location = file_location(path_, settings_.index.directory);
  std::error_code ignored;
  if (!settings_.topics.on_ingest || !std::filesystem::exists(topic_map_path(location), ignored))
    return nullptr;

  try {
    return TopicShelf(location).get(kept_files(*held_.database));
  } catch (const Error& e) {
    if (options_.log) options_.log(path_ + ": documents get no topic: " + e.what());
    return nullptr;
  }
}

void DocumentWriter::accept(IncomingRecord incoming) {
  with_database_errors(path_ + ": cannot write", [&] {
    // The clock of ingest.commit_seconds begins with the first record of a batch.
    if (!batch_.oldest) batch_.oldest = Clock::now();

    wave_.arrivals.push_back(arrive(std::move(incoming)));
    wave_.bytes += wave_.arrivals.back().bytes;

    // A wave ends by number or by bytes; so does a batch. Others may write after each commit.
    const auto batch = static_cast<std::size_t>(settings_.index.batch);
    if (wave_.arrivals.size() >= std::min(kWave, batch) || wave_.bytes >= kWaveBytes) close_wave();

    if (batch_.documents.size() < batch && batch_.bytes < kMostUncommitted) return;
    commit();
    pause_for_writers(Clock::now() - held_.since);
  });
}

std::optional<DocumentWriter::Clock::time_point> DocumentWriter::deadline() const {
  const double seconds = settings_.ingest.commit_seconds;
  if (seconds <= 0 || !batch_.oldest) return {};
  return *batch_.oldest +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// What is known of an id has to be in the database before a record with it arrives.
void DocumentWriter::wait_for_id(const std::string& id_term) {
  // It may be in the wave that is with the tagger, or else in the one that gathers.
  if (ids_.contains(id_term)) write_tagged();
  if (!ids_.contains(id_term)) return;
  close_wave();
  write_tagged();
}

Arrival DocumentWriter::arrive(IncomingRecord incoming) {
  Arrival arrival(std::move(incoming));
  if (arrival.is_refused()) return arrival;

  count_keys(arrival.record);
  if (arrival.named) {
    if (report_.named == 0) report_.first_name = arrival.record.id;
    ++report_.named;
  }
  arrival.id_term = prefixed_term(settings_.index.id_prefix, arrival.record.id);
  wait_for_id(arrival.id_term);
  ids_.insert(arrival.id_term);

  // What the document says that it replaces has to be known now: tags may depend on it.
  const auto old = database().postlist_begin(arrival.id_term);
  arrival.replaces = old != held_.database->postlist_end(arrival.id_term);
  const bool was_tagged = arrival.replaces && inherit(arrival, held_.database->get_document(*old));

  Record& record = arrival.record;
  arrival.tags.limits = {record.auto_tag.value_or(true), rejected_labels_of(record)};
  const std::vector<std::string>& rejected = arrival.tags.limits.rejected;
  arrival.tags.id = record.id;
  arrival.tags.labels = labels_of(record, settings_.labels);
  arrival.labeled = !arrival.tags.labels.empty();

  // Predicted tags that came with the record, as from an export, are taken as they are, except for
  // those that people rejected.
  if (!record.predicted.empty() && arrival.wants_tags()) {
    Classification given;
    given.tags = std::move(record.predicted);
    std::erase_if(given.tags, [&](auto& tag) {
      return std::ranges::binary_search(rejected, tag.label);
    });
    predict(arrival.tags, given, settings_.labels);
    arrival.report.tags = std::move(given.tags);
    arrival.tagged = true;
  }

  // The document has all of the record by now.
  arrival.record = {};

  // An index without tagging keeps no tags of a text that is gone.
  if (!options_.tag && was_tagged && arrival.wants_tags())
    arrival.mark_pending("its predicted tags were those of another text");
  return arrival;
}

/// Counts what the record has, and its keys that become nothing.
void DocumentWriter::count_keys(const Record& record) {
  constexpr std::size_t kMostKeys = 1000;
  const std::vector<std::string>& body = settings_.index.body_fields;
  const auto is_body = [&](const std::string& key) {
    return std::ranges::any_of(body, [&](const std::string& item) {
      return body_field(item).key == key;
    });
  };

  for (const auto& [key, value] : record.fields) {
    const bool has_room =
        report_.unread_keys.size() < kMostKeys || report_.unread_keys.contains(key);
    if (has_room && !is_body(key)) ++report_.unread_keys[key];
  }
  if (!has_words(record, body)) ++report_.wordless;
  if (!has_text(record, body)) ++report_.textless;
  if (record.labels.empty()) ++report_.unlabeled;
  if (record.labels.size() != 1 || separator_in(record.labels.front()).empty()) return;
  if (report_.joined == 0) report_.first_joined = record.labels.front();
  ++report_.joined;
}

/// Where the record says nothing about tags, it keeps what people said about those of the document
/// that it replaces. Values that are no labels stay. True if that one had predicted tags, or was
/// marked to get some.
bool DocumentWriter::inherit(Arrival& arrival, const Xapian::Document& replaced) const {
  arrival.replaced = read_tags(replaced, settings_);
  StoredTags old = arrival.replaced;
  settle_limits(old, settings_.labels);

  Record& record = arrival.record;
  if (!record.replaces_labels) {
    if (record.labels.empty()) record.labels = old.labels;
    record.labels.insert(record.labels.end(), old.system.begin(), old.system.end());
  }

  const auto& rejected = old.limits.rejected;
  record.rejected_labels.insert(record.rejected_labels.end(), rejected.begin(), rejected.end());
  if (!record.auto_tag) record.auto_tag = old.limits.auto_tag;

  mark_document(arrival.document, record, settings_);
  return old.pending || !old.predicted.empty();
}

/// Hands the wave that gathers to the tagger, and writes the one before meanwhile. It is written
/// itself if a part of it is, or if it is as small as a batch, whose commit is not to wait for
/// further records.
void DocumentWriter::close_wave() {
  // The wave before comes back first, since this one may be waiting for its labels.
  Wave before = tagged_.valid() ? tagged_.get() : Wave{};
  const bool has_begun = find_voters(wave_, before);

  // The tagger works on this wave while the one before is written.
  tagged_ = tagger_.tag(std::exchange(wave_, {}));
  write(before);

  const bool waits = options_.tag && settings_.index.batch > static_cast<std::int64_t>(kWave);
  if (has_begun || !waits) write_tagged();
}

/// Takes the steps that come before the wave is classified. True if a part of it is written.
bool DocumentWriter::find_voters(Wave& wave, Wave& before) {
  // A step may write, commit or refresh, after which the next one is looked for anew.
  bool has_begun = false;
  while (true) {
    const VoterStep step = next_step(tagger_.counts(wave, before));
    if (step == VoterStep::kNone) return has_begun;

    if (step != VoterStep::kRefresh) write(before);

    // The first labeled documents of an index have to be written before they can vote.
    if (step == VoterStep::kWriteLabeled) {
      has_begun = true;
      check_room(path_, batch_.bytes + wave.bytes);
      for (Arrival& arrival : wave.arrivals)
        if (arrival.labeled) put(arrival);
      continue;
    }

    if (step == VoterStep::kCommit) commit_documents();
    if (!tagger_.refresh()) return has_begun;
  }
}

/// Writes the wave that is with the tagger, if there is one.
void DocumentWriter::write_tagged() {
  if (!tagged_.valid()) return;
  Wave wave = tagged_.get();
  write(wave);
}

/// Leaves the wave empty.
void DocumentWriter::write(Wave& wave) {
  // Before the first document, so that a full disk leaves the wave whole.
  check_room(path_, batch_.bytes + wave.bytes);

  for (Arrival& arrival : wave.arrivals) {
    if (arrival.is_refused()) {
      if (dead_letters_ != nullptr)
        dead_letters_->add(dead_letter(arrival.json, arrival.report.reason, arrival.report.origin));
    } else if (arrival.docid == 0) {
      put(arrival);
    }

    ids_.erase(arrival.id_term);
    count(arrival);
    batch_.documents.push_back({std::move(arrival.report), arrival.docid});
  }

  batch_.bytes += wave.bytes;
  wave = {};
}

/// Writes its document, in the place of all that have its id.
void DocumentWriter::put(Arrival& arrival) {
  StoredTags now;  // of the document as it was made, with the terms of its limits
  now.limits = arrival.tags.limits;
  remember({}, arrival.tags, settings_.labels);
  write_tags(arrival.document, now, arrival.tags, settings_.labels, changes_, arrival.docid,
             &arrival.replaced);
  arrival.docid = database().replace_document(arrival.id_term, arrival.document);

  using Outcome = DocumentReport::Outcome;
  arrival.report.outcome = arrival.replaces ? Outcome::kReplaced : Outcome::kAdded;

  if (arrival.labeled) tagger_.add_labeled();
}

void DocumentWriter::count(const Arrival& arrival) {
  if (arrival.is_refused()) {
    ++report_.failed;
    if (arrival.counted) ++counted_;
    return;
  }

  if (arrival.replaces) {
    ++report_.replaced;
  } else {
    ++report_.added;
  }
  if (arrival.report.pending) ++report_.pending;
  if (!arrival.report.tags.empty()) ++report_.tagged;
}

/// The database, with the lock, which others may have had since the last commit.
Xapian::WritableDatabase& DocumentWriter::database() {
  if (!held_.database) held_ = {open_writable_database(path_, settings_.write)};
  return *held_.database;
}

/// The dead letters come first.
void DocumentWriter::commit_documents() {
  if (dead_letters_ != nullptr) dead_letters_->flush();
  if (held_.database) held_.database->commit();
  history_.append(changes_);
  tagger_.committed();
}

void DocumentWriter::commit() {
  with_database_errors(path_ + ": cannot write", [&] {
    // Both waves are written first: the one that is with the tagger, and the one that gathers.
    close_wave();
    write_tagged();
    commit_documents();

    // The lock goes before the reports, which may take long and are of nobody else's concern.
    held_.database.reset();
    Batch batch = std::exchange(batch_, {});
    if (settings_.ingest.near_duplicates > 0) compare(batch);

    bool wrote = false;
    for (const auto& [report, docid] : batch.documents) {
      wrote = wrote || docid != 0;
      if (options_.on_document) options_.on_document(report);
    }
    if (wrote && options_.on_commit) options_.on_commit(report_);
  });
}

/// Finds the near-duplicates of documents. A failure is logged, and no reason to stop.
void DocumentWriter::compare(Batch& batch) {
  // A document that was written twice has two reports; the last one tells of what is there.
  std::vector<Xapian::docid> docids;
  std::unordered_map<Xapian::docid, const DocumentReport*> last;  // that wrote the document
  for (const auto& [report, docid] : batch.documents) {
    if (docid == 0) continue;
    docids.push_back(docid);
    last[docid] = &report;
  }

  if (docids.empty()) return;
  try {
    auto found =
        tagger_.refreshed_engine().near_duplicates(docids, settings_.ingest.near_duplicates);

    auto next = found.begin();
    for (auto& [report, docid] : batch.documents) {
      if (docid == 0) continue;
      report.compared = last.at(docid) == &report;
      report.near_duplicate = std::move(*next);
      ++next;
      if (report.near_duplicate) ++report_.near_duplicates;
    }
  } catch (...) {
    report_.uncompared += docids.size();
    if (options_.log)
      options_.log(path_ + ": the near-duplicates of " + std::to_string(docids.size()) +
                   " documents are not known: " + reason_in_flight());
  }
}

}  // namespace kindred
