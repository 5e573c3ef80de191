#include "api/app.h"

#include <kindred/store/zim_file.h>
#include <malloc.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "http/log.h"

namespace search_server {
namespace {

constexpr auto kRetry = std::chrono::seconds(5);        ///< after the database could not be opened
constexpr auto kLook = std::chrono::milliseconds(500);  ///< between two looks at the index
constexpr auto kWarm = std::chrono::seconds(10);        ///< after a refresh, facets may be due
constexpr auto kTuningPause = std::chrono::minutes(3);  ///< between the starts of two tunings

/// Questions with larger bodies are large; and between two looks whether one is wanted.
constexpr std::size_t kLargeBody = 64 << 10;
constexpr auto kTurnLook = std::chrono::milliseconds(50);

/// Without settings of the operator, a server that ends saves its mirror, so that the next start
/// and a swapped plugin are warm.
constexpr auto kSettings = "[mirror]\nsave = \"close\"\n";

/// What tells whether somebody has written; nothing for a ZIM file, which stays as it is. Fails at
/// once for a path that is wrong.
std::optional<Xapian::Database> watched(const AppOptions& options) try {
  if (options.create || kindred::is_zim(options.database)) return std::nullopt;
  return Xapian::Database(options.database);
} catch (const Xapian::Error& e) {
  throw std::runtime_error(options.database + ": cannot open the database: " + e.get_description() +
                           "; 'kindred index --db " + options.database +
                           " FILE' makes one, and so does the setting index.create");
}

/// With the name of the collection, and the whole path of the database.
AppOptions completed(AppOptions options) {
  const std::filesystem::path path(options.database);
  const std::filesystem::path last = path.has_filename() ? path : path.parent_path();
  if (options.name.empty()) options.name = last.filename().string();
  options.database = std::filesystem::absolute(last).lexically_normal().string();
  return options;
}

/// Does it; returns what went wrong, or "".
template <typename Deed>
std::string fault_of(Deed&& deed) {
  try {
    deed();
    return "";
  } catch (const std::exception& e) {
    return e.what();
  }
}

/// What names the index, and the settings of Kindred.
HandleOptions handle_options(const AppOptions& options) {
  HandleOptions handle;
  handle.database = options.database;
  handle.name = options.name;
  handle.settings_path = options.kindred_settings;
  return handle;
}

}  // namespace

void check_index(const AppOptions& given) {
  const AppOptions options = completed(given);
  const auto library = std::make_shared<const Library>(options.library);
  watched(options);
  if (options.create && !std::filesystem::exists(options.database)) return;

  HandleOptions handle = handle_options(options);
  handle.settings = "[mirror]\nsave = \"never\"\n";
  const Handle opened(library, std::move(handle));
}

LargeQuestions::Turn::Turn(LargeQuestions& all, const Request& request)
    : all_(all), is_large_(request.body.size() > kLargeBody) {
  if (!is_large_) return;
  std::unique_lock lock(all_.mutex_);
  while (!all_.changed_.wait_for(lock, kTurnLook, [&] {
    return all_.free_ > 0;
  }))
    if (!request.is_wanted()) throw busy("busy", "others ask too many large questions");
  --all_.free_;
}

LargeQuestions::Turn::~Turn() {
  if (!is_large_) return;
  malloc_trim(0);  // else each thread keeps what it has freed
  const std::lock_guard lock(all_.mutex_);
  ++all_.free_;
  all_.changed_.notify_one();
}

App::App(AppOptions given)
    : options(completed(std::move(given))),
      writer([this] {
        return plugin();
      }),
      following_{watched(options)},
      follower_([this, library = std::make_shared<const Library>(options.library)] {
        run(library);
      }) {}

std::shared_ptr<const Handle> App::open(std::shared_ptr<const Library> library) {
  HandleOptions handle = handle_options(options);
  handle.settings = kSettings;
  handle.create = options.create;
  handle.on_document = [this](const kindred_document_report& report) {
    writer.reported(report);
  };
  return std::make_shared<const Handle>(std::move(library), std::move(handle));
}

std::shared_ptr<const Handle> App::plugin() const {
  const std::lock_guard lock(mutex_);
  if (plugin_) return plugin_;
  throw busy("starting", "the index is being loaded");
}

bool App::is_open() const {
  const std::lock_guard lock(mutex_);
  return plugin_ != nullptr;
}

std::int64_t App::refreshes() const {
  const std::lock_guard lock(mutex_);
  return refreshes_;
}

std::string App::ask(const Request& request, const std::string& question, const Json& asked) const {
  const TimeSpent spent(request.plugin_seconds);
  const Step step = [&request](const std::string&, std::uint64_t, std::uint64_t) {
    return request.is_wanted();
  };
  Json with_languages = asked;
  const std::vector<std::string> languages = request.languages();
  if (!languages.empty() && kindred::find_question(question).request.has_key("names_in"))
    with_languages["names_in"] = languages;
  return plugin()->ask_text(question, with_languages, step);
}

Json App::documents(const Request& request, const std::vector<std::string>& ids) const try {
  Json question = search_question(*this, Json::object());
  for (const std::string& id : ids) question["ids"].push_back(written_name(id));
  Json answer = plain(ask(request, "search", question));
  const Json names = answer.value("names", Json::object());
  for (Json& document : answer["documents"]) {
    Json its = Json::object();
    for (const Json& label : document["labels"])
      if (const auto name = names.find(label); name != names.end())
        its[label.get<std::string>()] = *name;
    if (!its.empty()) document["names"] = std::move(its);
  }
  return answer["documents"];
} catch (const PluginError& e) {
  if (e.code() != KINDRED_NOT_FOUND) throw;
  throw Problem(404, "document-not-found", e.what());
}

void App::check_preconditions(const Request& request, const std::vector<std::string>& ids) const {
  const std::string expected = request.header("if-match"), other = request.header("if-none-match");
  if (expected.empty() && other.empty()) return;

  for (const std::string& id : ids) {
    std::string tag;
    try {
      tag = documents(request, {id})[0]["etag"];
    } catch (const Problem& e) {
      if (e.status() != 404) throw;
    }
    const bool exists = !tag.empty();
    if (!expected.empty() && !(exists && lists_strong_tag(expected, tag)))
      throw Problem(412, "document-changed", "the document has changed since; read it again");
    if (!other.empty() && exists && lists_tag(other, tag))
      throw Problem(412, "document-exists", "the document is there already");
  }
}

double App::lag() const {
  const std::lock_guard lock(mutex_);
  if (behind_since_ == Clock::time_point{}) return 0;
  return std::chrono::duration<double>(Clock::now() - behind_since_).count();
}

/// False if the server stops meanwhile.
bool App::wait(Clock::duration time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] {
    return stopping_;
  });
}

void App::run(const std::shared_ptr<const Library>& library) {
  while (!is_open()) {
    const std::string fault = fault_of([&] {
      take_over(open(library));
    });
    if (fault.empty()) break;
    log_event(LogLevel::kWarning, "index-not-open", {{"reason", fault}});
    if (!wait(kRetry)) return;
  }
  do {
    const std::string fault = fault_of([this] {
      follow();
    });
    is_at_hand_ = fault.empty();
    if (!fault.empty()) log_event(LogLevel::kWarning, "index-not-followed", {{"reason", fault}});
  } while (wait(kLook));
}

/// True if somebody may have committed since the last call.
bool App::has_moved() try {
  if (following_.watched) return following_.watched->reopen();
  if (kindred::is_zim(options.database)) return false;
  following_.watched = Xapian::Database(options.database);
  return true;
} catch (const Xapian::Error&) {  // another database is at the path now, or a server has closed
  following_.watched.reset();
  return true;
}

/// Brings the plugin up to date with what others wrote.
void App::follow() {
  const bool moved = has_moved();
  std::unique_lock lock(mutex_);
  if (moved && behind_since_ == Clock::time_point{}) behind_since_ = Clock::now();
  const bool behind = behind_since_ != Clock::time_point{};
  lock.unlock();
  const auto plugin = this->plugin();
  const Step goes_on = [this](const std::string&, std::uint64_t, std::uint64_t) {
    const std::lock_guard guard(mutex_);
    return !stopping_;
  };
  if (behind) {
    plugin->call(&kindred_descriptor::refresh, static_cast<int*>(nullptr));
    following_.warm_until = Clock::now() + kWarm;
    lock.lock();
    behind_since_ = {};
    ++refreshes_;
    lock.unlock();
  }
  if (Clock::now() < following_.warm_until)
    plugin->ask("search", search_question(*this, {{"limit", 0}}), goes_on);
  writer.end_if_idle();
  if (!options.auto_tune || Clock::now() < following_.next_tuning ||
      plugin->ask("status")["tuning_due"] != true)
    return;
  fault_of([this] {
    jobs.start("tune", tune_work(*this, {{"if_due", true}}));
  });
  following_.next_tuning = Clock::now() + kTuningPause;
}

/// From now on this one answers.
void App::take_over(std::shared_ptr<const Handle> plugin) {
  plugin->ask("search", search_question(*this, {{"limit", 0}}));  // reads the facets
  const std::lock_guard lock(mutex_);
  plugin_.swap(plugin);
  ++refreshes_;
}

void App::swap_plugin() {
  const std::string fault = fault_of([this] {
    fault_of([this] {
      plugin()->ask("save_mirror");
    });  // else the new one starts cold
    const auto next = open(std::make_shared<const Library>(options.library));
    const auto swap = [&](const Handle& old) {
      old.call(&kindred_descriptor::end_ingest, static_cast<kindred_ingest_report*>(nullptr));
      next->call(&kindred_descriptor::refresh, static_cast<int*>(nullptr));
      take_over(next);
    };
    writer.run(swap, Clock::time_point::max());
    ++swaps_;
    const char* const version = next->library()->functions().version;
    log_event(LogLevel::kInfo, "plugin-swapped", {{"version", version}});
  });
  if (!fault.empty()) log_event(LogLevel::kError, "plugin-not-swapped", {{"reason", fault}});
}

void App::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (follower_.joinable()) follower_.join();
  jobs.stop();
  writer.stop();
}

}  // namespace search_server
