#include "plugin/writing/ingest.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/engine.h"
#include "plugin/store/settled_settings.h"
#include "plugin/store/terms.h"
#include "plugin/writing/document_writer.h"
#include "plugin/writing/ingest_queue.h"

namespace kindred {
namespace {

std::string path_of(const Engine& engine) {
  if (!engine.path().empty()) return engine.path();
  throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
}

/// More threads than this only wait, because one writes, which takes longer than analysis.
constexpr std::size_t kUsefulThreads = 8;

constexpr std::size_t kMostWaiting = 2048;                        // records in the queue
constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 20;  // of them

/// Bytes of a record, roughly, for the bounds of the queue and of a commit.
std::size_t bytes_of(const Record& record) {
  std::size_t bytes = record.id.size() + record.title.size() + record.text.size();
  for (const auto& [name, value] : record.fields) bytes += name.size() + value.size();
  if (record.terms) {
    for (const TermCount& entry : *record.terms) bytes += entry.term.size() + sizeof(TermCount);
  }
  return bytes;
}

IncomingRecord unparsed(std::string json, RecordOrigin origin) {
  IncomingRecord incoming;
  incoming.report.origin = std::move(origin);
  incoming.bytes = json.size();
  incoming.json = std::move(json);
  return incoming;
}

/// False if the system gave no thread: the work is done when it is asked for, or never.
bool has_started(const std::future<void>& thread) {
  return thread.wait_for(std::chrono::seconds(0)) != std::future_status::deferred;
}

}  // namespace

/// The threads begin with the first record. If there is none for the writer, the caller's thread
/// does all the work.
struct Ingest::Impl {
  Impl(const std::string& path, const Settings& s, IngestOptions options, Engine* shared)
      : settings(s),
        threads(std::min(number_of_threads(static_cast<std::size_t>(s.backend.threads)),
                         kUsefulThreads)),
        ids_by_origin(options.ids_by_origin),
        writer(path, settings, threads, std::move(options), shared),
        analysis(settings, writer.read_map(), ids_by_origin),
        queue(kMostWaiting, kMostWaitingBytes, [this](IncomingRecord& incoming) {
          analysis.analyze(incoming);
        }) {}
  ~Impl() { queue.fail(std::make_exception_ptr(Error(Errc::kCanceled, "ingest was abandoned"))); }

  void start() {
    // The thread that writes needs the caller's: if there is none, it does all the work itself.
    started = true;
    std::future<void> thread = run_beside(threads, [this] {
      write_queued(true);
    });
    if (!has_started(thread)) return;
    writing = std::move(thread);

    while (analyzing.size() + 1 < threads) {
      std::future<void> other = run_beside(threads, [this] {
        queue.analyze_all();
      });
      if (!has_started(other)) break;  // the writer analyzes what nobody else does
      analyzing.push_back(std::move(other));
    }
  }

  /// Writes what is in the queue, and with `waits` what comes, until a failure.
  void write_queued(bool waits) {
    using Kind = IngestQueue::Next::Kind;
    try {
      while (true) {
        // The queue decides what is next: a record, a commit that is due or was asked for, or
        // nothing.
        IngestQueue::Next next = queue.take(writer.deadline(), waits);
        if (next.kind == Kind::kNothing) return;

        if (next.kind == Kind::kRecord) {
          writer.accept(std::move(*next.incoming));
        } else {
          writer.commit();
        }

        // The caller reads the report at any time, so it is copied before the commit is told.
        {
          const std::lock_guard lock(mutex);
          published = writer.report();
          published_counted = writer.counted();
        }

        if (next.kind == Kind::kCommit) queue.committed();
      }
    } catch (...) {
      queue.fail(std::current_exception());
    }
  }

  void add(IncomingRecord incoming) {
    if (!started) start();
    queue.push(std::move(incoming));

    // Nobody else writes, so this thread does, and what failed is thrown here.
    if (writing.valid()) return;
    write_queued(false);
    queue.wait_for_commit();  // throws what has failed
  }

  /// Hands in a record that is not to be indexed, and counts it.
  void refuse(IncomingRecord incoming, std::string reason) {
    incoming.report.reason = std::move(reason);
    incoming.counted = true;
    ++counted;
    add(std::move(incoming));
  }
  void commit() {
    queue.ask_commit();
    if (!writing.valid()) write_queued(false);
    queue.wait_for_commit();
  }

  const Settings settings;
  const std::size_t threads;
  const bool ids_by_origin;
  DocumentWriter writer;
  RecordAnalysis analysis;
  IngestQueue queue;
  bool started = false;
  std::uint64_t counted = 0;  ///< failures that the caller knows of
  std::mutex mutex;           ///< guards what the writer publishes
  IngestReport published;
  std::uint64_t published_counted = 0;  ///< those of `counted` that are in `published`
  std::vector<std::future<void>> analyzing;
  std::future<void> writing;  ///< valid: another thread writes
};

Ingest::Ingest(const std::string& database, const Settings& settings, IngestOptions options)
    : impl_(std::make_unique<Impl>(database, settled_settings(database, settings),
                                   std::move(options), nullptr)) {}

Ingest::Ingest(Engine& engine, IngestOptions options)
    : impl_(std::make_unique<Impl>(path_of(engine), engine.settings(), std::move(options),
                                   &engine)) {}

Ingest::~Ingest() {
  // After an exception the caller did not finish what it handed in.
  if (std::uncaught_exceptions() > 0) return;
  try {
    commit();
  } catch (...) {  // a destructor cannot report errors; commit() can
  }
}

void Ingest::add(const Record& record, RecordOrigin origin) {
  IncomingRecord incoming;
  incoming.report.origin = std::move(origin);
  incoming.record = record;

  // Labels have one form in the index, whatever form of Unicode they came in.
  for (auto* labels : {&incoming.record.labels, &incoming.record.rejected_labels})
    *labels = label_names(*labels);
  incoming.parsed = true;
  incoming.bytes = bytes_of(record);

  // A record that cannot be indexed counts as failed, and the caller is told at once, too.
  try {
    check_record(incoming.record, impl_->settings);
  } catch (const Error& e) {
    impl_->refuse(std::move(incoming), e.what());
    throw;
  }

  impl_->add(std::move(incoming));
}

void Ingest::add_json(std::string json, RecordOrigin origin) {
  impl_->add(unparsed(std::move(json), std::move(origin)));
}

void Ingest::add_failure(std::string reason, RecordOrigin origin, std::string json) {
  impl_->refuse(unparsed(std::move(json), std::move(origin)), std::move(reason));
}

void Ingest::commit() { impl_->commit(); }

IngestReport Ingest::report() const {
  const std::lock_guard lock(impl_->mutex);
  IngestReport report = impl_->published;
  report.failed += impl_->counted - impl_->published_counted;
  return report;
}

}  // namespace kindred
