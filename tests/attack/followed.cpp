#include "tests/attack/writer_process.h"

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "config/error.h"
#include "plugin/engine.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/temporary_directory.h"

namespace kindred::attack {
namespace {

using Time = CommitTimes::Clock;
using std::chrono::milliseconds;

constexpr milliseconds kLook{10};  // between two measurements
constexpr double kMostGrowth = 1.2;
constexpr std::uint64_t kCommitsForMemory = 300;  // with fewer, a third has no typical peak

constexpr const char* kThreads = "/proc/self/task/";

/// The ids of the threads of this process, sorted.
std::vector<std::string> running_threads() {
  std::vector<std::string> threads;
  for (const auto& entry : std::filesystem::directory_iterator(kThreads))
    threads.push_back(entry.path().filename());
  std::sort(threads.begin(), threads.end());
  return threads;
}

std::string this_thread() { return std::to_string(gettid()); }

/// For how many milliseconds in all a thread of this process could have run, but did not, as Linux
/// counts it; 0 if the system does not tell.
double waited_ms_of(const std::string& thread) {
  std::ifstream file(kThreads + thread + "/schedstat");
  double ran_ns = 0, waited_ns = 0;
  file >> ran_ns >> waited_ns;
  return waited_ns / 1e6;
}

struct FollowedPlan {
  double seconds = 20;
  int commit_ms = 50;
  unsigned threads = 16;
  unsigned documents = 10000;
};

FollowedPlan plan_of(int argc, char* argv[]) {
  FollowedPlan plan;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--seconds") plan.seconds = std::atof(argv[i + 1]);
    if (name == "--commit-ms") plan.commit_ms = std::atoi(argv[i + 1]);
    if (name == "--threads") plan.threads = static_cast<unsigned>(std::atoi(argv[i + 1]));
    if (name == "--documents") plan.documents = static_cast<unsigned>(std::atoi(argv[i + 1]));
  }
  return plan;
}

double milliseconds_between(Time::time_point begin, Time::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

double milliseconds_since(Time::time_point begin) {
  return milliseconds_between(begin, Time::now());
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Faults of any thread, by their text.
class Faults {
 public:
  void add(const std::string& fault) {
    const std::lock_guard lock(mutex_);
    ++faults_[fault];
  }
  bool print() const {
    for (const auto& [fault, count] : faults_) std::printf("    %u x %s\n", count, fault.c_str());
    return faults_.empty();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, unsigned> faults_;
};

/// The threads that ask.
class Askers {
 public:
  Askers(const Engine& engine, const FollowedPlan& plan, Faults& faults)
      : engine_(engine), plan_(plan), faults_(faults) {
    for (unsigned i = 0; i < plan.threads; ++i) threads_.emplace_back([this, i] { run(i); });
  }
  ~Askers() { stop(); }
  Askers(const Askers&) = delete;
  Askers& operator=(const Askers&) = delete;

  void stop() {
    stopped_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  unsigned long answers() const { return answers_; }

 private:
  void run(unsigned number) {
    for (unsigned turn = number; !stopped_; ++turn) {
      try {
        ask(turn);
        ++answers_;
      } catch (const std::exception& e) {
        faults_.add(std::string("a call failed: ") + e.what());
      }
    }
  }
  void ask(unsigned turn);
  void expect_group_alike(std::uint64_t docid);
  void expect_group_label(std::uint64_t docid);

  const Engine& engine_;
  const FollowedPlan& plan_;
  Faults& faults_;
  std::atomic<bool> stopped_ = false;
  std::atomic<unsigned long> answers_ = 0;
  std::vector<std::thread> threads_;
};

void Askers::ask(unsigned turn) {
  const unsigned docid = 1 + turn * 7919 % plan_.documents, member = 1 + turn % kGroup;
  RelatedRequest request;
  request.like = {UniqueId{std::to_string(docid)}};
  switch (turn % 5) {
    case 0:
      return expect_group_alike(member);
    case 1:
      return expect_group_label(member);
    case 2:
      request.filter = "label:" + std::to_string(turn % 20);
      engine_.related(request);
      return;
    case 3:
      request.limit = 50;
      engine_.neighborhood(request);
      return;
    default:
      engine_.classify(Docid{docid});
  }
}

/// The others of the group come first, all as similar as can be.
void Askers::expect_group_alike(std::uint64_t docid) {
  const Docid example{static_cast<Xapian::docid>(docid)};
  const auto results = engine_.related(test::like({example}, kGroup - 1)).results;
  if (results.size() != kGroup - 1) return faults_.add("a document of the group is missing");
  Xapian::docid expected = 1;
  for (const api::RelatedDocument& result : results) {
    expected += expected == docid;
    if (result.docid != expected++ || result.similarity != results[0].similarity ||
        result.similarity < 0.999f)
      return faults_.add("documents of the group are of different revisions");
  }
}

void Askers::expect_group_label(std::uint64_t docid) {
  ClassifyRequest request;
  request.neighbors = kGroup - 1;
  const Classification answer = engine_.classify(Docid{static_cast<Xapian::docid>(docid)}, request);
  if (!answer.best || answer.best->label != group_label(answer.revision) ||
      answer.best->confidence < 0.999999)
    faults_.add("labels are not those of the revision");
}

/// When the thread that follows waited for a processor. Linux counts a wait when it ends, so what a
/// time holds is known only later.
class FollowerWaits {
 public:
  /// `others`: the threads that ran before the engine was opened.
  explicit FollowerWaits(const std::vector<std::string>& others) {
    const std::vector<std::string> all = running_threads();
    std::set_difference(all.begin(), all.end(), others.begin(), others.end(),
                        std::back_inserter(threads_));
  }
  void look(Time::time_point now) {
    double total = 0;
    for (const std::string& thread : threads_) total += waited_ms_of(thread);
    if (!looks_.empty()) looks_.push_back({now, total - total_ms_});
    if (looks_.empty()) looks_.push_back({now, 0});
    total_ms_ = total;
  }
  double waited_ms(Time::time_point begin, Time::time_point end) const;

 private:
  struct Look {
    Time::time_point time;
    double waited_ms;  ///< counted since the look before
  };

  std::vector<std::string> threads_;
  std::vector<Look> looks_;
  double total_ms_ = 0;
};

/// What is counted at a look was waited right before it.
double FollowerWaits::waited_ms(Time::time_point begin, Time::time_point end) const {
  double sum = 0;
  auto look =
      std::upper_bound(looks_.begin(), looks_.end(), begin,
                       [](Time::time_point time, const Look& later) { return time < later.time; });
  for (; look != looks_.end(); ++look) {
    const double from = std::max(0.0, milliseconds_between(begin, look->time) - look->waited_ms);
    const double to = milliseconds_between(begin, std::min(end, look->time));
    sum += std::max(0.0, to - from);
    if (from >= to && look->time > end) break;
  }
  return sum;
}

/// How long something took, in ms, and how long without the waits for a processor.
struct Took {
  double ms, processor_ms;
};

/// What is measured while they ask.
struct Measured {
  std::vector<Took> staleness, refreshes;
  std::vector<double> memory_mb;
  double waited_ms = 0;  ///< by the follower
  std::uint64_t first_revision = 0, last_revision = 0;
};

/// A look at the engine: when the revision that is answered from was replaced.
struct Stale {
  Time::time_point replaced, look;  ///< the same if it was not replaced
};

/// The time is taken first: if this thread is held up before it sees the revision, that does not
/// count.
Stale look_at(const Engine& engine, const CommitTimes& times) {
  const Time::time_point now = Time::now();
  const std::uint64_t revision = engine.status().revision;
  const Time::time_point next = times.of(revision + 1);
  const bool current = revision >= times.latest() || next == Time::time_point() || next > now;
  return {current ? now : next, now};
}

Took refresh(Engine& engine) {
  const std::string thread = this_thread();
  const double waited = waited_ms_of(thread);
  const Time::time_point start = Time::now();
  engine.refresh();
  const double took = milliseconds_since(start);
  return {took, took - (waited_ms_of(thread) - waited)};
}

Measured measure(const Engine& engine, const std::string& path, const WriterProcess& writer,
                 FollowerWaits waits, const FollowedPlan& plan, Faults& faults) {
  Measured measured;
  Settings settings = engine.settings();
  settings.mirror.follow = "off";
  Engine second(path, settings);
  measured.first_revision = engine.status().revision;
  std::vector<Stale> stale;
  const Time::time_point begin = Time::now();
  for (unsigned look = 1; milliseconds_since(begin) < plan.seconds * 1000; ++look) {
    std::this_thread::sleep_for(kLook);
    stale.push_back(look_at(engine, writer.times()));
    waits.look(stale.back().look);
    if (look % 10 != 0) continue;
    measured.memory_mb.push_back(resident_mb());
    measured.refreshes.push_back(refresh(second));
    const api::StatusAnswer status = engine.status();
    if (status.documents != plan.documents ||
        status.nonzeros != std::uint64_t{plan.documents} * kTermsOfDocument)
      faults.add("a mirror is of no revision");
    if (!writer.is_running()) faults.add("the writer is gone");
  }
  measured.last_revision = engine.status().revision;
  measured.waited_ms = waits.waited_ms(begin, Time::now());
  for (const auto& [replaced, look] : stale) {
    const double ms = milliseconds_between(replaced, look);
    measured.staleness.push_back({ms, ms - waits.waited_ms(replaced, look)});
  }
  return measured;
}

double quantile(std::vector<double>& values, double part) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return values.empty() ? 0 : values[static_cast<std::size_t>(part * last)];
}

void print(const char* what, const std::vector<Took>& times, double Took::*member) {
  std::vector<double> values;
  for (const Took& time : times) values.push_back(time.*member);
  std::printf("%s: median %.0f, 99 of 100 %.0f, 999 of 1000 %.0f, longest %.0f\n", what,
              quantile(values, 0.5), quantile(values, 0.99), quantile(values, 0.999),
              quantile(values, 1));
}

/// Whether answers are never too old. A look is late if it is so by the clock and also without the
/// waits for a processor, each beside refreshes that are measured alike.
bool judge_staleness(const Measured& measured, const Settings& settings) {
  Took refresh{};
  for (const Took& time : measured.refreshes)
    refresh = {std::max(refresh.ms, time.ms), std::max(refresh.processor_ms, time.processor_ms)};
  const auto longest = static_cast<double>(settings.mirror.max_staleness_ms);
  const Took bound{longest + 2 * refresh.ms, longest + 2 * refresh.processor_ms};
  std::vector<double> late;
  for (const Took& look : measured.staleness)
    late.push_back(std::min(look.ms - bound.ms, look.processor_ms - bound.processor_ms));
  print("staleness in ms", measured.staleness, &Took::ms);
  print("staleness without waits", measured.staleness, &Took::processor_ms);
  print("refresh in ms", measured.refreshes, &Took::ms);
  print("refresh without waits", measured.refreshes, &Took::processor_ms);
  std::printf("bound %.0f, without waits %.0f; the follower waited %.0f\n", bound.ms,
              bound.processor_ms, measured.waited_ms);
  return quantile(late, 0.999) <= 0;
}

bool judge(const Measured& measured, const Settings& settings, unsigned long answers) {
  const auto third = static_cast<std::ptrdiff_t>(measured.memory_mb.size() / 3);
  const auto most = [](auto begin, auto end) {
    return begin == end ? 0 : *std::max_element(begin, end);
  };
  const double first = most(measured.memory_mb.begin(), measured.memory_mb.begin() + third),
               last = most(measured.memory_mb.end() - third, measured.memory_mb.end());
  std::printf("%lu answers, revisions %llu to %llu\n", answers,
              static_cast<unsigned long long>(measured.first_revision),
              static_cast<unsigned long long>(measured.last_revision));
  const bool fresh = judge_staleness(measured, settings);
  std::printf("memory in MB, at most: %.1f in the first third, %.1f in the last\n", first, last);
  const std::uint64_t commits = measured.last_revision - measured.first_revision;
  return fresh && commits > 0 && (commits < kCommitsForMemory || last <= kMostGrowth * first);
}

}  // namespace

int follow_a_writer(int argc, char* argv[]) {
  const FollowedPlan plan = plan_of(argc, argv);
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  make_written_database(path, plan.documents);
  const WriterProcess writer(path, plan.documents, milliseconds(plan.commit_ms));
  Settings settings = test::on_cpu(1);
  settings.mirror.follow = "poll";
  settings.mirror.max_staleness_ms = 200;
  Faults faults;
  const std::vector<std::string> others = running_threads();
  const Engine engine(path, settings, [&](const std::string& line) {
    if (line.find("cannot") != std::string::npos) faults.add("the log: " + line);
  });
  const FollowerWaits waits(others);
  Askers askers(engine, plan, faults);
  const Measured measured = measure(engine, path, writer, waits, plan, faults);
  askers.stop();
  const bool holds = judge(measured, settings, askers.answers());
  return faults.print() && holds ? 0 : 1;
}

}  // namespace kindred::attack
