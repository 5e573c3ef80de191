#include "plugin/writer.h"

#include <algorithm>

#include "http/log.h"

namespace search_server {
namespace {

constexpr auto kNoReport = static_cast<kindred_ingest_report*>(nullptr);
/// After this long without a record, ingest ends.
constexpr auto kIdle = std::chrono::milliseconds(300);

}  // namespace

Json refused(const std::string& reason) {
  constexpr std::size_t kMostReason = 300;  // bytes: it may quote the record
  return {{"id", nullptr},
          {"outcome", "refused"},
          {"predicted", Json::array()},
          {"pending", false},
          {"reason", shortened(reason, kMostReason)}};
}

Writer::Turn::Turn(Writer& to, Clock::time_point deadline) : writer(to) {
  std::unique_lock lock(writer.mutex_);
  writer.turns_.push_back(this);
  const auto is_next = [this] {
    return writer.stopping_ || writer.turns_.front() == this;
  };
  if (writer.changed_.wait_until(lock, deadline, is_next) && !writer.stopping_) return;
  std::erase(writer.turns_, this);
  writer.changed_.notify_all();
  throw busy("busy", "others write for too long; nothing has changed");
}

Writer::Turn::~Turn() {
  const std::lock_guard lock(writer.mutex_);
  writer.turns_.pop_front();
  writer.changed_.notify_all();
}

std::vector<Json> Writer::ingest(const std::vector<std::string>& records,
                                 Clock::time_point deadline, const std::function<void()>& check) {
  const Turn turn(*this, deadline);
  if (check) check();

  const std::shared_ptr<const Handle> handle = handle_();
  ingesting_ = true;
  std::string fault;
  try {
    for (const std::string& record : records) {
      try {
        handle->call(&kindred_descriptor::ingest, record.data(), record.size(), kNoReport);
      } catch (const PluginError& e) {
        // A record that is refused is reported as all others are.
        if (e.code() != KINDRED_INVALID_ARGUMENT) throw;
      }
    }
    handle->call(&kindred_descriptor::commit, kNoReport);
  } catch (const PluginError& e) {
    end_ingest();  // no report comes after it
    fault = e.what();
    log_event(LogLevel::kError, "not-written", {{"reason", fault}});
    if (reports_.empty()) throw;
  }
  wrote_ = Clock::now();
  const std::lock_guard lock(mutex_);
  reports_.resize(records.size(), refused(fault));
  return std::exchange(reports_, {});
}

void Writer::run(const std::function<void(const Handle&)>& work, Clock::time_point deadline) {
  const Turn turn(*this, deadline);
  work(*handle_());
}

void Writer::let_others_write() {
  std::unique_lock lock(mutex_);
  Turn* const own = turns_.front();
  turns_.pop_front();
  turns_.push_back(own);
  changed_.notify_all();
  changed_.wait(lock, [&] {
    return turns_.front() == own;
  });
}

void Writer::reported(const kindred_document_report& report) {
  Json json = refused(std::string(view(report.reason)));
  if (report.id.size > 0) json["id"] = view(report.id);
  if (report.outcome != KINDRED_REFUSED)
    json["outcome"] = report.outcome == KINDRED_ADDED ? "added" : "replaced";
  for (std::size_t i = 0; i < report.tag_count; ++i)
    json["predicted"].push_back(
        {{"label", view(report.tags[i].label)}, {"confidence", report.tags[i].confidence}});
  json["pending"] = report.pending != 0;
  const std::lock_guard lock(mutex_);
  reports_.push_back(std::move(json));
}

void Writer::end_if_idle() {
  {
    const std::lock_guard lock(mutex_);
    if (!turns_.empty() || !ingesting_ || Clock::now() - wrote_ < kIdle) return;
  }
  run(
      [this](const Handle&) {
        end_ingest();
      },
      Clock::now() + kIdle);
}

void Writer::end_ingest() {
  ingesting_ = false;
  try {
    handle_()->call(&kindred_descriptor::end_ingest, kNoReport);
  } catch (const PluginError&) {
    // Everything was committed before; only the refresh can fail, and the next one makes it good.
  }
}

void Writer::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] {
    return turns_.empty();
  });
  lock.unlock();
  if (ingesting_) end_ingest();
}

}  // namespace search_server
