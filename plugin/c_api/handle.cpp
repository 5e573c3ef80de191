#include "plugin/c_api/handle.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "config/shown.h"
#include "plugin/store/database.h"
#include "plugin/store/writable_database.h"

using kindred::Errc;
using kindred::Error;

kindred_handle::kindred_handle(const std::string& path, const kindred::Settings& settings,
                               const kindred::Log& handle_log, OnDocument on_document,
                               bool host_tunes)
    : log(kindred::taking_turns(handle_log)),
      engine(path, settings, log),
      on_document_(std::move(on_document)),
      host_tunes_(host_tunes) {}

kindred::IngestReport kindred_handle::add(std::string_view json) {
  const std::lock_guard lock(mutex_);
  if (!ingest_) {
    kindred::IngestOptions options;
    options.log = log;
    options.on_document = on_document_;
    options.tune = !host_tunes_;
    ingest_ = std::make_unique<kindred::Ingest>(engine, std::move(options));
  }
  ingest_or_end([&] {
    ingest_->add(parse(json));
  });
  return ingest_->report();
}

kindred::IngestReport kindred_handle::commit(bool end) {
  const std::lock_guard lock(mutex_);
  return commit_held(end);
}

/// Expects the mutex to be held.
kindred::IngestReport kindred_handle::commit_held(bool end) {
  if (!ingest_) return {};
  ingest_or_end([&] {
    ingest_->commit();
  });
  const kindred::IngestReport report = ingest_->report();
  if (end) ingest_.reset();
  return report;
}

std::string kindred_handle::ask(std::string_view question, std::string_view request,
                                const OnStep& on_step) {
  kindred::AskedIndex index{.path = engine.path(),
                            .settings = engine.settings(),
                            .engine = [this]() -> kindred::Engine& {
                              return engine;
                            },
                            .on_step = on_step,
                            .tunes = !host_tunes_,
                            .follows = true};
  if (!kindred::writes(question)) return kindred::ask(index, question, request);
  std::unique_lock lock(mutex_);
  commit_held(true);
  index.on_step = [&](const kindred::AskStep& step) {
    lock.unlock();
    const bool goes_on = !on_step || on_step(step);
    // Or this thread has the mutex again before one that waits for it wakes up.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.lock();
    commit_held(true);
    return goes_on;
  };
  return kindred::ask(index, question, request);
}

kindred::Record kindred_handle::parse(std::string_view json) {
  try {
    return kindred::parse_record(json);
  } catch (const Error& e) {
    ingest_->add_failure(e.what(), {}, std::string(json));
    throw;
  }
}

/// Runs body(). If it fails with anything but a refused record, ends ingest and releases the write
/// lock while the exception is in flight, so that Ingest does not try to commit once more.
template <typename Body>
void kindred_handle::ingest_or_end(Body&& body) {
  struct EndOnFailure {
    std::unique_ptr<kindred::Ingest>& ingest;
    bool keep = false;
    ~EndOnFailure() {
      if (!keep) ingest.reset();
    }
  } guard{ingest_};
  try {
    body();
    guard.keep = true;
  } catch (const Error& e) {
    guard.keep = e.code() == Errc::kInvalidArgument;
    throw;
  }
}

namespace kindred {
namespace {

constexpr bool same(kindred_errc c, Errc cpp) { return static_cast<int>(c) == int(cpp); }
static_assert(same(KINDRED_OK, Errc::kOk));
static_assert(same(KINDRED_INVALID_ARGUMENT, Errc::kInvalidArgument));
static_assert(same(KINDRED_NOT_FOUND, Errc::kNotFound));
static_assert(same(KINDRED_CORRUPT, Errc::kCorrupt));
static_assert(same(KINDRED_UNSUPPORTED, Errc::kUnsupported));
static_assert(same(KINDRED_OUT_OF_MEMORY, Errc::kOutOfMemory));
static_assert(same(KINDRED_DEVICE, Errc::kDevice));
static_assert(same(KINDRED_DATABASE, Errc::kDatabase));
static_assert(same(KINDRED_INTERNAL, Errc::kInternal));
static_assert(same(KINDRED_CANCELED, Errc::kCanceled));

thread_local std::string error_text;

}  // namespace

const char* last_error() noexcept { return error_text.c_str(); }

kindred_errc fail(Errc code, std::string_view text) noexcept {
  try {
    error_text = shown(text);
  } catch (...) {  // there is no memory for the text: the host gets the code only
    error_text.clear();
  }
  return static_cast<kindred_errc>(code);
}

void create_database(const std::string& path, const Settings& settings) {
  std::error_code absent;
  const bool empty = std::filesystem::is_empty(path, absent);
  if (!absent && !empty) return;
  check_may_write(path, settings);
  try {
    open_writable_database(path, settings.write, Xapian::DB_CREATE_OR_OPEN).commit();
  } catch (const Xapian::Error& e) {
    throw database_error(e, path + ": cannot make the database");
  }
}

}  // namespace kindred
