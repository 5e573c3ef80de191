#include "plugin/related/document_groups.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/store/database_walk.h"
#include "plugin/store/readers.h"
#include "plugin/store/terms.h"

namespace kindred {

DocumentGroups::DocumentGroups(MirroredDatabase& database, const Snapshot& snapshot,
                               const std::string& name, const DocumentSet* among)
    : database_(database),
      snapshot_(snapshot),
      prefix_(name),
      slot_(slot_of_group(name)),
      among_(among) {
  std::string ignored;
  const auto shards = slot_ ? shard_folders(database.path(), ignored) : std::nullopt;
  if (!shards || shards->size() < 2) return;
  for (const std::string& shard : *shards)
    folders_.push_back(std::filesystem::path(shard).parent_path().string());
}

std::string DocumentGroups::value_group(Xapian::docid docid, const std::string& value) const {
  if (value.empty() || folders_.empty()) return value;
  return folders_[(docid - 1) % folders_.size()] + '\0' + value;
}

std::string DocumentGroups::read_group(const Xapian::Database& database,
                                       Xapian::docid docid) const {
  const Xapian::Document document = database.get_document(docid);
  if (slot_) return value_group(docid, document.get_value(*slot_));

  // The term itself, so that both ways of writing one are groups of their own, as they are lists.
  auto term = document.termlist_begin();
  const auto end = document.termlist_end();
  for (term.skip_to(prefix_); term != end && (*term).starts_with(prefix_); ++term)
    if (value_under(prefix_, *term)) return *term;
  return "";
}

std::vector<std::string> DocumentGroups::of(std::span<const Xapian::docid> docids) {
  std::vector<Xapian::docid> unknown;
  for (const Xapian::docid docid : docids)
    if (!known_.contains(docid)) unknown.push_back(docid);

  if (!unknown.empty()) {
    database_.read("cannot read the groups of documents", [&](const auto& database) {
      for (const Xapian::docid docid : unknown) {
        try {
          known_[docid] = read_group(database, docid);
        } catch (const Xapian::DocNotFoundError&) {  // deleted since
          known_[docid].clear();
        }
      }
    });
  }

  std::vector<std::string> groups;
  for (const Xapian::docid docid : docids) groups.push_back(known_.at(docid));
  return groups;
}

std::vector<Neighbor> DocumentGroups::first_of_each(std::span<const Neighbor> ranking) {
  std::vector<Xapian::docid> docids;
  for (const Neighbor& neighbor : ranking) docids.push_back(neighbor.number);
  const std::vector<std::string> groups = of(docids);

  std::vector<Neighbor> first;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < ranking.size(); ++i)
    if (groups[i].empty() || seen.insert(groups[i]).second) first.push_back(ranking[i]);
  return first;
}

std::vector<Neighbor> DocumentGroups::first_of_each(const Ranking& ranking, std::size_t k,
                                                    const Pulse& pulse) {
  constexpr std::size_t kReadPerResult = 16;
  constexpr std::size_t kReadAlways = 1000;
  const std::size_t most = kReadPerResult * k + kReadAlways;

  // Twice as many each time, because it is not known how many are of one group.
  for (std::size_t count = std::min(2 * k, most);; count = std::min(2 * count, most)) {
    const std::vector<Neighbor> found = ranking(count);
    pulse();

    std::vector<Neighbor> first = first_of_each(found);
    first.resize(std::min(first.size(), k));
    if (first.size() == k || found.size() < count || count == most) return first;
  }
}

const std::vector<Xapian::docid>& DocumentGroups::members_of(const std::string& group) {
  const auto read = [&](const Xapian::Database& database) {
    // A value has no list of its own, so those of all groups are made in one pass.
    if (slot_) {
      members_.clear();
      for (ValueReader values(database, *slot_); !values.at_end(); values.next())
        members_[value_group(values.docid(), values.value())].push_back(values.docid());
      return;
    }

    std::vector<Xapian::docid>& members = members_[group];
    members.clear();
    for (PostingReader list(database, group); !list.at_end(); list.next())
      members.push_back(list.docid());
  };

  const bool is_known = slot_ ? has_read_slot_ : members_.contains(group);
  if (!is_known) database_.read("cannot read a group of documents", read);
  has_read_slot_ = slot_.has_value();
  return members_[group];
}

std::uint64_t DocumentGroups::others(Xapian::docid docid, std::span<const Xapian::docid> examples) {
  const std::string group = of(std::span(&docid, 1)).front();
  if (group.empty()) return 0;

  const auto counts = [&](Xapian::docid other) {
    const bool is_there = among_ != nullptr ? among_->has(other) : snapshot_.mirror().has(other);
    return is_there && other != docid && !std::ranges::binary_search(examples, other);
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(members_of(group), counts));
}

std::string asked_group(const std::optional<std::string>& asked, const std::string& usual) {
  const std::string& group = asked ? *asked : usual;
  if (group == "none") return "";
  return group;
}

}  // namespace kindred
