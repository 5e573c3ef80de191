#include "jobs/jobs.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

#include "http/access.h"
#include "http/log.h"
#include "http/problem.h"

namespace search_server {

namespace {

constexpr std::size_t kMostRemembered = 100;

nlohmann::ordered_json problem_json(const Problem& problem, const std::string& id) {
  return nlohmann::ordered_json::parse(problem.response("/jobs/" + id, id).body);
}

}  // namespace

struct JobContext::Entry {
  Job job;                            ///< guarded by the mutex of the jobs
  std::atomic<bool> canceled{false};  ///< somebody asked for it
  std::thread thread;
};

void JobContext::progress(const std::string& doing, std::uint64_t done, std::uint64_t of) {
  const std::lock_guard lock(jobs_.mutex_);
  entry_.job.doing = doing;
  entry_.job.done = done;
  entry_.job.of = of;
  ++entry_.job.version;
}

bool JobContext::canceled() const { return entry_.canceled; }

Jobs::Jobs() = default;

Jobs::~Jobs() { stop(); }

Job Jobs::start(const std::string& kind, Work work) {
  const std::lock_guard lock(mutex_);
  if (stopped_) throw Problem(503, "stopping", "The server is stopping.");
  for (const auto& entry : entries_) {
    if (entry->job.kind == kind && entry->job.state == JobState::kRunning) {
      throw Problem(409, "job-running",
                    "A job of this kind runs already: /jobs/" + entry->job.id + ".");
    }
  }
  auto entry = std::make_unique<Entry>();
  entry->job.id = random_hex(8);
  entry->job.kind = kind;
  entry->job.started = Job::Clock::now();
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
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    id = entry.job.id;
  }
  JobContext context(*this, entry);
  nlohmann::ordered_json result;
  nlohmann::ordered_json error;
  try {
    result = work(context);
  } catch (const Problem& problem) {
    error = problem_json(problem, id);
  } catch (const std::exception& exception) {
    error = problem_json(Problem(500, "internal-error", exception.what()), id);
  } catch (...) {
    error = problem_json(Problem(500, "internal-error", "The job failed."), id);
  }
  const std::lock_guard lock(mutex_);
  Job& job = entry.job;
  job.state = !error.is_null() ? JobState::kFailed : JobState::kDone;
  if (entry.canceled) job.state = JobState::kCanceled;
  if (job.state == JobState::kFailed) job.error = std::move(error);
  if (job.state == JobState::kDone) job.result = std::move(result);
  job.finished = Job::Clock::now();
  ++job.version;
  log_event(LogLevel::kInfo, "job-ended",
            {{"job", job.id}, {"kind", job.kind}, {"state", job_json(job)["state"]}});
}

void Jobs::forget_oldest() {
  for (auto at = entries_.begin(); entries_.size() > kMostRemembered && at != entries_.end();) {
    if ((*at)->job.state == JobState::kRunning) {
      ++at;
    } else {
      (*at)->thread.join();  // it has nothing left to do
      at = entries_.erase(at);
    }
  }
}

Jobs::Entry* Jobs::entry_of(const std::string& id) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry->job.id == id; });
  return found == entries_.end() ? nullptr : found->get();
}

std::vector<Job> Jobs::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Job> jobs;
  for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) jobs.push_back((*at)->job);
  return jobs;
}

std::optional<Job> Jobs::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const Entry* entry = entry_of(id);
  if (entry == nullptr) return std::nullopt;
  return entry->job;
}

void Jobs::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (Entry* entry = entry_of(id)) entry->canceled = true;
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

}  // namespace search_server
