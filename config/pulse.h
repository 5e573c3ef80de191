#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace kindred {

/// Lets whoever asks for long work watch it and end it. Work calls its pulse between parts of some
/// milliseconds. The pulse then calls its function, at once at the first time and every 20 ms from
/// then on. Loops that many threads share may call it as well: it acts only in the thread that made
/// it, which is always one of them. Copies are one pulse.
///
///     const Pulse pulse(report_or_throw);
///     for (const std::string& text : texts) {
///       pulse();
///       analyze(text);
///     }
class Pulse {
 public:
  using Clock = std::chrono::steady_clock;

  Pulse() = default;  ///< nobody listens

  /// `beat` ends the work by throwing.
  explicit Pulse(std::function<void()> beat)
      : state_(std::make_shared<State>(std::move(beat), std::this_thread::get_id())) {}

  explicit operator bool() const { return state_ != nullptr; }

  /// @throws whatever the function throws.
  void operator()() const {
    if (state_ == nullptr || std::this_thread::get_id() != state_->thread) return;
    if (Clock::now() < state_->next) return;
    state_->beat();
    state_->next = Clock::now() + std::chrono::milliseconds(20);
  }

 private:
  using Thread = decltype(std::this_thread::get_id());

  struct State {
    State(std::function<void()> function, Thread asking)
        : beat(std::move(function)), thread(asking) {}

    const std::function<void()> beat;
    const Thread thread;
    Clock::time_point next{};
  };

  std::shared_ptr<State> state_;
};

/// Cuts [0, items) into portions, and calls work(begin, end) for each and the pulse behind it. If
/// nobody listens, there is one portion. Else the first has `first` items, and those that follow
/// are of a size that takes some 20 ms.
template <typename Work>
void in_portions(std::size_t items, std::size_t first, const Pulse& pulse, Work&& work) {
  constexpr std::chrono::milliseconds kShort{10};
  constexpr std::chrono::milliseconds kLong{30};

  // Without anybody who waits for the pulse, one portion has all.
  std::size_t size = pulse ? std::max<std::size_t>(first, 1) : items;

  std::size_t begin = 0;
  while (begin < items) {
    const auto started = Pulse::Clock::now();
    const std::size_t end = begin + std::min(size, items - begin);
    work(begin, end);

    // A portion is to take between both times: short ones cost many pulses, and in a long one
    // nobody hears of the work.
    const auto took = Pulse::Clock::now() - started;
    if (took < kShort) size *= 2;
    if (took > kLong) size = std::max<std::size_t>(size / 2, 1);

    pulse();
    begin = end;
  }
}

}  // namespace kindred
