#pragma once

#include <xapian.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jobs/jobs.h"
#include "plugin/writer.h"

namespace search_server {

/// A value slot that documents can be filtered, counted and sorted by.
struct ValueField {
  std::string name;
  std::uint32_t slot = 0;
  bool number = false;  ///< Xapian::sortable_serialise() made it; else it is text
};

struct AppOptions {
  std::string database;
  std::string library = "libkindred.so.0";  ///< a path, or a name that the linker finds
  std::string kindred_settings;             ///< a TOML file of Kindred; "": none
  std::string name;                         ///< of the collection, for people; "": the database's
  bool create = false;                      ///< make an empty database if there is none
  bool auto_tune = true;                    ///< when the labels that people gave make one due
  std::vector<ValueField> values;
  std::size_t document_limit = std::size_t{1} << 20;  ///< bytes of a record
  std::size_t ingest_limit = std::size_t{64} << 20;   ///< bytes of a body of many records
};

/// Who answers at one moment. Immutable.
struct State {
  std::shared_ptr<const Handle> plugin;
  std::int64_t refreshed = 0;  ///< when the plugin got another snapshot
};

/// One index and the plugin that knows it. The database is opened in a thread of its own, which
/// then follows what others write, and starts a job "tune" when one is due. Any thread may use it.
class App {
 public:
  /// @throws std::runtime_error if the library cannot be loaded, or Xapian cannot open the
  /// database.
  explicit App(AppOptions options);
  ~App() { stop(); }
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// @throws Problem 503 until the plugin answers.
  std::shared_ptr<const State> state() const;
  bool is_open() const;
  double lag() const;  ///< seconds since the index was first seen ahead of the plugin
  std::uint64_t swaps() const { return swaps_; }

  /// Asks the plugin. What takes seconds is asked in a job. @throws PluginError.
  Json ask(const Request& request, const std::string& question,
           const Json& asked = Json::object()) const;
  /// Documents by their ids, as GET /documents/{id} shows them. @throws Problem 404.
  Json documents(const Request& request, const std::vector<std::string>& ids) const;

  /// Opens the database a second time, with what is stored beside it in another folder.
  std::shared_ptr<const Handle> open_aside(const std::string& folder);
  /// Loads the library again from its path, and lets it answer once it knows the database. Waits
  /// for what is being written; queries go on. If it fails, the log says why, and nothing has
  /// changed.
  void swap_plugin();
  /// Cancels jobs, and ends when all that was handed in is written.
  void stop();

  const AppOptions options;
  Jobs jobs;
  Writer writer;

 private:
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<const Handle> open(std::shared_ptr<const Library> library,
                                     const std::string& settings);
  void run(const std::shared_ptr<const Library>& library);
  void follow();
  bool has_moved();
  void learn(std::shared_ptr<const Handle> plugin, bool refreshed);
  bool wait(Clock::duration time);

  std::optional<Xapian::Database> watched_;  ///< by the follower; none of a ZIM file
  Clock::time_point next_tuning_{};          ///< for the follower only
  std::atomic<std::uint64_t> swaps_ = 0;
  std::mutex learning_;       ///< held by who makes the next state
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::shared_ptr<const State> state_;
  Clock::time_point behind_since_{};  ///< the epoch: it is not behind
  bool stopping_ = false;
  std::thread follower_;
};

/// What a job "tune" does; its result has the scores before and after. With "dry_run" it stores
/// nothing, and also tells how many documents would get other tags.
Jobs::Work tune_work(App& app, Json asked);

}  // namespace search_server
