#include "plugin/writing/ingest.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/documents/document_tags.h"
#include "plugin/documents/document_topic.h"
#include "plugin/documents/features.h"
#include "plugin/engine.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/store/database.h"
#include "plugin/store/prefix.h"
#include "plugin/store/value_check.h"
#include "plugin/topics/file.h"

namespace kindred {
namespace {

/// Documents classified together: enough to keep all threads busy, few enough to keep in memory.
constexpr std::size_t kWave = 512;
constexpr std::size_t kWaveBytes = std::size_t{32} << 20;  ///< of text, for documents that are long

/// The mirror is refreshed when the labeled documents have grown by one part in this many. So all
/// refreshes of a long run together cost no more than a few of the last ones.
constexpr std::uint64_t kRefreshPart = 8;

/// A record that replaces a document. Where the record says nothing about tags, it keeps what
/// people said about those of the document. Expects settle_limits() before.
Record inherit(Record record, const StoredTags& old) {
  if (record.labels.empty() && !record.replaces_labels) record.labels = old.labels;
  const auto& rejected = old.limits.rejected;
  record.rejected_labels.insert(record.rejected_labels.end(), rejected.begin(), rejected.end());
  if (!record.auto_tag) record.auto_tag = old.limits.auto_tag;
  return record;
}

/// Runs body(). A Xapian::Error becomes an Error.
template <typename Body>
void writing(const std::string& path, Body&& body) {
  try {
    body();
  } catch (const Xapian::Error& e) {
    throw database_error(e, path + ": cannot write");
  }
}

std::string path_of(const Engine& engine) {
  if (!engine.path().empty()) return engine.path();
  throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
}

}  // namespace

struct Ingest::Impl {
  /// A document on its way into the database.
  struct Arrival {
    std::string id_term;
    Xapian::Document document;
    AnalyzedRecord analyzed;
    StoredTags tags;  ///< that the document is to hold; of labels only those that matter for them
    bool labeled = false;
    bool was_tagged =
        false;  ///< the document that it replaces had predicted tags, or was marked to get some

    bool wants_tags() const { return !labeled && analyzed.limits.auto_tag; }
  };

  Impl(const std::string& database_path, const Settings& s, IngestOptions o, Engine* shared)
      : path(database_path),
        settings(s),
        options(std::move(o)),
        analyzers(s.analyzer),
        // If the database of an engine has been removed, it must not be made again.
        database(open_writable_database(
            path, shared == nullptr ? Xapian::DB_CREATE_OR_OPEN : Xapian::DB_OPEN)),
        engine(shared) {
    check_values(database, path, settings);
    if (settings.topics.on_ingest) read_map();
  }

  void read_map();
  bool wave_is_full() const {
    return wave.size() >= std::min(kWave, static_cast<std::size_t>(settings.index.batch)) ||
           wave_bytes >= kWaveBytes;
  }
  Arrival arrive(const Record& record, std::string id_term);
  std::optional<StoredTags> known_tags(const std::string& id_term);
  void write_wave();
  void write(Arrival& arrival);
  void classify_wave();
  void mark_pending(Arrival& arrival);
  void gather_voters();
  void write_labeled_first();
  void give_tags(Arrival& arrival, const Classification& classification);
  void commit();

  const std::string path;
  const Settings settings;
  const IngestOptions options;
  AnalyzerPool analyzers;
  Xapian::WritableDatabase database;
  std::vector<Arrival> wave;
  std::unordered_set<std::string> wave_ids;
  std::size_t wave_bytes = 0;
  std::unique_ptr<Engine> own_engine;
  Engine* engine;                 ///< gives the tags; null until it is needed
  std::uint64_t new_labeled = 0;  ///< labeled documents written since the engine was refreshed
  std::int64_t uncommitted = 0;
  IngestReport report;
  std::shared_ptr<const TopicMap> map;  ///< null: the database has none
};

/// A map that cannot be used is reported, and documents are written without topics. If there is no
/// map, nothing is reported.
void Ingest::Impl::read_map() {
  const std::string file = topic_map_path(path);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  try {
    const auto found = load_topic_map(file);
    check_topic_map(*found, file, database.get_uuid());
    map = found;
  } catch (const Error& e) {
    if (options.log) options.log(path + ": documents get no topic: " + e.what());
  }
}

/// The tags of the document with this id, if there is one.
std::optional<StoredTags> Ingest::Impl::known_tags(const std::string& id_term) {
  const auto it = database.postlist_begin(id_term);
  if (it == database.postlist_end(id_term)) return {};
  StoredTags tags = read_tags(database.get_document(*it), settings);
  settle_limits(tags, settings.labels);
  return tags;
}

/// The document of a record. Expects that the wave has no other document with its id.
Ingest::Impl::Arrival Ingest::Impl::arrive(const Record& record, std::string id_term) {
  const std::optional<StoredTags> old = known_tags(id_term);
  const Record inherited = old ? inherit(record, *old) : Record();
  const Record& whole = old ? inherited : record;
  Arrival arrival;
  const auto analyzer = analyzers.lease(whole.language);
  arrival.document = make_document(whole, settings, *analyzer, arrival.analyzed.features);
  arrival.id_term = std::move(id_term);
  arrival.analyzed.id = whole.id;
  arrival.analyzed.limits = {whole.auto_tag.value_or(true), whole.rejected_labels};
  arrival.tags.limits = arrival.analyzed.limits;
  arrival.labeled = !whole.labels.empty();
  arrival.was_tagged = old && (old->pending || !old->predicted.empty());
  if (map != nullptr)
    write_place(arrival.document, map->place(arrival.analyzed.features), settings.topics);
  return arrival;
}

void Ingest::Impl::mark_pending(Arrival& arrival) {
  arrival.tags.pending = true;
  ++report.pending;
}

void Ingest::Impl::write_wave() {
  if (options.tag) {
    classify_wave();
  } else {
    for (Arrival& arrival : wave) {
      if (arrival.was_tagged && arrival.wants_tags()) mark_pending(arrival);
    }
  }
  for (Arrival& arrival : wave) write(arrival);
  wave.clear();
  wave_ids.clear();
  wave_bytes = 0;
}

void Ingest::Impl::write(Arrival& arrival) {
  StoredTags now;  // of the document as it was made, with the terms of its limits
  now.limits = arrival.analyzed.limits;
  remember({}, arrival.tags, settings.labels);
  write_tags(arrival.document, now, arrival.tags, settings.labels);
  const bool known = database.term_exists(arrival.id_term);
  database.replace_document(arrival.id_term, arrival.document);
  ++(known ? report.replaced : report.added);
  if (arrival.labeled) ++new_labeled;
  ++uncommitted;
}

/// Tags the unlabeled documents of the wave. If that fails, the documents are written without tags.
void Ingest::Impl::classify_wave() {
  const auto wants_tags = [](const Arrival& arrival) { return arrival.wants_tags(); };
  if (std::none_of(wave.begin(), wave.end(), wants_tags)) return;
  try {
    gather_voters();
    std::vector<AnalyzedRecord> analyzed;
    std::vector<Arrival*> waiting;
    for (Arrival& arrival : wave) {
      if (!arrival.wants_tags()) continue;
      analyzed.push_back(arrival.analyzed);
      waiting.push_back(&arrival);
    }
    const std::vector<Classification> results = engine->classify(analyzed);
    for (std::size_t i = 0; i < results.size(); ++i) give_tags(*waiting[i], results[i]);
  } catch (const std::exception& e) {
    for (Arrival& arrival : wave) {
      if (arrival.wants_tags()) mark_pending(arrival);
    }
    if (options.log) options.log(path + ": documents are left untagged: " + e.what());
  }
}

/// Refreshes the engine if enough labeled documents have been written since.
void Ingest::Impl::gather_voters() {
  if (engine == nullptr) {
    commit();
    own_engine = std::make_unique<Engine>(path, settings, options.log);
    engine = own_engine.get();
    new_labeled = 0;
  }
  if (engine->status().labeled == 0) write_labeled_first();
  if (new_labeled > 0 && new_labeled * kRefreshPart >= engine->status().labeled) {
    commit();
    engine->refresh();
    new_labeled = 0;
  }
  if (engine->status().labeled == 0) {
    throw Error(Errc::kNotFound, "no document has a label, so there are no voters");
  }
}

/// For the first labels of a database: the voters are of the same wave.
void Ingest::Impl::write_labeled_first() {
  for (Arrival& arrival : wave) {
    if (arrival.labeled) write(arrival);
  }
  std::erase_if(wave, [](const Arrival& arrival) { return arrival.labeled; });
}

void Ingest::Impl::give_tags(Arrival& arrival, const Classification& classification) {
  predict(arrival.tags, classification, settings.labels);
  if (!classification.tags.empty()) ++report.tagged;
}

void Ingest::Impl::commit() {
  database.commit();
  uncommitted = 0;
  if (options.on_commit) options.on_commit(report);
}

Ingest::Ingest(const std::string& database, const Settings& settings, IngestOptions options) {
  check_settings(settings);
  impl_ = std::make_unique<Impl>(database, settings, std::move(options), nullptr);
}

Ingest::Ingest(Engine& engine, IngestOptions options)
    : impl_(std::make_unique<Impl>(path_of(engine), engine.settings(), std::move(options),
                                   &engine)) {}

Ingest::~Ingest() {
  if (std::uncaught_exceptions() > 0) return;
  try {
    commit();
  } catch (...) {  // a destructor cannot report errors; commit() can
  }
}

void Ingest::add(const Record& record) {
  try {
    check_record(record, impl_->settings);
  } catch (const Error&) {
    ++impl_->report.failed;
    throw;
  }
  std::string id_term = prefixed_term(impl_->settings.index.id_prefix, record.id);
  // A wave has each id only once, so that the order inside a wave does not matter.
  writing(impl_->path, [&] {
    if (impl_->wave_ids.contains(id_term)) impl_->write_wave();
    impl_->wave.push_back(impl_->arrive(record, std::move(id_term)));
  });
  impl_->wave_ids.insert(impl_->wave.back().id_term);
  impl_->wave_bytes += record.text.size();
  if (!impl_->wave_is_full()) return;
  writing(impl_->path, [&] {
    impl_->write_wave();
    if (impl_->uncommitted >= impl_->settings.index.batch) impl_->commit();
  });
}

void Ingest::count_failure() { ++impl_->report.failed; }

void Ingest::commit() {
  writing(impl_->path, [&] {
    impl_->write_wave();
    if (impl_->uncommitted > 0) impl_->commit();
  });
}

const IngestReport& Ingest::report() const { return impl_->report; }

}  // namespace kindred
