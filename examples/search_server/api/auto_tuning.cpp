#include "api/auto_tuning.h"

#include "api/guarded.h"
#include "api/tune_job.h"
#include "http/problem.h"

namespace search_server {
namespace {

constexpr auto kLook = std::chrono::seconds(1);

}  // namespace

AutoTuning::AutoTuning(App& app, Jobs& jobs, std::chrono::seconds pause)
    : app_(app), jobs_(jobs), pause_(pause), thread_([this] { watch(); }) {}

void AutoTuning::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void AutoTuning::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kLook, [this] { return stopping_; })) {
    lock.unlock();
    tune_if_due();
    lock.lock();
  }
}

void AutoTuning::tune_if_due() {
  if (std::chrono::steady_clock::now() < next_ || !app_.is_open()) return;
  try {
    const auto plugin = app_.plugin();
    if (!plugin->status()["tuning_due"].get<bool>()) return;
    jobs_.start("tune", guarded_work(tune_work(plugin, {{"if_due", true}})));
    next_ = std::chrono::steady_clock::now() + pause_;
  } catch (const Problem&) {
    // Somebody tunes already, or the server stops.
  } catch (const PluginError&) {
    // The next look finds out whether it is still so.
  }
}

}  // namespace search_server
