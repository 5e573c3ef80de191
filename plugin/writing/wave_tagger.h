#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "plugin/documents/document_tags.h"
#include "plugin/engine.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/ingest_queue.h"

namespace kindred {

/// A record of a wave. Its Record is gone.
struct Arrival : IncomingRecord {
  explicit Arrival(IncomingRecord incoming) : IncomingRecord(std::move(incoming)) {}

  std::string id_term;
  Xapian::docid docid = 0;  ///< of its document, once that is written
  bool replaces = false;    ///< there is a document with its id
  bool labeled = false;
  bool tagged = false;  ///< its record brought predicted tags
  StoredTags tags;      ///< that the document is to hold
  StoredTags replaced;  ///< that the document held whose place it takes

  bool wants_tags() const { return !is_refused() && !labeled && !tagged && tags.limits.auto_tag; }
  /// It is written, to get its tags later.
  void mark_pending(const std::string& reason);
};

/// Records that are classified together, in their order. Each id is there once, so that the order
/// of documents inside a wave does not matter for their tags.
struct Wave {
  std::vector<Arrival> arrivals;
  std::size_t bytes = 0;
};

/// What is known when a wave is to be classified.
struct VoterCounts {
  bool asks = false;           ///< documents of the wave want tags
  bool is_ready = false;       ///< the engine has what was written before the first tags
  std::uint64_t voters = 0;    ///< labeled documents that the engine has
  std::uint64_t lacking = 0;   ///< labeled ones of earlier waves that it has not
  std::uint64_t own = 0;       ///< labeled ones of the wave itself that are not written
  bool committed = false;      ///< something, since the engine was refreshed
  bool in_proportion = false;  ///< Engine::refreshes_in_proportion()
};

/// What comes before a wave is classified.
enum class VoterStep {
  kNone,          ///< nothing: it is classified
  kRefresh,       ///< the engine is refreshed
  kCommit,        ///< earlier waves are written and committed, and the engine is refreshed
  kWriteLabeled,  ///< earlier waves are written, and the labeled documents of this one
};

/// The engine is refreshed after each commit, or, if that would cost too much, when the labeled
/// documents have grown by an eighth. So all refreshes of a long run together cost no more than a
/// few of the last ones. For the first labels of a database, the voters are of the same wave.
VoterStep next_step(const VoterCounts& counts);

/// Gives waves their tags, by an engine that is refreshed on the way. For one thread at a time.
class WaveTagger {
 public:
  /// With more than one of `threads`, waves are classified beside the caller. `settings` and
  /// `options` are borrowed, and so is `shared`; if that is null, there will be an engine of its
  /// own.
  WaveTagger(const std::string& path, const Settings& settings, std::size_t threads,
             const IngestOptions& options, Engine* shared);

  /// `wave` comes next, `before` is tagged already, and perhaps not written.
  VoterCounts counts(const Wave& wave, const Wave& before) const;

  /// A labeled document was written.
  void add_labeled() { ++lacking_, ++uncommitted_; }
  void committed();

  /// Gives the engine all that was committed. False if that fails: then the next wave gets no tags.
  bool refresh();

  /// Classifies the documents that want tags, if there are to be any, by the engine as it is now,
  /// which is not to be refreshed until then. Those that cannot be classified are marked pending,
  /// or refused.
  std::future<Wave> tag(Wave wave);

  /// The engine, with all that was committed. @throws Error as Engine.
  Engine& refreshed_engine();

 private:
  bool asks(const Wave& wave) const;
  std::string find_fault();
  void classify(Wave& wave) const;
  void leave_untagged(Wave& wave, const std::string& reason) const;

  const std::string& path_;
  const Settings& settings_;
  const std::size_t threads_;
  const IngestOptions& options_;
  std::unique_ptr<Engine> own_engine_;
  Engine* engine_;  ///< null until it is needed
  bool is_ready_;
  std::uint64_t lacking_ = 0;      ///< labeled documents written since the engine was refreshed
  std::uint64_t uncommitted_ = 0;  ///< those of them since the last commit
  bool committed_ = false;         ///< since the engine was refreshed
  std::string fault_;              ///< of a refresh, for the next wave
};

}  // namespace kindred
