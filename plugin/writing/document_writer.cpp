#include "plugin/writing/document_writer.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/documents/features.h"
#include "plugin/store/database.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/prefix.h"
#include "plugin/store/remembered.h"
#include "plugin/topics/file.h"

namespace kindred {
namespace {

/// The engine logs from other threads.
IngestOptions with_turns(IngestOptions options) {
  options.log = taking_turns(std::move(options.log));
  return options;
}

/// Settings that allow to write. To be known before the database is opened, and so made.
const Settings& writable(const std::string& path, const Settings& settings) {
  check_may_write(path, settings.index);
  return settings;
}

/// Documents classified together: enough to keep all threads busy, few enough to keep in memory.
constexpr std::size_t kWave = 512;
constexpr std::size_t kWaveBytes = std::size_t{32} << 20;  ///< of text, for documents that are long
/// Bytes of records between two commits: Xapian keeps what is not committed in memory.
constexpr std::size_t kMostUncommitted = std::size_t{256} << 20;

/// A mirror whose refresh costs more than what changed is refreshed when the labeled documents have
/// grown by one part in this many. So all refreshes of a long run together cost no more than a few
/// of the last ones.
constexpr std::uint64_t kRefreshPart = 8;

/// Runs body(). A Xapian::Error becomes an Error.
template <typename Body>
void writing(const std::string& path, Body&& body) {
  try {
    body();
  } catch (const Xapian::Error& e) {
    throw database_error(e, path + ": cannot write");
  }
}

std::unique_ptr<DeadLetters> open_dead_letters(const IngestSettings& settings) {
  if (settings.on_failure != "dead_letter") return nullptr;
  return std::make_unique<DeadLetters>(settings.dead_letters);
}

}  // namespace

DocumentWriter::DocumentWriter(const std::string& path, const Settings& settings,
                               std::size_t threads, IngestOptions options, Engine* shared)
    : path_(path),
      settings_(writable(path, settings)),
      threads_(threads),
      options_(with_turns(std::move(options))),
      dead_letters_(open_dead_letters(settings.ingest)),
      // If the database of an engine has been removed, it must not be made again.
      database_(open_writable_database(
          path, settings_.write, shared == nullptr ? Xapian::DB_CREATE_OR_OPEN : Xapian::DB_OPEN)),
      engine_(shared),
      gives_tags_(shared != nullptr) {
  check_values(database_, path_, settings_);
  const std::string location = file_location(path_, settings_.index.directory);
  writing(path_, [&] {
    if (!remember_at_birth(database_, settings_)) remember_given(settings_, location);
  });
  if (settings_.topics.on_ingest) read_map();
}

/// A map that cannot be used is reported, and documents are written without topics. If there is no
/// map, nothing is reported.
void DocumentWriter::read_map() {
  const std::string file = topic_map_path(file_location(path_, settings_.index.directory));
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  try {
    const auto found = load_topic_map(file);
    check_topic_map(*found, file, kept_files(database_));
    map_ = found;
  } catch (const Error& e) {
    if (options_.log) options_.log(path_ + ": documents get no topic: " + e.what());
  }
}

/// Begins the report of a record.
void DocumentWriter::note(const IncomingRecord& incoming) {
  if (!oldest_) oldest_ = Clock::now();
  Line& line = lines_.emplace_back();
  line.report.origin = incoming.origin;
  if (incoming.parsed) line.report.id = incoming.record.id;
  ++next_line_;
}

void DocumentWriter::accept(IncomingRecord incoming) {
  writing(path_, [&] {
    note(incoming);
    if (incoming.fault.empty()) {
      gather(std::move(incoming));
    } else {
      if (incoming.told) ++told_;
      fail(next_line_ - 1, incoming.fault, incoming.json);
    }
    if (wave_is_full()) close_wave();
    if (!batch_is_full()) return;
    if (failed_ >= settings_.index.batch) {  // or else their reports would wait for the wave
      close_wave();
      write_classifying();
    }
    commit_written();
  });
}

/// Adds a record to the wave. What is known of its id has to be in the database by then.
void DocumentWriter::gather(IncomingRecord incoming) {
  std::string id_term = prefixed_term(settings_.index.id_prefix, incoming.record.id);
  if (wave_.id_terms.contains(id_term)) close_wave();
  if (classifying_.id_terms.contains(id_term)) write_classifying();
  wave_.arrivals.push_back(arrive(std::move(incoming), std::move(id_term)));
  wave_.id_terms.insert(wave_.arrivals.back().id_term);
  wave_.bytes += wave_.arrivals.back().bytes;
}

bool DocumentWriter::wave_is_full() const {
  return wave_.arrivals.size() >=
             std::min(kWave, static_cast<std::size_t>(settings_.index.batch)) ||
         wave_.bytes >= kWaveBytes;
}

bool DocumentWriter::batch_is_full() const {
  return written_ + failed_ >= settings_.index.batch || written_bytes_ >= kMostUncommitted;
}

std::optional<DocumentWriter::Clock::time_point> DocumentWriter::deadline() const {
  const double seconds = settings_.ingest.commit_seconds;
  if (seconds <= 0 || !oldest_) return {};
  return *oldest_ +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// The tags of the document that the arrival replaces, if there is one.
std::optional<StoredTags> DocumentWriter::known_tags(Arrival& arrival) {
  auto it = database_.postlist_begin(arrival.id_term);
  const auto end = database_.postlist_end(arrival.id_term);
  if (it == end) return {};
  arrival.known = true;
  arrival.docid = *it;
  StoredTags tags = read_tags(database_.get_document(arrival.docid), settings_);
  if (++it != end) arrival.docid = 0;
  settle_limits(tags, settings_.labels);
  return tags;
}

/// Where the record says nothing about tags, it keeps what people said about those of the document
/// that it replaces. Values that are no labels stay. Expects settle_limits() before.
void DocumentWriter::inherit(Record& record, const StoredTags& old,
                             Xapian::Document& document) const {
  if (!record.replaces_labels) {
    if (record.labels.empty()) record.labels = old.labels;
    record.labels.insert(record.labels.end(), old.system.begin(), old.system.end());
  }
  const auto& rejected = old.limits.rejected;
  record.rejected_labels.insert(record.rejected_labels.end(), rejected.begin(), rejected.end());
  if (!record.auto_tag) record.auto_tag = old.limits.auto_tag;
  mark_document(document, record, settings_);
}

/// The document of a record. Expects that the wave has no other document with its id.
DocumentWriter::Arrival DocumentWriter::arrive(IncomingRecord incoming, std::string id_term) {
  Arrival arrival;
  arrival.number = next_line_ - 1;
  arrival.id_term = std::move(id_term);
  arrival.bytes = incoming.bytes;
  arrival.json = std::move(incoming.json);
  arrival.document = std::move(incoming.document);
  arrival.analyzed.features = std::move(incoming.features);
  Record& record = incoming.record;
  if (const std::optional<StoredTags> old = known_tags(arrival)) {
    inherit(record, *old, arrival.document);
    arrival.was_tagged = old->pending || !old->predicted.empty();
  }
  arrival.analyzed.id = std::move(record.id);
  arrival.analyzed.limits = {record.auto_tag.value_or(true), std::move(record.rejected_labels)};
  arrival.tags.limits = arrival.analyzed.limits;
  arrival.labeled = std::any_of(
      record.labels.begin(), record.labels.end(),
      [&](const std::string& label) { return !is_system_label(settings_.labels, label); });
  return arrival;
}

void DocumentWriter::mark_pending(Arrival& arrival, const std::string& reason) {
  arrival.tags.pending = true;
  line(arrival.number).report.pending = true;
  line(arrival.number).report.reason = reason;
  ++report_.pending;
}

void DocumentWriter::fail(std::uint64_t number, const std::string& reason,
                          const std::string& json) {
  Line& failed = line(number);
  failed.report.reason = reason;
  failed.done = true;
  if (dead_letters_ != nullptr) dead_letters_->add(dead_letter(json, reason, failed.report.origin));
  ++report_.failed;
  ++failed_;
}

/// Begins to classify the wave, and writes the one before meanwhile. A wave that is as small as a
/// batch is written, too, so that its commit does not wait for further records.
void DocumentWriter::close_wave() {
  Wave wave = std::exchange(wave_, {});
  if (options_.tag) {
    classify(wave);
  } else {
    for (Arrival& arrival : wave.arrivals) {
      if (arrival.was_tagged && arrival.wants_tags())
        mark_pending(arrival, "its predicted tags were those of another text");
    }
  }
  write_classifying();
  classifying_ = std::move(wave);
  const bool waits = options_.tag && settings_.index.batch > static_cast<std::int64_t>(kWave);
  if (!waits) write_classifying();
}

void DocumentWriter::write_classifying() {
  writing_ = true;
  give_tags(classifying_);
  for (Arrival& arrival : classifying_.arrivals) write(arrival);
  classifying_ = {};
  writing_ = false;
}

void DocumentWriter::write(Arrival& arrival) {
  StoredTags now;  // of the document as it was made, with the terms of its limits
  now.limits = arrival.analyzed.limits;
  remember({}, arrival.tags, settings_.labels);
  write_tags(arrival.document, now, arrival.tags, settings_.labels);
  const Xapian::docid docid = put(arrival);
  if (settings_.ingest.near_duplicates > 0) uncompared_.push_back({arrival.number, docid});
  ++(arrival.known ? report_.replaced : report_.added);
  Line& written = line(arrival.number);
  using Outcome = DocumentReport::Outcome;
  written.report.outcome = arrival.known ? Outcome::kReplaced : Outcome::kAdded;
  written.done = true;
  if (arrival.labeled) ++new_labeled_, ++uncommitted_labeled_;
  ++written_;
  written_bytes_ += arrival.bytes;
}

/// Writes its document, in the place of all that have its id; returns the docid.
Xapian::docid DocumentWriter::put(const Arrival& arrival) {
  if (!arrival.known) return database_.add_document(arrival.document);
  if (arrival.docid == 0) return database_.replace_document(arrival.id_term, arrival.document);
  database_.replace_document(arrival.docid, arrival.document);
  return arrival.docid;
}

/// Begins to classify the unlabeled documents of the wave. If that fails, they are left untagged,
/// or fail.
void DocumentWriter::classify(Wave& wave) {
  const auto wants_tags = [](const Arrival& arrival) { return arrival.wants_tags(); };
  if (std::none_of(wave.arrivals.begin(), wave.arrivals.end(), wants_tags)) return;
  try {
    find_voters(wave);
  } catch (const std::exception& e) {
    if (writing_) throw;
    leave_untagged(wave, e.what());
    return;
  }
  std::vector<AnalyzedRecord> analyzed;
  for (Arrival& arrival : wave.arrivals) {
    if (!arrival.wants_tags()) continue;
    AnalyzedRecord& record = arrival.analyzed;
    analyzed.push_back({record.id, std::move(record.features), record.limits});
  }
  wave.classifications = run_beside(threads_, [engine = engine_, analyzed = std::move(analyzed)] {
    return engine->classify(analyzed);
  });
}

/// What becomes of the documents of the wave that could not be classified.
void DocumentWriter::leave_untagged(Wave& wave, const std::string& reason) {
  const bool indexed = settings_.ingest.on_failure == "index_untagged";
  for (Arrival& arrival : wave.arrivals) {
    if (!arrival.wants_tags()) continue;
    if (indexed) {
      mark_pending(arrival, reason);
    } else {
      fail(arrival.number, "cannot be classified: " + reason, arrival.json);
    }
  }
  if (!indexed)
    std::erase_if(wave.arrivals, [](const Arrival& arrival) { return arrival.wants_tags(); });
  if (options_.log) {
    options_.log(path_ + ": documents are " + (indexed ? "left untagged: " : "not indexed: ") +
                 reason);
  }
}

/// Gives the engine all that was committed.
void DocumentWriter::open_engine() {
  if (engine_ != nullptr) {
    engine_->refresh();
    return;
  }
  own_engine_ = std::make_unique<Engine>(path_, settings_, options_.log);
  engine_ = own_engine_.get();
}

/// Refreshes the engine after each commit, or, if that would cost too much, if enough labeled
/// documents have come since, after they are written. The wave before is classified by then. Thus
/// tags do not depend on how many threads there are.
void DocumentWriter::find_voters(Wave& wave) {
  if (!gives_tags_) {
    write_classifying();
    commit_written();
    committed_ = false;
    open_engine();
    gives_tags_ = true;
    new_labeled_ = 0;
  }
  std::uint64_t voters = engine_->status().labeled;
  if (voters == 0) {
    write_classifying();
    write_labeled_first(wave);
  }
  const auto is_labeled = [](const Arrival& arrival) { return arrival.labeled; };
  const auto& before = classifying_.arrivals;
  const auto coming = std::count_if(before.begin(), before.end(), is_labeled);
  const std::uint64_t labeled = new_labeled_ + static_cast<std::uint64_t>(coming);
  const bool many = labeled > 0 && labeled * kRefreshPart >= voters;
  if (many || (committed_ && engine_->refreshes_in_proportion())) {
    write_classifying();
    if (many) commit_written();
    engine_->refresh();
    committed_ = false;
    new_labeled_ = uncommitted_labeled_;
    voters = engine_->status().labeled;
  }
  if (voters == 0) {
    throw Error(Errc::kNotFound, "no document has a label, so there are no voters");
  }
  if (options_.tune) engine_->tune_if_needed();
}

/// For the first labels of a database: the voters are of the same wave.
void DocumentWriter::write_labeled_first(Wave& wave) {
  for (Arrival& arrival : wave.arrivals) {
    if (arrival.labeled) write(arrival);
  }
  std::erase_if(wave.arrivals, [](const Arrival& arrival) { return arrival.labeled; });
}

void DocumentWriter::give_tags(Wave& wave) {
  if (!wave.classifications.valid()) return;
  std::vector<Classification> results;
  try {
    results = wave.classifications.get();
  } catch (const std::exception& e) {
    leave_untagged(wave, e.what());
    return;
  }
  auto result = results.begin();
  for (Arrival& arrival : wave.arrivals) {
    if (!arrival.wants_tags()) continue;
    Classification& classification = *result++;
    predict(arrival.tags, classification, settings_.labels);
    if (!classification.tags.empty()) ++report_.tagged;
    if (options_.on_document) line(arrival.number).report.tags = std::move(classification.tags);
  }
}

void DocumentWriter::commit() {
  writing(path_, [&] {
    close_wave();
    write_classifying();
    commit_written();
  });
}

/// Commits what is written, the dead letters first, and reports it. What is in waves waits on.
void DocumentWriter::commit_written() {
  writing_ = true;
  const bool wrote = written_ > 0;
  if (dead_letters_ != nullptr) dead_letters_->flush();
  if (wrote) database_.commit();
  committed_ = committed_ || wrote;
  written_ = 0;
  uncommitted_labeled_ = 0;
  written_bytes_ = 0;
  failed_ = 0;
  oldest_.reset();
  if (!wave_.arrivals.empty() || !classifying_.arrivals.empty()) oldest_ = Clock::now();
  compare_committed();
  deliver();
  if (wrote && options_.on_commit) options_.on_commit(report_);
  writing_ = false;
}

/// Finds the near-duplicates of the documents that can be reported. Those that cannot, since a
/// record before them waits, are compared when it is there. A failure is logged, and no reason to
/// stop.
void DocumentWriter::compare_committed() {
  const auto waiting =
      std::find_if(lines_.begin(), lines_.end(), [](const Line& each) { return !each.done; });
  const auto end = first_line_ + static_cast<std::uint64_t>(waiting - lines_.begin());
  std::sort(uncompared_.begin(), uncompared_.end(),
            [](const Written& a, const Written& b) { return a.number < b.number; });
  const auto later = std::find_if(uncompared_.begin(), uncompared_.end(),
                                  [&](const Written& each) { return each.number >= end; });
  const auto ready = static_cast<std::size_t>(later - uncompared_.begin());
  if (ready == 0) return;
  // A wave is classified by the snapshot with which that began.
  if (classifying_.classifications.valid()) classifying_.classifications.wait();
  try {
    compare(ready);
  } catch (const std::exception& e) {
    report_.uncompared += ready;
    if (options_.log)
      options_.log(path_ + ": the near-duplicates of " + std::to_string(ready) +
                   " documents are not known: " + e.what());
  }
  uncompared_.erase(uncompared_.begin(), later);
}

/// Compares the documents of uncompared_, and reports on the first `ready` of them.
void DocumentWriter::compare(std::size_t ready) {
  open_engine();
  std::vector<Xapian::docid> docids;
  std::unordered_map<Xapian::docid, std::uint64_t> last;  // record that wrote the document
  for (const auto& [number, docid] : uncompared_) {
    docids.push_back(docid);
    last[docid] = number;
  }
  auto found = engine_->near_duplicates(docids, settings_.ingest.near_duplicates);
  for (std::size_t i = 0; i < ready; ++i) {
    const auto& [number, docid] = uncompared_[i];
    DocumentReport& report = line(number).report;
    report.compared = last.at(docid) == number;
    if (found[i]) ++report_.near_duplicates;
    report.near_duplicate = std::move(found[i]);
  }
}

/// Reports the records that are done, up to the first that is not.
void DocumentWriter::deliver() {
  while (!lines_.empty() && lines_.front().done) {
    const DocumentReport report = std::move(lines_.front().report);
    lines_.pop_front();
    ++first_line_;
    if (options_.on_document) options_.on_document(report);
  }
}

}  // namespace kindred
