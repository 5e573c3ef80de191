#pragma once

#include <xapian.h>

#include <algorithm>
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

#include "http/log.h"
#include "http/router.h"
#include "jobs/jobs.h"
#include "plugin/writer.h"

namespace search_server {

struct AppOptions {
  std::string database;
  std::string library = "libkindred.so.0";  ///< a path, or a name that the linker finds
  std::string kindred_settings;             ///< a TOML file of Kindred; "": none
  std::string name;                         ///< of the collection, for people; "": the database's
  bool create = false;                      ///< make an empty database if there is none
  bool auto_tune = true;                    ///< when the labels that people gave make one due
  std::string user_header;                  ///< by which a proxy names who changes tags; "": none
  Json values = Json::array();  ///< to filter, count and sort by, as the question "search" has them
  std::size_t document_limit = std::size_t{1} << 20;  ///< bytes of a record
  std::size_t ingest_limit = std::size_t{64} << 20;   ///< bytes of a body of many records
};

/// Opens the index as an App does, and closes it; changes nothing.
/// @throws std::exception that says what is wrong with the library, the index or its settings.
void check_index(const AppOptions& given);

/// Lets few large questions be answered at a time, as each holds much more memory than its body
/// has. Any thread may use it.
class LargeQuestions {
 public:
  /// Lives while a question is answered; small ones do not count.
  class Turn {
   public:
    /// Waits for its turn. @throws Problem 503 if nobody wants the answer before it comes.
    Turn(LargeQuestions& all, const Request& request);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    LargeQuestions& all_;
    const bool is_large_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned free_ = std::max(4U, std::thread::hardware_concurrency());
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
  std::shared_ptr<const Handle> plugin() const;
  bool is_open() const;
  bool is_at_hand() const { return is_at_hand_; }  ///< false while the database cannot be read
  std::int64_t refreshes() const;                  ///< how often the plugin got another snapshot
  double lag() const;  ///< seconds since the index was first seen ahead of the plugin
  std::uint64_t swaps() const { return swaps_; }

  /// Asks the plugin, as long as the answer is wanted, for names of labels in the languages of the
  /// request. What takes seconds is asked in a job.
  /// @throws PluginError.
  std::string ask(const Request& request, const std::string& question, const Json& asked) const;
  /// Documents by their ids, as GET /documents/{id} shows them. @throws Problem 404.
  Json documents(const Request& request, const std::vector<std::string>& ids) const;
  /// Throws unless the documents are what the headers If-Match and If-None-Match of the request
  /// expect; a document that is not there is nothing. For who may write. @throws Problem 412.
  void check_preconditions(const Request& request, const std::vector<std::string>& ids) const;

  /// Loads the library again from its path, and lets it answer once it knows the database. Waits
  /// for what is being written; queries go on. If it fails, the log says why, and nothing has
  /// changed.
  void swap_plugin();
  /// Cancels jobs, and returns at once: no more begin.
  void cancel_jobs() { jobs.cancel_all(); }
  /// Cancels jobs, and ends when all that was handed in is written.
  void stop();

  const AppOptions options;
  Jobs jobs;
  Writer writer;
  LargeQuestions large_questions;

 private:
  using Clock = std::chrono::steady_clock;
  /// What only the follower knows.
  struct Following {
    std::optional<Xapian::Database> watched;  ///< none of a ZIM file
    Clock::time_point next_tuning{}, warm_until{};
  };

  std::shared_ptr<const Handle> open(std::shared_ptr<const Library> library);
  void run(const std::shared_ptr<const Library>& library);
  void follow();
  bool has_moved();
  void take_over(std::shared_ptr<const Handle> plugin);
  bool wait(Clock::duration time);

  Following following_;
  std::atomic<std::uint64_t> swaps_ = 0;
  std::atomic<bool> is_at_hand_ = true;
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::shared_ptr<const Handle> plugin_;
  std::int64_t refreshes_ = 0;
  Clock::time_point behind_since_{};  ///< the epoch: it is not behind
  bool stopping_ = false;
  std::thread follower_;
};

/// What a job "tune" does: it asks the question "tune". Its result has the scores before and after.
Jobs::Work tune_work(App& app, Json asked);

/// A route of routes.txt.
struct DescribedRoute {
  std::string method, pattern;
  std::vector<std::string> statuses;  ///< of its good answers
  std::string operation;              ///< its name in the description
  std::string asks;                   ///< the question of the library that it hands on; "": none
  kindred::Question question;
};
std::vector<DescribedRoute> described_routes(const AppOptions& options);

/// How index, library and server are, for GET /metrics.
std::vector<Gauge> gauges_of(const App& app);

/// The questions of the library, and behind them those of routes.txt.
const std::vector<kindred::Question>& questions_and_routes();

/// Adds all of them, POST /document/tags for forms, and GET /openapi.json. `app` outlives the
/// router. `base_path`: as http.base_path.
void add_routes(Router& router, App& app, const std::string& base_path);

/// GET /openapi.json: OpenAPI 3.1, made of routes.txt. All its routes have been added.
void add_openapi_route(Router& router, const AppOptions& options, const std::string& base_path);

/// Adds the page, with the name of the collection, at each of its addresses, and its files as
/// /web/NAME. They are built into the
/// program. Their addresses are relative, so a proxy may put a path before all.
void add_pages(Router& router, const std::string& collection);

/// What answers a request that asks `asked`: its parameters, or the members of its body, as
/// routes.txt has them.
using Answer = Response(App& app, const Request& request, const Json& asked);

Answer answer_search, answer_map, answer_log;
Answer answer_document, put_document, delete_document, post_documents;
Answer edit_tags, edit_many, edit_by_form, answer_undo;
Answer answer_candidates, answer_suspects, answer_duplicates;
Answer answer_status, answer_health, answer_ready;
Answer load_vocabulary, remove_vocabulary;
Answer start_tune, start_train, start_tag, answer_jobs, answer_job, cancel_job;

/// The JSON object of a body. @throws Problem 400 if it is none, 413, 415; kindred::Error.
Json read_object(const Request& request, const App& app);

/// The media type of the body, without parameters, in lower case.
std::string media_type(const Request& request);

/// JSON; its member "etag" is the ETag of the answer, too.
Response json_answer(const Json& json, int status = 200);

/// JSON whose ETag is a checksum of all but its seconds, which come last.
Response checked_answer(std::string json);

/// An answer of the plugin as it is, as checked_answer(); names of the index are plain.
Response handed_on(std::string answer);

/// An answer of the plugin without what goes with every answer; names of the index are plain.
Json plain(const std::string& answer);

/// A filter for documents by their ids; those with a quote in it are left out.
std::string filter_of(const Json& documents);

/// What a request of GET /search or GET /map asks of the plugin; without its members, all
/// documents.
Json search_question(const App& app, const Json& asked);

}  // namespace search_server
