#include "api/slow_answers.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "api/guarded.h"

namespace search_server {
namespace {

constexpr std::size_t kMostAnswers = 32;
constexpr int kAge = 10;  // times the cost
constexpr auto kOldest = std::chrono::minutes(5);

}  // namespace

/// A list of which most was worked through is made anew, too.
bool SlowAnswers::is_good(const Kept& kept, const std::string& revision, const std::string& list) {
  if (!kept.is_made) return false;
  if (kept.revision == revision) return true;
  const auto age = Clock::now() - kept.made;
  return age < std::min<Clock::duration>(kept.cost * kAge, kOldest) &&
         kept.changed.size() * 2 <= kept.answer.at(list).size();
}

Json SlowAnswers::without_changed(const Kept& kept, const std::string& list) {
  Json answer = kept.answer;
  Json left = Json::array();
  for (Json& item : answer.at(list)) {
    if (!kept.changed.contains(item.at("id").get<std::string>())) left.push_back(std::move(item));
  }
  answer[list] = std::move(left);
  return answer;
}

Json SlowAnswers::get(const std::string& question, const std::string& revision,
                      const std::string& list, Clock::time_point deadline, const Make& make) {
  std::unique_lock lock(mutex_);
  std::shared_ptr<Kept>& place = answers_[question];
  if (!place) place = std::make_shared<Kept>();
  const std::shared_ptr<Kept> kept = place;
  const auto is_free = [&] { return !kept->is_making; };
  if (!made_.wait_until(lock, deadline, is_free)) {
    throw busy("too-busy", "this list is being made for another request");
  }
  if (is_good(*kept, revision, list)) return without_changed(*kept, list);
  kept->is_making = true;
  kept->changed.clear();
  lock.unlock();
  const auto began = Clock::now();
  Json answer;
  std::exception_ptr failure;
  try {
    answer = make();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  kept->is_making = false;
  kept->is_made = !failure;
  made_.notify_all();
  if (failure) std::rethrow_exception(failure);
  kept->answer = std::move(answer);
  kept->revision = revision;
  kept->made = Clock::now();
  kept->cost = kept->made - began;
  make_room();
  return without_changed(*kept, list);
}

void SlowAnswers::changed(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const auto& [question, kept] : answers_) kept->changed.insert(id);
}

/// Forgets the oldest answers beyond those that are kept.
void SlowAnswers::make_room() {
  while (answers_.size() > kMostAnswers) {
    const auto oldest = std::min_element(answers_.begin(), answers_.end(), [](auto& a, auto& b) {
      return std::pair(a.second->is_making, a.second->made) <
             std::pair(b.second->is_making, b.second->made);
    });
    answers_.erase(oldest);
  }
}

}  // namespace search_server
