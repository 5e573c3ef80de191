#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/slow_answers.h"
#include "index/database_pool.h"
#include "index/facet_table.h"
#include "index/query_analysis.h"
#include "index/schema.h"
#include "index/word_cache.h"
#include "plugin/current_handle.h"
#include "plugin/replaceable.h"
#include "plugin/writer.h"

namespace search_server {

struct AppOptions {
  std::string database;
  std::string library = "libkindred.so.0";  ///< a path, or a name that the linker finds
  std::string kindred_settings;             ///< a TOML file of Kindred; "": none
  std::string name;                         ///< of the collection, for people; "": the database's
  bool create = false;                      ///< make an empty database if there is none
  std::vector<ValueField> values;
  std::uint32_t facet_documents = 5000;  ///< facets count over at least as many, if they match
  double ready_lag_seconds = 30;         ///< how far behind the index a ready server may be
  std::size_t query_limit = 2000;        ///< bytes of a query
  std::size_t document_limit = std::size_t{1} << 20;  ///< bytes of a record
  std::size_t ingest_limit = std::size_t{64} << 20;   ///< bytes of a body of many records
  std::function<void(const std::string&)> log;
};

/// How far answers of the plugin are behind the index.
struct Lag {
  std::uint64_t index_revision = 0;
  std::uint64_t plugin_revision = 0;
  double seconds = 0;  ///< since the index was first seen ahead
};

/// One index and the plugin that knows it. The database is opened in a thread of its own, which
/// then follows what others write. Any thread may use it.
class App {
 public:
  /// @throws std::runtime_error if the library cannot be loaded, or Xapian cannot open the
  /// database.
  explicit App(AppOptions options);
  ~App() { stop(); }
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  const AppOptions& options() const { return options_; }
  /// @throws Problem 503 until the plugin answers.
  std::shared_ptr<const Handle> plugin() const;
  std::shared_ptr<const Schema> schema() const;
  DatabasePool& databases() { return databases_; }
  WordCache& words() { return words_; }
  /// How words become terms, in the language that a query is taken to be in; "": the index's.
  QueryAnalysis query_analysis(const std::string& query) const;
  Writer& writer() { return *writer_; }
  SlowAnswers& slow_answers() { return slow_answers_; }
  std::uint64_t swaps() const { return current_.swaps(); }
  bool is_open() const { return current_.get() != nullptr; }

  /// Facets of a revision that was current lately; null if there are none yet.
  std::shared_ptr<const FacetTable> facet_table() const { return facet_table_.load(); }

  using TopicNames = std::map<std::uint32_t, std::string>;
  std::shared_ptr<const TopicNames> topic_names() const { return topic_names_.load(); }
  Lag lag();

  /// Loads the library again from its path, and lets it answer once it knows the database. Waits
  /// for what is being written; queries go on. @throws std::runtime_error: nothing has changed.
  void swap_plugin();

  /// Writes and commits what was handed in. Nothing is written afterwards.
  void stop();

 private:
  HandleOptions handle_options();
  void open_and_follow();
  bool try_to_open();
  void follow();
  void read_facets();
  void read_topic_names(const Handle& handle);
  void log(const std::string& message) const;

  const AppOptions options_;
  std::unique_ptr<Writer> writer_;  ///< outlives the handles, which report to it
  CurrentHandle current_;
  DatabasePool databases_;
  WordCache words_;
  SlowAnswers slow_answers_;
  std::shared_ptr<const Library> first_library_;
  Replaceable<Schema> schema_;
  Replaceable<TopicNames> topic_names_;
  Replaceable<FacetTable> facet_table_;
  std::chrono::steady_clock::time_point next_facets_{};  ///< for the follower only
  std::mutex mutex_;                                     ///< guards what follows
  std::condition_variable changed_;
  Lag lag_;
  std::chrono::steady_clock::time_point behind_since_{};
  bool stopping_ = false;
  std::mutex swapping_;  ///< one swap at a time
  std::thread follower_;
};

}  // namespace search_server
