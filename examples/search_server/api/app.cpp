#include "api/app.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "api/guarded.h"

namespace search_server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRetry = std::chrono::seconds(5);        ///< after the database could not be opened
constexpr auto kLook = std::chrono::milliseconds(500);  ///< between two looks at the revision

/// Without settings of the operator, a server that ends saves its mirror, so that the next start
/// and a swapped plugin are warm.
constexpr auto kSettings = "[mirror]\nsave = \"close\"\n";

/// Fails at once for a path that is wrong.
std::string checked(const AppOptions& options) {
  if (options.create) return options.database;
  try {
    const OpenDatabase opened(options.database);
    return options.database;
  } catch (const Xapian::Error& e) {
    throw std::runtime_error(options.database +
                             ": cannot open the database: " + e.get_description());
  }
}

std::shared_ptr<const Schema> read_schema(const Handle& handle, const AppOptions& options) {
  const auto settings = handle.ask("settings").at("settings");
  Schema schema = schema_of(nlohmann::json(settings), options.values);
  if (kindred::is_zim(options.database)) schema.archive = options.database;
  return std::make_shared<const Schema>(std::move(schema));
}

AnalyzedQuery analyzed(const Handle& handle, const std::string& typed, bool partial) {
  const Json result = handle.ask("analyze", {{"query", typed}, {"partial", partial}});
  AnalyzedQuery query;
  query.query = Xapian::Query::unserialise(read_name(result["query"]));
  for (const Json& word : result["words"])
    query.words.push_back({word["word"].get<std::string>(), read_names(word["terms"])});
  return query;
}

/// While somebody types, a quote or a bracket may not be closed yet, and a field lack its value:
/// then only the words count.
AnalyzedQuery parsed(const Handle& handle, std::string typed, bool partial) {
  const auto is_sign = [](char c) { return std::strchr("\"():", c) != nullptr && c != '\0'; };
  for (bool again = partial;; again = false) {
    try {
      return analyzed(handle, typed, partial);
    } catch (const PluginError& e) {
      if (e.code() != KINDRED_INVALID_ARGUMENT) throw;
      if (!again) throw QueryMistake(std::string("q: ") + e.what());
      std::replace_if(typed.begin(), typed.end(), is_sign, ' ');
    }
  }
}

}  // namespace

App::App(AppOptions options)
    : options_(std::move(options)),
      current_(handle_options()),
      databases_(checked(options_)),
      first_library_(std::make_shared<const Library>(options_.library)),
      topic_names_(std::make_shared<const TopicNames>()) {
  writer_ = std::make_unique<Writer>(current_);
  follower_ = std::thread([this] { open_and_follow(); });
}

HandleOptions App::handle_options() {
  HandleOptions handle;
  handle.database = options_.database;
  handle.settings_path = options_.kindred_settings;
  handle.settings = kSettings;
  handle.create = options_.create;
  handle.log = [this](std::string_view message) { log(std::string(message)); };
  handle.on_document = [this](const kindred_document_report& report) { writer_->reported(report); };
  return handle;
}

void App::log(const std::string& message) const {
  if (options_.log) options_.log(message);
}

std::shared_ptr<const Handle> App::plugin() const {
  if (auto handle = current_.get()) return handle;
  throw busy("starting", "the index is being loaded");
}

std::shared_ptr<const Schema> App::schema() const {
  if (auto schema = schema_.load()) return schema;
  throw busy("starting", "the index is being loaded");
}

QueryAnalysis App::query_analysis(const std::string& query) const {
  const auto handle = plugin();
  const auto language = handle->ask("analyze", {{"text", query}})["language"].get<std::string>();
  const auto stems = handle->stems(language);
  return {
      [handle, stems](const std::string& word) { return stems->get(word); },
      [handle](const std::string& typed, bool partial) { return parsed(*handle, typed, partial); }};
}

Lag App::lag() {
  const std::lock_guard lock(mutex_);
  Lag lag = lag_;
  if (behind_since_ != Clock::time_point{}) {
    lag.seconds = std::chrono::duration<double>(Clock::now() - behind_since_).count();
  }
  return lag;
}

void App::open_and_follow() {
  while (!try_to_open()) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kRetry, [this] { return stopping_; })) return;
  }
  while (true) {
    follow();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kLook, [this] { return stopping_; })) return;
  }
}

bool App::try_to_open() {
  try {
    const auto handle = current_.open(first_library_);
    schema_.store(read_schema(*handle, options_));
    read_topic_names(*handle);
    current_.set(handle);
    return true;
  } catch (const std::exception& e) {
    log(e.what());
    return false;
  }
}

/// Brings the plugin up to date with what others wrote.
void App::follow() {
  try {
    const std::uint64_t index =
        databases_.with([](const OpenDatabase& open) { return open.revision(); });
    const auto handle = current_.get();
    if (handle->status()["revision"] != index) {
      handle->call(&kindred_descriptor::refresh, static_cast<int*>(nullptr));
    }
    read_topic_names(*handle);
    read_facets();
    const auto plugin = handle->status()["revision"].get<std::uint64_t>();
    const std::lock_guard lock(mutex_);
    const bool behind = plugin < index;
    if (!behind) behind_since_ = {};
    if (behind && behind_since_ == Clock::time_point{}) behind_since_ = Clock::now();
    lag_ = {index, plugin, 0};
  } catch (const std::exception& e) {
    log(std::string("cannot follow the index: ") + e.what());
  } catch (const Xapian::Error& e) {
    log("cannot follow the index: " + e.get_description());
  }
}

/// Reads the facets of a new revision, in at most a tenth of the time.
void App::read_facets() {
  const auto begin = Clock::now();
  if (begin < next_facets_) return;
  databases_.with([this](const OpenDatabase& open) {
    const auto known = facet_table_.load();
    if (open.revision() == 0 || (known && known->revision() == open.etag())) return;
    facet_table_.store(std::make_shared<const FacetTable>(open.database, *schema(), open.etag()));
  });
  next_facets_ = Clock::now() + 9 * (Clock::now() - begin);
}

void App::read_topic_names(const Handle& handle) {
  auto names = std::make_shared<TopicNames>();
  try {
    const Json found = handle.ask("topics");
    for (const Json& topic : found["topics"])
      names->emplace(topic["number"].get<std::uint32_t>(), topic["name"].get<std::string>());
  } catch (const PluginError& e) {
    if (e.code() != KINDRED_NOT_FOUND) throw;
  }
  topic_names_.store(std::move(names));
}

void App::swap_plugin() {
  const std::lock_guard lock(swapping_);
  const auto old = plugin();
  try {
    old->ask("save_mirror");
  } catch (const PluginError& e) {
    log(std::string("the new plugin starts cold: ") + e.what());
  }
  const auto next = current_.open(std::make_shared<const Library>(options_.library));
  writer_->exclusively([&](const Handle& writing) {
    writing.call(&kindred_descriptor::end_ingest, static_cast<kindred_ingest_report*>(nullptr));
    next->call(&kindred_descriptor::refresh, static_cast<int*>(nullptr));
    schema_.store(read_schema(*next, options_));
    current_.set(next);
  });
  log(std::string("swapped the plugin for version ") + next->library().functions().version);
}

void App::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (follower_.joinable()) follower_.join();
  writer_->stop();
}

}  // namespace search_server
