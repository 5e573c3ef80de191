#include "jobs/jobs.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <system_error>
#include <thread>
#include <utility>

#include "http/access.h"
#include "http/log.h"

namespace search_server {
namespace {

using Json = Jobs::Json;

constexpr std::size_t kMostRemembered = 100;

/// RFC 3339, in UTC.
std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return date;
}

Json problem_json(const Problem& problem, const std::string& id) {
  return Json::parse(problem.response("/jobs/" + id, id).body);
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

struct JobContext::Entry {
  std::string id;
  std::string kind;
  Json job;                           ///< as it is shown; guarded by the mutex of the jobs
  std::atomic<bool> canceled{false};  ///< somebody asked for it
  std::thread thread;

  bool is_running() const { return job["state"] == "running"; }
};

void JobContext::progress(const std::string& doing, std::uint64_t done, std::uint64_t of) {
  const std::lock_guard lock(jobs_.mutex_);
  entry_.job["progress"] = {{"doing", doing}, {"done", done}, {"of", of}};
}

bool JobContext::canceled() const { return entry_.canceled; }

Jobs::Jobs() = default;
Jobs::~Jobs() { stop(); }

Json Jobs::start(const std::string& kind, Work work) {
  const std::lock_guard lock(mutex_);
  if (stopped_) throw Problem(503, "stopping", "The server is stopping.");
  for (const auto& entry : entries_) {
    if (entry->kind != kind || !entry->is_running()) continue;
    throw Problem(409, "job-running", "A job of this kind runs already: /jobs/" + entry->id + ".");
  }
  auto entry = std::make_unique<Entry>();
  entry->id = random_hex(8);
  entry->kind = kind;
  entry->job = {{"id", entry->id},    {"kind", kind},
                {"state", "running"}, {"progress", {{"doing", ""}, {"done", 0}, {"of", 0}}},
                {"started", now()},   {"finished", nullptr},
                {"result", nullptr},  {"error", nullptr}};
  Entry& entered = *entry;
  entries_.push_back(std::move(entry));
  try {
    entered.thread = std::thread([this, &entered, work = std::move(work)] { run(entered, work); });
  } catch (const std::system_error&) {
    entries_.pop_back();
    throw Problem(503, "no-thread", "The system gives no thread for a job.")
        .with("Retry-After", "5");
  }
  forget_oldest();
  return entered.job;
}

void Jobs::run(Entry& entry, const Work& work) {
  JobContext context(*this, entry);
  Json result;
  Json error;
  try {
    result = work(context);
  } catch (const Problem& problem) {
    error = problem_json(problem, entry.id);
  } catch (const std::exception& exception) {
    error = problem_json(Problem(500, "internal-error", exception.what()), entry.id);
  } catch (...) {
    error = problem_json(Problem(500, "internal-error", "The job failed."), entry.id);
  }
  const std::lock_guard lock(mutex_);
  const bool failed = !error.is_null();
  if (entry.canceled) result = error = nullptr;
  entry.job["state"] = entry.canceled ? "canceled" : failed ? "failed" : "done";
  entry.job["finished"] = now();
  entry.job["result"] = std::move(result);
  entry.job["error"] = std::move(error);
  log_event(LogLevel::kInfo, "job-ended",
            {{"job", entry.id}, {"kind", entry.kind}, {"state", entry.job["state"]}});
}

void Jobs::forget_oldest() {
  for (auto at = entries_.begin(); entries_.size() > kMostRemembered && at != entries_.end();) {
    if ((*at)->is_running()) {
      ++at;
    } else {
      (*at)->thread.join();  // it has nothing left to do
      at = entries_.erase(at);
    }
  }
}

Jobs::Entry& Jobs::entry_of(const std::string& id) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry->id == id; });
  if (found == entries_.end()) throw Problem(404, "job-not-found", "There is no job " + id + ".");
  return **found;
}

std::vector<Json> Jobs::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Json> jobs;
  for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) jobs.push_back((*at)->job);
  return jobs;
}

Json Jobs::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return entry_of(id).job;
}

void Jobs::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  entry_of(id).canceled = true;
}

void Jobs::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const auto& entry : entries_) {
      entry->canceled = true;
      if (entry->thread.joinable()) threads.push_back(std::move(entry->thread));
    }
  }
  for (std::thread& thread : threads) thread.join();
}

void add_job_routes(Router& router, Jobs& jobs) {
  router.add("GET", "/jobs", [&jobs](const Request&) {
    return json_response(text_of({{"jobs", jobs.list()}}));
  });
  router.add("GET", "/jobs/{id}", [&jobs](const Request& request) {
    return json_response(text_of(jobs.find(request.captures.at("id"))));
  });
  router.add("DELETE", "/jobs/{id}",
             [&jobs](const Request& request) {
               const std::string& id = request.captures.at("id");
               jobs.cancel(id);
               return json_response(text_of(jobs.find(id)), 202);
             },
             {.writes = true});
}

Response job_started(const Jobs::Json& job) {
  Response response = json_response(text_of(job), 202);
  response.headers.emplace_back("Location", "/jobs/" + job["id"].get<std::string>());
  return response;
}

}  // namespace search_server
