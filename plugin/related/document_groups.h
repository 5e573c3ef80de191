#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "config/pulse.h"
#include "gpu/document_set.h"
#include "gpu/knn/backend.h"

namespace kindred {

class MirroredDatabase;
class Snapshot;

/// Which documents are one find, such as the mails of a thread: those that share a term under a
/// prefix, or a value. A value is that of one program: shards in different folders have none in
/// common. For one question and one thread.
///
///     DocumentGroups groups(database, snapshot, "G", nullptr);
///     const std::vector<Neighbor> finds = groups.first_of_each(ranking, 10, pulse);
class DocumentGroups {
 public:
  /// Gives the first `count` neighbors of a ranking, or all if there are fewer.
  using Ranking = std::function<std::vector<Neighbor>(std::size_t count)>;

  /// `name`: a prefix, or "value:SLOT". `among`: the documents that others() counts; null: all of
  /// the snapshot. All is borrowed.
  /// @throws Error kInvalidArgument for a slot that is none.
  DocumentGroups(MirroredDatabase& database, const Snapshot& snapshot, const std::string& name,
                 const DocumentSet* among);

  /// The group of each document; "" for none. Each document is read once.
  /// @throws Error as MirroredDatabase::read().
  std::vector<std::string> of(std::span<const Xapian::docid> docids);

  /// Those of a ranking that have none of their group before them.
  std::vector<Neighbor> first_of_each(std::span<const Neighbor> ranking);

  /// The first k of a ranking that are so. The ranking is read until there are as many, and never
  /// beyond 16 k + 1,000 neighbors.
  std::vector<Neighbor> first_of_each(const Ranking& ranking, std::size_t k, const Pulse& pulse);

  /// How many others of the documents that count are in the group of a document, but for
  /// `examples`; 0 if it is in none.
  std::uint64_t others(Xapian::docid docid, std::span<const Xapian::docid> examples);

  /// Removes each document of a list that has one of its group before it, and counts it there, in
  /// the member group_count.
  template <typename Document>
  void collapse(std::vector<Document>& documents);

 private:
  std::string read_group(const Xapian::Database& database, Xapian::docid docid) const;
  std::string value_group(Xapian::docid docid, const std::string& value) const;
  const std::vector<Xapian::docid>& members_of(const std::string& group);

  MirroredDatabase& database_;
  const Snapshot& snapshot_;
  const std::string prefix_;
  const std::optional<Xapian::valueno> slot_;
  const DocumentSet* const among_;
  std::vector<std::string> folders_;  ///< around each shard, for values; none: there is one shard
  std::unordered_map<Xapian::docid, std::string> known_;
  std::unordered_map<std::string, std::vector<Xapian::docid>> members_;
  bool has_read_slot_ = false;
};

template <typename Document>
void DocumentGroups::collapse(std::vector<Document>& documents) {
  std::vector<Xapian::docid> docids;
  for (const Document& document : documents) docids.push_back(document.docid);
  const std::vector<std::string> groups = of(docids);

  std::vector<Document> left;
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const auto [place, is_first] = first.try_emplace(groups[i], left.size());
    if (groups[i].empty() || is_first) {
      left.push_back(std::move(documents[i]));
      left.back().group_count = 0;
    } else {
      ++*left[place->second].group_count;
    }
  }
  documents = std::move(left);
}

/// The groups that a request asks for: its own, else those of the settings (related.group); "" for
/// none, which a request calls "none".
std::string asked_group(const std::optional<std::string>& asked, const std::string& usual);

}  // namespace kindred
