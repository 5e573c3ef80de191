#include "plugin/writing/resumable_run.h"

#include <algorithm>
#include <utility>

#include "config/error.h"
#include "plugin/store/database.h"
#include "plugin/store/value_check.h"

namespace kindred {
namespace {

constexpr std::size_t kAtOnce = 1000;

struct Step {
  RunPart part;
  bool commits = false;  ///< the last one of its transaction
};

/// Transactions of this many documents, each in parts of kAtOnce.
std::vector<Step> cut(RunPart all, std::size_t transaction) {
  std::vector<Step> steps;
  while (all.size() > 0) {
    const std::size_t end = all.begin + std::min(transaction, all.size());
    while (all.begin < end) {
      const RunPart part = {all.begin, std::min(all.begin + kAtOnce, end)};
      steps.push_back({part, part.end == end});
      all.begin = part.end;
    }
  }
  return steps;
}

}  // namespace

ResumableRun::ResumableRun(Engine& engine, bool dry_run) : engine_(engine) {
  if (engine.path().empty())
    throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  if (!dry_run) {
    check_may_write(engine.path(), engine.settings().index);
    writer_ = open_writable_database(engine.path(), Xapian::DB_OPEN);
    check_values(*writer_, engine.path(), engine.settings());
    notes_.emplace(*writer_, engine.settings(), &engine.own_writes());
  }
  engine.refresh();  // now that the lock is taken, nobody else can change the database
}

std::size_t ResumableRun::start(std::vector<Xapian::docid> docids, RunCursor cursor, bool restart) {
  docids_ = std::move(docids);
  cursor_.emplace(std::move(cursor));
  done_ = 0;
  if (writer_ && !restart) {
    const auto next = std::upper_bound(docids_.begin(), docids_.end(), cursor_->read(*writer_));
    done_ = static_cast<std::size_t>(next - docids_.begin());
  }
  return done_;
}

void ResumableRun::finish(const Write& write, const std::function<void()>& on_commit) {
  const std::vector<Step> steps =
      cut({done_, docids_.size()}, static_cast<std::size_t>(engine_.settings().index.batch));
  std::size_t written = 0;  // in the current transaction
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [part, commits] = steps[i];
    const bool more = i + 1 < steps.size();
    if (writer_ && (i == 0 || steps[i - 1].commits)) writer_->begin_transaction();
    written += write(part, more ? steps[i + 1].part : RunPart{});
    if (!commits) continue;
    if (writer_) commit(docids_[part.end - 1], more, std::exchange(written, 0) > 0);
    if (on_commit) on_commit();
  }
}

/// Ends the transaction. `more`: there are documents after `last`.
void ResumableRun::commit(Xapian::docid last, bool more, bool wrote) {
  if (!more) cursor_->clear(*writer_);
  if (more && wrote) cursor_->write(*writer_, last);
  notes_->commit([this] { writer_->commit_transaction(); });
}

void ResumableRun::change_each(const Change& change, Counts counts,
                               const std::function<void()>& on_commit) {
  const auto change_part = [&](RunPart part, RunPart) {
    const std::uint64_t before = counts.written;
    counts.examined += part.size();
    for (std::size_t place = part.begin; place < part.end; ++place) {
      try {
        Xapian::Document document = writer_->get_document(docids_[place]);
        if (!change(place, document)) continue;
        writer_->replace_document(docids_[place], document);
        wrote(docids_[place], document);
        ++counts.written;
      } catch (const Xapian::DocNotFoundError&) {
        ++counts.gone;
      }
    }
    return static_cast<std::size_t>(counts.written - before);
  };
  finish(change_part, on_commit);
}

}  // namespace kindred
