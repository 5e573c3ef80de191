#include "api/lists.h"

#include <algorithm>
#include <utility>

namespace search_server {
namespace {

constexpr std::size_t kMostAnswers = 16;
constexpr int kAge = 10;  // times the cost
constexpr auto kOldest = std::chrono::minutes(5);
/// A list of a small collection is there at once.
constexpr auto kPatience = std::chrono::milliseconds(150);

/// Leaves out the documents with these ids, and groups that have fewer than two documents then.
void leave_out(Json& json, const std::set<std::string>& ids) {
  if (ids.empty() || !json.is_structured()) return;
  Json left = Json::array();
  for (Json& member : json) {
    leave_out(member, ids);
    const bool is_group = member.is_object() && member.contains("documents");
    const bool is_out = is_group ? member["documents"].size() < 2
                                 : member.is_object() && ids.contains(member.value("id", ""));
    if (json.is_array() && !is_out) left.push_back(std::move(member));
  }
  if (json.is_array()) json = std::move(left);
}

}  // namespace

bool Lists::is_good(const Kept& kept, const std::string& etag) {
  if (kept.answer.is_null()) return false;
  const auto age = Clock::now() - kept.made;
  return kept.etag == etag || age < std::min<Clock::duration>(kept.cost * kAge, kOldest);
}

Json Lists::get(const std::string& kind, const std::string& question, const std::string& etag,
                const Jobs::Work& make, const std::function<Json()>& first) {
  std::unique_lock lock(mutex_);
  std::shared_ptr<Kept>& place = answers_[kind + " " + question];
  if (!place) place = std::make_shared<Kept>();
  const std::shared_ptr<Kept> kept = place;
  Json job;
  if (!is_good(*kept, etag)) {
    lock.unlock();
    const auto work = [this, kept, etag, make](JobContext& context) {
      return this->work(context, *kept, etag, make);
    };
    job = jobs_.start(kind, work, true)["id"];
    lock.lock();
    made_.wait_for(lock, kPatience, [&] { return is_good(*kept, etag); });
  }
  const bool complete = is_good(*kept, etag);
  Json answer = kept->answer;
  leave_out(answer, kept->changed);
  lock.unlock();
  if (answer.is_null()) answer = first();
  answer["complete"] = complete;
  answer["job"] = complete ? Json() : job;
  return answer;
}

Json Lists::work(JobContext& context, Kept& kept, const std::string& etag, const Jobs::Work& make) {
  std::unique_lock lock(mutex_);
  const std::set<std::string> changed_before = kept.changed;
  lock.unlock();
  const auto began = Clock::now();
  Json answer = make(context);
  lock.lock();
  for (const std::string& id : changed_before) kept.changed.erase(id);
  kept.answer = std::move(answer);
  kept.etag = etag;
  kept.made = Clock::now();
  kept.cost = kept.made - began;
  while (answers_.size() > kMostAnswers) {
    answers_.erase(std::ranges::min_element(answers_, {}, [](const auto& each) {
      return std::pair(each.second->answer.is_null(), each.second->made);
    }));
  }
  made_.notify_all();
  return Json::object();
}

void Lists::changed(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const auto& [question, kept] : answers_) kept->changed.insert(id);
}

}  // namespace search_server
