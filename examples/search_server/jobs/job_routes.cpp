#include "jobs/job_routes.h"

#include <charconv>
#include <memory>
#include <utility>

#include "http/problem.h"

namespace search_server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kHeartbeat{15};

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Job existing(const Jobs& jobs, const std::string& id) {
  std::optional<Job> job = jobs.find(id);
  if (!job) throw Problem(404, "job-not-found", "There is no job " + id + ".");
  return *std::move(job);
}

/// Tells of a job whenever it has changed, and a comment now and then, so that proxies keep the
/// connection and a client that is gone is noticed.
class JobEvents final : public BodyStream {
 public:
  JobEvents(const Jobs& jobs, std::string id, std::uint64_t seen)
      : jobs_(jobs), id_(std::move(id)), seen_(seen) {}

  std::optional<std::string> next(std::chrono::milliseconds) override {
    if (ended_) return std::nullopt;
    const std::optional<Job> job = jobs_.find(id_);
    if (!job) return std::nullopt;
    ended_ = job->state != JobState::kRunning;
    const auto now = std::chrono::steady_clock::now();
    if (job->version <= seen_ && now - told_ < kHeartbeat) return "";
    told_ = now;
    if (job->version <= seen_) return ": alive\n\n";
    seen_ = job->version;
    return "event: " + std::string(ended_ ? "end" : "progress") + "\nid: " + std::to_string(seen_) +
           "\ndata: " + text(job_json(*job)) + "\n\n";
  }

  bool is_endless() const override { return true; }

 private:
  const Jobs& jobs_;
  const std::string id_;
  std::uint64_t seen_;
  bool ended_ = false;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

/// 204 tells a client that has seen the end not to come back.
Response events(const Jobs& jobs, const Job& job, const std::string& last_event) {
  std::uint64_t seen = 0;
  std::from_chars(last_event.data(), last_event.data() + last_event.size(), seen);
  Response response;
  if (job.state != JobState::kRunning && seen >= job.version) {
    response.status = 204;
    return response;
  }
  response.type = "text/event-stream";
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.stream = std::make_unique<JobEvents>(jobs, job.id, seen);
  return response;
}

}  // namespace

Response job_started(const Job& job) {
  Response response = json_response(text(job_json(job)), 202);
  response.headers.emplace_back("Location", "/jobs/" + job.id);
  return response;
}

void add_job_routes(Router& router, Jobs& jobs) {
  router.add("GET", "/jobs", [&jobs](const Request&) {
    Json list = Json::array();
    for (const Job& job : jobs.list()) list.push_back(job_json(job));
    return json_response(text({{"jobs", list}}));
  });
  router.add("GET", "/jobs/{id}", [&jobs](const Request& request) {
    const Job job = existing(jobs, request.captures.at("id"));
    if (request.header("accept").find("text/event-stream") == std::string::npos) {
      return json_response(text(job_json(job)));
    }
    return events(jobs, job, request.header("last-event-id"));
  });
  router.add("DELETE", "/jobs/{id}",
             [&jobs](const Request& request) {
               const std::string& id = request.captures.at("id");
               existing(jobs, id);
               jobs.cancel(id);
               return json_response(text(job_json(existing(jobs, id))), 202);
             },
             {.writes = true});
}

}  // namespace search_server
