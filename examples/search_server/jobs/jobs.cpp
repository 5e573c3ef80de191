#include "jobs/jobs.h"

#include <algorithm>
#include <ctime>
#include <system_error>
#include <utility>

#include "http/access.h"
#include "http/log.h"

namespace search_server {
namespace {

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

}  // namespace

void JobContext::progress(const std::string& doing, std::uint64_t done, std::uint64_t of) {
  const std::lock_guard lock(mutex_);
  job_["progress"] = {{"doing", doing}, {"done", done}, {"of", of}};
}

Json Jobs::start(const std::string& kind, Work work, bool joins) {
  const std::lock_guard lock(mutex_);
  if (stopped_) throw Problem(503, "stopping", "The server is stopping.");
  for (const auto& job : jobs_) {
    if (job->job_["kind"] != kind || !job->is_running()) continue;
    if (joins) return job->job_;
    throw Problem(409, "job-running", "A job of this kind runs already: /jobs/" + job->id() + ".");
  }
  const Json shown = {{"id", random_hex(8)}, {"kind", kind},
                      {"state", "running"},  {"progress", {{"doing", ""}, {"done", 0}, {"of", 0}}},
                      {"started", now()},    {"finished", nullptr},
                      {"result", nullptr},   {"error", nullptr}};
  JobContext& job = *jobs_.emplace_back(new JobContext(mutex_, shown));
  try {
    job.thread_ = std::thread([this, &job, work = std::move(work)] { run(job, work); });
  } catch (const std::system_error&) {
    jobs_.pop_back();
    throw Problem(503, "no-thread", "The system gives no thread for a job.")
        .with("Retry-After", "5");
  }
  forget_oldest();
  return shown;
}

void Jobs::run(JobContext& job, const Work& work) {
  Json result, error;
  const auto fail = [&](const Problem& problem) {
    error = Json::parse(problem.response("/jobs/" + job.id(), job.id()).body);
  };
  try {
    result = work(job);
  } catch (const Problem& problem) {
    fail(problem);
  } catch (const std::exception& exception) {
    fail(Problem(500, "internal-error", exception.what()));
  } catch (...) {
    fail(Problem(500, "internal-error", "The job failed."));
  }
  const std::lock_guard lock(mutex_);
  const bool failed = !error.is_null();
  if (job.canceled_) result = error = nullptr;
  job.job_["state"] = job.canceled_ ? "canceled" : failed ? "failed" : "done";
  job.job_["finished"] = now();
  job.job_["result"] = std::move(result);
  job.job_["error"] = std::move(error);
  log_event(LogLevel::kInfo, "job-ended",
            {{"job", job.id()}, {"kind", job.job_["kind"]}, {"state", job.job_["state"]}});
}

void Jobs::forget_oldest() {
  const auto ended =
      std::ranges::find_if(jobs_, [](const auto& job) { return !job->is_running(); });
  if (jobs_.size() <= kMostRemembered || ended == jobs_.end()) return;
  (*ended)->thread_.join();  // it has nothing left to do
  jobs_.erase(ended);
}

JobContext& Jobs::find_job(const std::string& id) const {
  const auto found = std::ranges::find_if(jobs_, [&](const auto& job) { return job->id() == id; });
  if (found == jobs_.end()) throw Problem(404, "job-not-found", "There is no job " + id + ".");
  return **found;
}

std::vector<Json> Jobs::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Json> jobs;
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) jobs.push_back((*job)->job_);
  return jobs;
}

Json Jobs::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return find_job(id).job_;
}

void Jobs::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  find_job(id).canceled_ = true;
}

void Jobs::stop() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  for (const auto& job : jobs_) job->canceled_ = true;
  lock.unlock();
  for (const auto& job : jobs_)  // none comes or goes any more
    if (job->thread_.joinable()) job->thread_.join();
}

void add_job_routes(Router& router, Jobs& jobs) {
  router.add("GET", "/jobs", [&jobs](const Request&) {
    return json_response(to_text({{"jobs", jobs.list()}}));
  });
  router.add("GET", "/jobs/{id}", [&jobs](const Request& request) {
    return json_response(to_text(jobs.find(request.captures.at("id"))));
  });
  router.add("DELETE", "/jobs/{id}",
             [&jobs](const Request& request) {
               const std::string& id = request.captures.at("id");
               jobs.cancel(id);
               return json_response(to_text(jobs.find(id)), 202);
             },
             {.writes = true});
}

Response job_started(const Json& job) {
  Response response = json_response(to_text(job), 202);
  response.headers.emplace_back("Location", "/jobs/" + job["id"].get<std::string>());
  return response;
}

}  // namespace search_server
