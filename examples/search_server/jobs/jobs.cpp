#include "jobs/jobs.h"

#include <spdlog/fmt/chrono.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "http/log.h"

namespace search_server {
namespace {

constexpr std::size_t kMostRemembered = 100, kMostListsRemembered = 20;
constexpr int kListNice = 10;  // how much nicer the thread is that makes a list
constexpr std::size_t kMostLists = 16;
constexpr std::size_t kMostChanged = 100'000;  // documents; after more, lists begin anew
constexpr int kAge = 10;                       // times the cost
constexpr auto kOldest = std::chrono::minutes(5);
/// A list of a small collection is there at once.
constexpr auto kPatience = std::chrono::milliseconds(150);
/// Whoever waits for a list asks for it more often.
constexpr auto kUnwatched = std::chrono::seconds(10);

/// RFC 3339, in UTC.
std::string now() { return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))); }

/// Keeps an item with voters as text: a list is copied for each page, in a twentieth of the
/// time.
void pack(Json& json) {
  if (json.is_object() && json.contains("voters") && json.contains("id")) {
    json = {{"id", json["id"]}, {"packed", to_text(json)}};
  } else if (json.is_structured()) {
    std::ranges::for_each(json, pack);
  }
}

Json unpacked(const Json& item) {
  if (!item.contains("packed")) return item;
  Json whole = Json::parse(item["packed"].get_ref<const std::string&>());
  if (!item.contains("more")) return whole;
  whole["more"] = Json::array();
  for (const Json& other : item["more"]) whole["more"].push_back(unpacked(other));
  return whole;
}

/// True of a suspect whose lacking tag is sure, as docs/json.md says of "clear".
bool is_clear(const Json& suspect) {
  constexpr double kClear = 0.95;
  const Json whole = unpacked(suspect);
  const Json& lacking = whole.contains("rival") ? whole["rival"] : whole;
  return lacking.value("confidence", 0.0) >= kClear;
}

using IsOut = std::function<bool(const std::string& id)>;

/// Takes documents out of a list, and groups that have fewer than two documents then. Returns them.
Json taken_out(Json& list, const IsOut& is_out) {
  Json left = Json::array();
  Json gone = Json::array();
  for (Json& item : list) {
    bool goes = item.is_object() && is_out(item.value("id", ""));
    if (item.is_object() && item.contains("documents")) {
      taken_out(item["documents"], is_out);
      goes = item["documents"].size() < 2;
    }

    if (goes) {
      gone.push_back(std::move(item));
    } else {
      left.push_back(std::move(item));
    }
  }
  list = std::move(left);
  return gone;
}

/// Leaves out documents of the lists in an answer, and of the numbers beside the lists.
void leave_out(Json& answer, const IsOut& is_out) {
  for (auto&& [key, member] : answer.items()) {
    if (member.is_object()) leave_out(member, is_out);
    if (!member.is_array()) continue;

    const Json gone = taken_out(member, is_out);
    if (gone.empty()) continue;
    if (answer.contains("found"))
      answer["found"] = answer["found"].get<std::uint64_t>() - gone.size();
    if (answer.contains("clear")) {
      const auto clear = static_cast<std::uint64_t>(std::ranges::count_if(gone, is_clear));
      answer["clear"] = answer["clear"].get<std::uint64_t>() - clear;
    }
  }
}

}  // namespace

struct Jobs::Job {
  bool is_running() const { return shown["state"] == "running"; }

  Json shown;
  bool is_list;
  Clock::time_point asked_for = Clock::now();  ///< when somebody did last
  bool canceled = false;
  std::thread thread{};
};

Json Jobs::start(const std::string& kind, Work work) {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) {
    if (job->shown["kind"] != kind || !job->is_running()) continue;
    const std::string id = job->shown["id"];
    throw Problem(409, "job-running", "A job of this kind runs already: /jobs/" + id + ".");
  }
  return begin(kind, false, std::move(work));
}

/// Returns the job that makes a list; if another one is being made, that one's.
Json Jobs::start_list(const std::string& kind, const std::string& name, std::int64_t version,
                      const ListWork& make) {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) {
    if (!job->is_list || !job->is_running()) continue;
    job->asked_for = Clock::now();
    return job->shown;
  }

  return begin(kind, true, [this, name, version, make](const Step& step) {
    const auto began = Clock::now();
    const auto keep = [&](Json answer, bool is_whole) {
      pack(answer);
      publish(name, {std::move(answer), version, began, Clock::now(), is_whole});
    };
    const auto publish_part = [&](Json part) {
      keep(std::move(part), false);
    };
    keep(make(step, publish_part), true);
    return Json::object();
  });
}

Json Jobs::begin(const std::string& kind, bool is_list, Work work) {
  if (stopped_) throw Problem(503, "stopping", "The server is stopping.");
  Json shown = {{"id", random_hex(8)}, {"kind", kind},
                {"state", "running"},  {"progress", {{"doing", ""}, {"done", 0}, {"of", 0}}},
                {"listed", 0},         {"started", now()},
                {"finished", nullptr}, {"result", nullptr},
                {"error", nullptr}};
  const auto job = std::make_shared<Job>(Job{shown, is_list});
  job->thread = std::thread([this, job = job.get(), work = std::move(work)] {
    run(*job, work);
  });
  jobs_.push_back(job);

  // Forget the oldest that has ended, of those that are remembered together.
  const std::size_t most = is_list ? kMostListsRemembered : kMostRemembered;
  const auto is_alike = [is_list](const auto& each) {
    return each->is_list == is_list;
  };
  const auto ended = std::ranges::find_if(jobs_, [&](const auto& each) {
    return is_alike(each) && !each->is_running();
  });
  const auto count = static_cast<std::size_t>(std::ranges::count_if(jobs_, is_alike));
  if (count <= most || ended == jobs_.end()) return shown;
  (*ended)->thread.join();  // it has nothing left to do
  jobs_.erase(ended);
  return shown;
}

void Jobs::run(Job& job, const Work& work) {
  // In Linux this is a thread's own, and that of the threads that it starts.
  if (job.is_list) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kListNice);
  const std::string id = job.shown["id"];
  const Step step = [&](const std::string& doing, std::uint64_t done, std::uint64_t all) {
    const std::lock_guard lock(mutex_);
    job.shown["progress"] = {{"doing", doing}, {"done", done}, {"of", all}};
    if (job.is_list && Clock::now() - job.asked_for > kUnwatched) job.canceled = true;
    return !job.canceled;
  };
  const Problem failed(500, "internal-error", "The job failed; the server's log says more.");
  Json result, error;
  try {
    result = work(step);
  } catch (const Problem& problem) {
    error = problem.json("/jobs/" + id, id);
  } catch (const std::exception& exception) {
    log_event(LogLevel::kError, "job-failed", {{"job", id}, {"what", exception.what()}});
    error = failed.json("/jobs/" + id, id);
  } catch (...) {
    error = failed.json("/jobs/" + id, id);
  }
  const std::lock_guard lock(mutex_);
  job.shown["state"] = job.canceled ? "canceled" : error.is_null() ? "done" : "failed";
  if (job.canceled) result = error = nullptr;
  job.shown["finished"] = now();
  job.shown["result"] = std::move(result);
  job.shown["error"] = std::move(error);
  log_event(LogLevel::kInfo, "job-ended",
            {{"job", id}, {"kind", job.shown["kind"]}, {"state", job.shown["state"]}});
}

Jobs::Job& Jobs::find_job(const std::string& id) const {
  const auto found = std::ranges::find_if(jobs_, [&](const auto& job) {
    return job->shown["id"] == id;
  });
  if (found == jobs_.end()) throw Problem(404, "job-not-found", "There is no job " + id + ".");
  return **found;
}

Json Jobs::all() const {
  const std::lock_guard lock(mutex_);
  Json jobs = Json::array();
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) jobs.push_back((*job)->shown);
  return jobs;
}

Json Jobs::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  Job& job = find_job(id);
  job.asked_for = Clock::now();
  return job.shown;
}

Json Jobs::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  Job& job = find_job(id);
  job.canceled = true;
  return job.shown;
}

Json Jobs::list(const std::string& kind, const std::string& question, std::int64_t version,
                const ListWork& make, const std::function<Json()>& first) {
  const std::string name = kind + " " + question;
  std::unique_lock lock(mutex_);
  const auto is_good = [&] {
    const auto list = lists_.find(name);
    if (list == lists_.end()) return false;
    const auto& [answer, its_version, began, ended, is_whole] = list->second;
    const auto age = std::min<Clock::duration>((ended - began) * kAge, kOldest);
    return is_whole && (its_version == version || Clock::now() - ended < age);
  };
  Json job;
  if (!is_good()) {
    lock.unlock();
    job = start_list(kind, name, version, make)["id"];
    lock.lock();
    kept_.wait_for(lock, kPatience, is_good);
  }
  const bool complete = is_good();
  Json answer;
  if (const auto list = lists_.find(name); list != lists_.end()) {
    answer = list->second.answer;
    leave_out(answer, [&](const std::string& id) {
      const auto when = changed_.find(id);
      return when != changed_.end() && when->second > list->second.began;
    });
  }
  lock.unlock();
  if (answer.is_null()) answer = first();
  answer["complete"] = complete;
  answer["job"] = complete ? Json() : job;
  return answer;
}

/// Keeps a list, for whoever asks. A whole one that is there already is better than a part.
void Jobs::publish(const std::string& name, List list) {
  const std::lock_guard lock(mutex_);
  const auto old = lists_.find(name);
  const bool is_worse = !list.is_whole && old != lists_.end() && old->second.is_whole;
  if (is_worse) return;

  for (const auto& job : jobs_)
    if (job->is_list && job->is_running()) job->shown["listed"] = list.answer["examined"];
  lists_[name] = std::move(list);
  const auto oldest = [this] {
    return std::ranges::min_element(lists_, {}, [](const auto& each) {
      return each.second.began;
    });
  };
  if (lists_.size() > kMostLists) lists_.erase(oldest());
  const auto since = oldest()->second.began;
  std::erase_if(changed_, [&](const auto& each) {
    return each.second < since;
  });
  kept_.notify_all();
}

void Jobs::changed(const std::string& id) {
  const std::lock_guard lock(mutex_);
  changed_[id] = Clock::now();
  if (changed_.size() <= kMostChanged) return;
  changed_.clear();
  lists_.clear();
}

void join_documents(Json& answer, const char* key) {
  Json joined = Json::array();
  std::map<std::string, std::size_t> place_of;
  for (Json& item : answer[key]) {
    const auto [place, is_first] = place_of.try_emplace(item["id"], joined.size());
    if (is_first) {
      joined.push_back(std::move(item));
    } else {
      joined[place->second]["more"].push_back(std::move(item));
    }
  }

  for (Json& item : joined)
    if (!item.contains("more")) item["more"] = Json::array();
  answer["documents"] = joined.size();
  answer[key] = std::move(joined);
}

void take_page(const Json& asked, Json& answer, const char* key) {
  Json& list = answer[key];
  const std::size_t size = list.size(), begin = std::min(asked["offset"].get<std::size_t>(), size);
  const std::size_t end = std::min(begin + asked["limit"].get<std::size_t>(), size);
  list.erase(list.begin() + end, list.end());
  list.erase(list.begin(), list.begin() + begin);
  for (Json& item : list) item = unpacked(item);
  answer["next"] = end < size ? Json(end) : Json();
}

void Jobs::cancel_all() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const auto& job : jobs_) job->canceled = true;
}

void Jobs::stop() {
  cancel_all();
  for (const auto& job : jobs_)  // none comes or goes any more
    if (job->thread.joinable()) job->thread.join();
}

}  // namespace search_server
