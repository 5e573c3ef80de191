#include "jobs/jobs.h"

#include <future>
#include <stdexcept>

#include "http/problem.h"
#include "jobs/job_routes.h"
#include "tests/fixtures/catch.h"

using namespace search_server;
using Json = nlohmann::ordered_json;

namespace {

/// Work that waits until it is let go, or canceled.
struct Gate {
  std::atomic<bool> open{false};

  Jobs::Work work() {
    return [this](JobContext& context) {
      context.progress("waiting", 1, 2);
      while (!open && !context.canceled()) std::this_thread::yield();
      return Json{{"answer", 42}};
    };
  }
};

Job ended(const Jobs& jobs, const std::string& id) {
  while (jobs.find(id)->state == JobState::kRunning) std::this_thread::yield();
  return *jobs.find(id);
}

void wait_for_progress(const Jobs& jobs, const std::string& id) {
  while (jobs.find(id)->doing.empty()) std::this_thread::yield();
}

int status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Problem& problem) {
    return problem.status();
  }
  return 0;
}

Response ask(const Router& router, const char* method, const std::string& path,
             std::map<std::string, std::string, std::less<>> headers = {}) {
  Router::Match match = router.match(method, path);
  REQUIRE(match.route != nullptr);
  Request request;
  request.captures = std::move(match.captures);
  request.headers = std::move(headers);
  return match.route->handler(request);
}

}  // namespace

TEST_CASE("a job has a result, and tells what it does meanwhile") {
  Jobs jobs;
  Gate gate;
  const std::string id = jobs.start("tune", gate.work()).id;
  wait_for_progress(jobs, id);
  const Json running = job_json(*jobs.find(id));
  CHECK(running["state"] == "running");
  CHECK(running["progress"] == Json({{"doing", "waiting"}, {"done", 1}, {"of", 2}}));
  CHECK(running["finished"].is_null());
  gate.open = true;
  const Json done = job_json(ended(jobs, id));
  CHECK(done["state"] == "done");
  CHECK(done["result"] == Json({{"answer", 42}}));
  CHECK(done["error"].is_null());
  CHECK(done["finished"].get<std::string>().size() == 24);
}

TEST_CASE("one job of each kind runs at a time") {
  Jobs jobs;
  Gate gate;
  const std::string id = jobs.start("tune", gate.work()).id;
  CHECK(status_of([&] { jobs.start("tune", gate.work()); }) == 409);
  const std::string other = jobs.start("tag", gate.work()).id;
  gate.open = true;
  ended(jobs, id);
  ended(jobs, other);
  const std::string again = jobs.start("tune", gate.work()).id;
  ended(jobs, again);
  CHECK(jobs.list().size() == 3);
  CHECK(jobs.list().front().id == again);
}

TEST_CASE("a job that throws has failed, and says why") {
  Jobs jobs;
  const auto failed = [&](const Jobs::Work& work) {
    const Job job = ended(jobs, jobs.start("tag", work).id);
    CHECK(job.state == JobState::kFailed);
    CHECK(job.result.is_null());
    return job.error;
  };
  CHECK(failed([](JobContext&) -> Json { throw Problem(503, "busy", "Later."); })["detail"] ==
        "Later.");
  CHECK(failed([](JobContext&) -> Json { throw std::runtime_error("so"); })["status"] == 500);
  CHECK(failed([](JobContext&) -> Json { throw 7; })["status"] == 500);
}

TEST_CASE("a job can be canceled") {
  Jobs jobs;
  Gate gate;
  const std::string id = jobs.start("train", gate.work()).id;
  jobs.cancel(id);
  CHECK(ended(jobs, id).state == JobState::kCanceled);
  jobs.cancel(id);
  jobs.cancel("nobody");
  CHECK(jobs.find(id)->state == JobState::kCanceled);
}

TEST_CASE("when jobs are stopped they have ended, and none starts") {
  Jobs jobs;
  Gate gate;
  const std::string id = jobs.start("train", gate.work()).id;
  jobs.stop();
  CHECK(jobs.find(id)->state == JobState::kCanceled);
  CHECK(status_of([&] { jobs.start("train", gate.work()); }) == 503);
}

TEST_CASE("the latest hundred jobs are remembered") {
  Jobs jobs;
  std::string first;
  std::string last;
  for (int i = 0; i < 101; ++i) {
    last = jobs.start("tag", [](JobContext&) { return Json::object(); }).id;
    if (i == 0) first = last;
    ended(jobs, last);
  }
  CHECK(jobs.list().size() == 100);
  CHECK_FALSE(jobs.find(first));
  CHECK(jobs.find(last));
}

TEST_CASE("jobs are listed, shown and canceled by their routes") {
  Jobs jobs;
  Router router;
  add_job_routes(router, jobs);
  Gate gate;
  const Job job = jobs.start("tune", gate.work());
  const Response started = job_started(job);
  CHECK(started.status == 202);
  CHECK(started.headers.front().second == "/jobs/" + job.id);
  CHECK(Json::parse(ask(router, "GET", "/jobs").body)["jobs"][0]["id"] == job.id);
  CHECK(Json::parse(ask(router, "GET", "/jobs/" + job.id).body)["kind"] == "tune");
  CHECK(router.match("DELETE", "/jobs/x").route->options.writes);
  CHECK(ask(router, "DELETE", "/jobs/" + job.id).status == 202);
  CHECK(ended(jobs, job.id).state == JobState::kCanceled);
  for (const char* method : {"GET", "DELETE"}) {
    CHECK(status_of([&] { ask(router, method, "/jobs/nobody"); }) == 404);
  }
}

TEST_CASE("events of a job tell its changes and its end, and go on where a client left") {
  Jobs jobs;
  Router router;
  add_job_routes(router, jobs);
  Gate gate;
  const std::string id = jobs.start("tune", gate.work()).id;
  wait_for_progress(jobs, id);
  const auto events = [&](const std::string& last) {
    return ask(router, "GET", "/jobs/" + id,
               {{"accept", "text/event-stream"}, {"last-event-id", last}});
  };
  Response response = events("");
  CHECK(response.type == "text/event-stream");
  const auto next = [&] { return response.stream->next(std::chrono::milliseconds(0)); };
  CHECK(next()->substr(0, 44) == "event: progress\nid: 2\ndata: {\"id\":\"" + id.substr(0, 9));
  CHECK(next() == "");
  gate.open = true;
  ended(jobs, id);
  const std::string end = *next();
  CHECK(end.substr(0, 16) == "event: end\nid: 3");
  CHECK(end.substr(end.size() - 2) == "\n\n");
  CHECK(next() == std::nullopt);
  response = events("2");
  CHECK(next()->substr(0, 16) == "event: end\nid: 3");
  CHECK(events("3").status == 204);
  CHECK(events("nonsense").stream != nullptr);
}
