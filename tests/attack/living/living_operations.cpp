#include "tests/attack/living/living_operations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>

namespace kindred::attack {
namespace {

struct Kind {
  Action action;
  std::string_view name;
  unsigned weight;  ///< how often it comes
};

constexpr std::array<Kind, 31> kKinds = {{{Action::kAdd, "add", 30},
                                          {Action::kReplace, "replace", 22},
                                          {Action::kDelete, "delete", 22},
                                          {Action::kRelabel, "relabel", 12},
                                          {Action::kNewLabel, "new-label", 2},
                                          {Action::kDropLabel, "drop-label", 1},
                                          {Action::kMoveId, "move-id", 2},
                                          {Action::kShareId, "share-id", 1},
                                          {Action::kDropId, "drop-id", 1},
                                          {Action::kBetween, "between", 3},
                                          {Action::kReturn, "return", 5},
                                          {Action::kJump, "jump", 1},
                                          {Action::kTouch, "touch", 4},
                                          {Action::kCommit, "commit", 16},
                                          {Action::kTwoCommits, "two-commits", 2},
                                          {Action::kCancel, "cancel", 2},
                                          {Action::kInterrupt, "interrupt", 2},
                                          {Action::kInPlace, "in-place", 1},
                                          {Action::kFailRefresh, "fail-refresh", 2},
                                          {Action::kIngest, "ingest", 8},
                                          {Action::kEditTags, "edit-tags", 4},
                                          {Action::kDeleteById, "delete-by-id", 2},
                                          {Action::kTag, "tag", 2},
                                          {Action::kStoreRelated, "store-related", 1},
                                          {Action::kReopen, "reopen", 2},
                                          {Action::kReopenBare, "reopen-bare", 1},
                                          {Action::kSave, "save", 2},
                                          {Action::kDamageMirror, "damage-mirror", 3},
                                          {Action::kKillKeeper, "kill-keeper", 1},
                                          {Action::kCompact, "compact", 1},
                                          {Action::kAsk, "ask", 4}}};

/// One change of a model, and what it means to a writer.
class Change {
 public:
  Change(const Operation& operation, Model& model)
      : action_(operation.action), model_(model), draw_(operation.random) {}

  std::vector<Edit> carry_out();

 private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(draw_() % n); }
  void put(Xapian::docid docid, ModelDocument document) {
    model_.put(docid, document);
    edits_.emplace_back(docid, std::move(document));
  }
  void remove(Xapian::docid docid) {
    model_.remove(docid);
    edits_.emplace_back(docid, std::nullopt);
  }
  Xapian::docid any() {
    return std::next(model_.documents().begin(), below(model_.documents().size()))->first;
  }
  ModelDocument with_id(std::string id) {
    ModelDocument document = random_document(draw_);
    if (below(6) != 0) document.id = std::move(id);
    return document;
  }
  void add(Xapian::docid docid) { put(docid, with_id("d" + std::to_string(docid))); }
  void add_somewhere();
  void drop_label();
  void change_id();
  void change(Xapian::docid docid);

  const Action action_;
  Model& model_;
  std::mt19937 draw_;
  std::vector<Edit> edits_;
};

std::vector<Edit> Change::carry_out() {
  switch (action_) {
    case Action::kAdd:
    case Action::kJump:
    case Action::kBetween:
    case Action::kReturn:
      add_somewhere();
      break;
    case Action::kDropLabel:
      drop_label();
      break;
    case Action::kMoveId:
    case Action::kShareId:
      if (model_.documents().size() > 1) change_id();
      break;
    default:
      if (!model_.documents().empty()) change(any());
  }
  return std::move(edits_);
}

void Change::add_somewhere() {
  if (action_ == Action::kAdd) return add(model_.last() + 1);
  if (action_ == Action::kJump) return add(model_.last() + 2 + below(500));
  if (action_ == Action::kReturn) {
    if (model_.deleted().empty()) return;
    return add(*std::next(model_.deleted().begin(), below(model_.deleted().size())));
  }
  std::vector<Xapian::docid> gaps;
  Xapian::docid before = 0;
  for (const auto& [docid, document] : model_.documents()) {
    if (docid > before + 1) gaps.push_back(before + 1 + below(docid - before - 1));
    before = docid;
  }
  if (!gaps.empty()) add(gaps[below(gaps.size())]);
}

/// Some of its documents lose the label, the others are deleted.
void Change::drop_label() {
  if (model_.documents().empty()) return;
  const auto& labels = model_.documents().at(any()).labels;
  if (labels.empty()) return;
  const std::string label = *labels.begin();
  const Model::Documents documents = model_.documents();
  for (const auto& [docid, document] : documents) {
    if (!document.labels.contains(label)) continue;
    if (below(4) == 0) {
      remove(docid);
      continue;
    }
    ModelDocument without = document;
    without.labels.erase(label);
    put(docid, std::move(without));
  }
}

/// The id of one document comes to another. The first one keeps it, loses it, or is deleted.
void Change::change_id() {
  const Xapian::docid from = any(), to = any();
  if (from == to) return;
  ModelDocument giver = model_.documents().at(from), taker = model_.documents().at(to);
  taker.id = giver.id;
  put(to, std::move(taker));
  if (action_ == Action::kShareId) return;
  if (below(2) == 0) return remove(from);
  giver.id = below(2) == 0 ? "" : "moved" + std::to_string(below(1000000));
  put(from, std::move(giver));
}

void Change::change(Xapian::docid docid) {
  ModelDocument document = model_.documents().at(docid);
  if (action_ == Action::kDelete) return remove(docid);
  const ModelDocument other = random_document(draw_);
  if (action_ == Action::kReplace) {
    document.terms = other.terms;
    document.marks = other.marks;
  }
  if (action_ == Action::kReplace || action_ == Action::kRelabel) document.labels = other.labels;
  if (action_ == Action::kNewLabel) document.labels.insert("n" + std::to_string(below(1000000)));
  if (action_ == Action::kDropId) document.id.clear();
  put(docid, std::move(document));
}

}  // namespace

std::vector<Operation> random_operations(std::size_t count, unsigned seed) {
  std::vector<unsigned> weights;
  for (const Kind& kind : kKinds) weights.push_back(kind.weight);
  std::discrete_distribution<std::size_t> choose(weights.begin(), weights.end());
  std::mt19937 draw(seed);
  std::vector<Operation> operations(count);
  for (Operation& operation : operations)
    operation = {kKinds[choose(draw)].action, static_cast<unsigned>(draw())};
  return operations;
}

std::string name_of(Action action) {
  const auto at = std::find_if(kKinds.begin(), kKinds.end(),
                               [&](const Kind& kind) { return kind.action == action; });
  return std::string(at->name);
}

std::optional<Action> action_named(std::string_view name) {
  const auto at = std::find_if(kKinds.begin(), kKinds.end(),
                               [&](const Kind& kind) { return kind.name == name; });
  if (at == kKinds.end()) return std::nullopt;
  return at->action;
}

bool is_change(Action action) { return action < Action::kCommit; }

std::vector<Edit> carry_out(const Operation& change, Model& model) {
  return Change(change, model).carry_out();
}

}  // namespace kindred::attack
