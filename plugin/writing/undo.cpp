#include "plugin/writing/undo.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/history/history_time.h"
#include "plugin/history/tag_history.h"
#include "plugin/input/document_data.h"
#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/settled_settings.h"
#include "plugin/store/value_check.h"
#include "plugin/store/writable_database.h"
#include "plugin/writing/document_edit.h"
#include "plugin/writing/edited_tuning.h"

namespace kindred {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostKept = 20;  // tags of an answer that stay as they are

/// What the changes that are to be taken back did to a label of a document.
struct UndoneLabel {
  LabelStep step;           ///< from the state before the first of them to that after the last
  std::uint64_t later = 0;  ///< the last edit of it that is not among them; 0: none
  std::string later_who;
};

/// What a run made of a label in all documents.
struct LabelRenaming {
  std::string from;
  std::string to;      ///< "" if it was removed, or became one with another that each document had
  bool is_one = true;  ///< the run did nothing else

  /// Takes a label as one of the two names. A second one is something else.
  void take(std::string& name, const std::string& label) {
    if (!name.empty()) is_one = false;
    name = label;
  }
};

/// A renaming that is taken back in the tuning, too.
struct RenamedTuning {
  LabelRenaming renaming;
  EditedTuning tuning;
};

/// A document whose tags are to be taken back.
struct UndoneDocument {
  Xapian::docid docid = 0;
  std::map<std::string, UndoneLabel> labels;
};

/// True for a change that is to be taken back.
class Selection {
 public:
  explicit Selection(const api::UndoRequest& request) : request_(request) {
    if (!request.edit && !request.run && !request.day)
      throw Error(Errc::kInvalidArgument, "undo: expected edit, run or day");
    if (!request.day) return;

    const auto begin = parsed_time(*request.day, 0);
    if (request.day->size() != kDayText || !begin)
      throw Error(Errc::kInvalidArgument,
                  "undo.day: expected a day such as 2026-11-29, found '" + *request.day + "'");
    begin_ = *begin;
  }

  bool has(const HistoryEntry& entry) const {
    if (request_.by && entry.block.who != *request_.by) return false;
    if (request_.edit && entry.number != static_cast<std::uint64_t>(*request_.edit)) return false;
    if (request_.run && entry.block.run != static_cast<std::uint64_t>(*request_.run)) return false;
    const std::uint64_t time = entry.block.milliseconds;
    return !request_.day || (time >= begin_ && time - begin_ < kMillisecondsPerDay);
  }

  /// In words, for messages.
  std::string text() const {
    std::string text = "edits";
    if (request_.edit) text = "edit " + std::to_string(*request_.edit);
    if (request_.run) text += " of run " + std::to_string(*request_.run);
    if (request_.day) text += " of " + *request_.day;
    if (request_.by) text += " by '" + *request_.by + "'";
    return text;
  }

 private:
  static constexpr std::size_t kDayText = 10;
  const api::UndoRequest& request_;
  std::uint64_t begin_ = 0;
};

/// What is to be taken back, by document.
class UndoPlan {
 public:
  explicit UndoPlan(const Selection& selection) : selection_(selection) {}

  /// The edits come in their order.
  void add(const HistoryEntry& entry) {
    if (first_ == 0) first_ = entry.number;
    const bool is_selected = selection_.has(entry);
    const auto document = documents.find(entry.change.id);
    if (!is_selected && document == documents.end()) return;
    if (is_selected) ++edits;
    if (is_selected) add_renaming(entry);

    UndoneDocument& undone = documents[entry.change.id];
    if (entry.change.docid != 0) undone.docid = entry.change.docid;
    for (const LabelStep& step : entry.change.labels) add(entry, step, is_selected, undone);
  }

  /// @throws Error kNotFound if nothing is.
  void expect_some(const std::string& path) const {
    if (edits > 0) return;
    std::string fault = path + ": the history has no " + selection_.text();
    fault += first_ == 0 ? "; it has no edits" : "; it begins with edit " + std::to_string(first_);
    throw Error(Errc::kNotFound, fault);
  }

  std::map<std::string, UndoneDocument> documents;   ///< by id
  std::map<std::uint64_t, LabelRenaming> renamings;  ///< by run
  std::uint64_t edits = 0;

 private:
  /// If the edit was one of a label, or perhaps took one back.
  void add_renaming(const HistoryEntry& entry) {
    const bool is_undo = entry.block.how == "undo";
    if (entry.block.how != "label" && !is_undo) return;

    LabelRenaming renaming;
    for (const LabelStep& step : entry.change.labels) {
      if (step.before != 0 && step.after != 0) continue;
      if (step.after == 0)
        renaming.take(renaming.from, step.label);
      else
        renaming.take(renaming.to, step.label);
    }
    if (is_undo && (renaming.from.empty() || renaming.to.empty())) renaming.is_one = false;

    const auto [known, is_new] = renamings.try_emplace(entry.block.run, renaming);
    LabelRenaming& of_run = known->second;
    if (of_run.to.empty()) of_run.to = renaming.to;
    const bool is_same =
        of_run.from == renaming.from && (renaming.to.empty() || of_run.to == renaming.to);
    of_run.is_one = of_run.is_one && renaming.is_one && is_same;
  }

  static void add(const HistoryEntry& entry, const LabelStep& step, bool is_selected,
                  UndoneDocument& undone) {
    const auto known = undone.labels.find(step.label);
    const bool is_known = known != undone.labels.end();
    if (!is_selected) {
      if (!is_known) return;

      // Where others took their own edits back, the tag is as if they had made none.
      UndoneLabel& label = known->second;
      label.later = step.after == label.step.after ? 0 : entry.number;
      label.later_who = entry.block.who;
      return;
    }
    if (!is_known) {
      undone.labels[step.label].step = step;
      return;
    }

    // The confidence is that of the tag that is to come back, which was there before the first.
    known->second.step.after = step.after;
  }

  const Selection& selection_;
  std::uint64_t first_ = 0;
};

/// Takes a plan back.
class Undoing {
 public:
  Undoing(const std::string& path, const Settings& settings, const UndoRequest& request,
          const UndoPlan& plan)
      : path_(path), settings_(settings), request_(request), plan_(plan) {
    answer_.dry_run = request.dry_run;
    answer_.edits = plan.edits;
  }

  api::UndoAnswer run() {
    if (request_.dry_run) {
      DatabaseReader reader(path_);
      const api::UndoAnswer empty = answer_;
      reader.read(path_ + ": cannot read documents", [&](const Xapian::Database& database) {
        answer_ = empty;  // if somebody writes meanwhile, this is called again
        for (const auto& [id, document] : plan_.documents) look_at(database, id, document);
      });
      return std::move(answer_);
    }
    write();
    return std::move(answer_);
  }

 private:
  /// The docid of the document; 0 if it is gone.
  Xapian::docid find(const Xapian::Database& database, const std::string& id,
                     const UndoneDocument& document) const {
    const auto found = documents_with_id(database, id, settings_.index);
    if (found.size() == 1) return found.front();
    const bool is_there = document.docid != 0 && has_document(database, document.docid);
    if (is_there && read_tags(database.get_document(document.docid), settings_).id == id)
      return document.docid;
    return 0;
  }

  void keep(const std::string& id, const std::string& label, const UndoneLabel& undone,
            const char* reason) {
    ++answer_.kept;
    if (answer_.kept_tags.size() == kMostKept) return;
    api::KeptTag& kept = answer_.kept_tags.emplace_back();
    kept.id = id;
    if (!label.empty()) kept.label = label;
    kept.reason = reason;
    if (undone.later == 0) return;
    kept.edit = undone.later;
    kept.who = undone.later_who;
  }

  /// Brings the tags of a document into their former state, but for those that changed again.
  void take_back(const std::string& id, const UndoneDocument& document, StoredTags& tags) {
    std::uint64_t changed = 0;
    for (const auto& [label, undone] : document.labels) {
      const LabelState now = state_of(tags, label);
      if (now == undone.step.before) continue;
      if (undone.later != 0) {
        keep(id, label, undone, "later");
      } else if (now != undone.step.after) {
        keep(id, label, undone, "elsewhere");
      } else {
        set_state(tags, undone.step, undone.step.before, settings_.labels);
        ++changed;
      }
    }
    answer_.tags += changed;
    if (changed > 0) ++answer_.documents;
  }

  void keep_all(const std::string& id, const UndoneDocument& document) {
    for (const auto& [label, undone] : document.labels) keep(id, label, undone, "deleted");
  }

  void look_at(const Xapian::Database& database, const std::string& id,
               const UndoneDocument& document) {
    const Xapian::docid docid = find(database, id, document);
    if (docid == 0) return keep_all(id, document);
    StoredTags tags = read_tags(database.get_document(docid), settings_);
    settle_limits(tags, settings_.labels);
    take_back(id, document, tags);
  }

  void write() {
    check_may_write(path_, settings_);
    TagHistory history(path_, settings_, request_.who, "undo");
    const auto batch = static_cast<std::size_t>(settings_.index.batch);
    std::size_t done = 0;
    auto next = plan_.documents.begin();

    while (next != plan_.documents.end()) {
      const auto began = Clock::now();
      Xapian::WritableDatabase database = open_writable_database(path_, settings_.write);
      if (done == 0) {
        check_values(database, path_, settings_);
        begin_tunings(database);
      }
      HistoryBatch changes;
      in_transaction(database, [&] {
        const std::size_t end = done + batch;
        do {
          write_back(database, next->first, next->second, changes);
          ++next;
          ++done;
        } while (next != plan_.documents.end() && done < end &&
                 Clock::now() - began < std::chrono::seconds(1));
        if (!changes.is_empty()) history.remember_in(database);
      });
      history.append(changes);
      if (next == plan_.documents.end()) finish_tunings(database);
      database.close();

      if (request_.on_progress) request_.on_progress(done, plan_.documents.size());
      if (next != plan_.documents.end()) pause_for_writers(Clock::now() - began);
    }
    answer_.run = history.run();
  }

  /// Labels get their names back in the tuning, too, the latest first. What it knew of one that was
  /// removed is lost, so it is due.
  void begin_tunings(const Xapian::Database& database) {
    for (auto it = plan_.renamings.rbegin(); it != plan_.renamings.rend(); ++it) {
      const LabelRenaming& renaming = it->second;
      if (!renaming.is_one) continue;
      if (!renaming.to.empty()) {
        tunings_.push_back({renaming, EditedTuning(path_, settings_, renaming.to, renaming.from)});
        tunings_.back().tuning.begin(database, false);
      } else if (!is_given(database, settings_.labels, renaming.from)) {
        EditedTuning(path_, settings_, renaming.from, "").begin(database, true);
      }
    }
  }

  /// Where documents keep the later name, the tuning knows both.
  void finish_tunings(const Xapian::Database& database) const {
    for (const RenamedTuning& each : tunings_)
      if (!is_given(database, settings_.labels, each.renaming.to)) each.tuning.finish();
  }

  void write_back(Xapian::WritableDatabase& database, const std::string& id,
                  const UndoneDocument& document, HistoryBatch& changes) {
    const Xapian::docid docid = find(database, id, document);
    if (docid == 0) return keep_all(id, document);
    const auto change = [&](StoredTags& tags) {
      take_back(id, document, tags);
    };
    edit_document(database, settings_, docid, change, changes);
  }

  const std::string& path_;
  const Settings& settings_;
  const UndoRequest& request_;
  const UndoPlan& plan_;
  std::vector<RenamedTuning> tunings_;
  api::UndoAnswer answer_;
};

}  // namespace

api::UndoAnswer undo_changes(const std::string& path, const Settings& given,
                             const UndoRequest& request) {
  const Selection selection(request);
  DatabaseReader reader(path);  // says so if there is none
  const Settings settings = settled_settings(reader, path, given);

  UndoPlan plan(selection);
  const KeptFiles kept = reader.read(path, [](const Xapian::Database& database) {
    return kept_files(database);
  });
  read_history(file_location(path, settings.index.directory), kept.uuids,
               [&](const HistoryEntry& entry) {
                 plan.add(entry);
               });
  plan.expect_some(path);

  return with_database_errors(path + ": cannot take edits back", [&] {
    return Undoing(path, settings, request, plan).run();
  });
}

}  // namespace kindred
