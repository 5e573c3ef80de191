#include "plugin/related/knn_source.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "config/error.h"
#include "plugin/store/cbor.h"
#include "plugin/store/readers.h"

namespace kindred {
namespace {

constexpr int kSourceVersion = 1;

void check_shards(const std::vector<std::string>& shards) {
  // Shards are known by their UUIDs: those of one neighborhood must differ.
  const std::set<std::string> distinct(shards.begin(), shards.end());
  if (shards.size() > 1 && (distinct.size() < shards.size() || distinct.contains(""))) {
    throw Error(Errc::kInvalidArgument,
                "a KnnSource cannot tell the shards of this database apart: they need UUIDs, which "
                "shards in memory do not have, and each must be there once");
  }
}

void check_documents(const std::vector<SimilarDocument>& documents) {
  Xapian::docid before = 0;
  for (const auto& [docid, similarity] : documents) {
    if (docid <= before) {
      throw Error(Errc::kInvalidArgument, "expected ascending docids, found " +
                                              std::to_string(docid) + " after " +
                                              std::to_string(before));
    }
    if (!(similarity >= 0 && std::isfinite(similarity))) {
      throw Error(Errc::kInvalidArgument, "the similarity of docid " + std::to_string(docid) +
                                              " is negative or not finite");
    }
    before = docid;
  }
}

Neighborhood checked_neighborhood(Neighborhood neighborhood) {
  check_shards(neighborhood.shards);
  check_documents(neighborhood.documents);
  if (neighborhood.shards.empty() && !neighborhood.documents.empty()) {
    throw Error(Errc::kInvalidArgument, "expected the shards that the documents are in");
  }
  return neighborhood;
}

/// Docids are written as their distances, which are small.
nlohmann::json neighborhood_json(const Neighborhood& neighborhood) {
  std::vector<Xapian::docid> distances;
  std::vector<float> similarities;
  Xapian::docid before = 0;
  for (const auto& [docid, similarity] : neighborhood.documents) {
    distances.push_back(docid - before);
    similarities.push_back(similarity);
    before = docid;
  }
  return {{"version", kSourceVersion},
          {"revision", neighborhood.revision},
          {"shards", neighborhood.shards},
          {"distances", distances},
          {"similarities", similarities}};
}

float similarity_in(const nlohmann::json& json) {
  const double similarity = json.is_number() ? json.get<double>() : -1;
  if (!(similarity >= 0 && similarity <= std::numeric_limits<float>::max()))
    throw Error(Errc::kCorrupt, "a similarity is not a number of single precision");
  return static_cast<float>(similarity);
}

Neighborhood neighborhood_in(const nlohmann::json& json) {
  // The bytes come over the network: nothing in them is taken for granted.
  const auto& distances = json.at("distances");
  const auto& similarities = json.at("similarities");
  if (!distances.is_array() || !similarities.is_array() ||
      distances.size() != similarities.size()) {
    throw Error(Errc::kCorrupt, "expected a similarity for each docid");
  }

  Neighborhood neighborhood;
  neighborhood.revision = whole_number<std::uint64_t>(json.at("revision"));
  neighborhood.shards = json.at("shards").get<std::vector<std::string>>();

  // Docids are sums of distances, which must not go beyond the largest one.
  Xapian::docid docid = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const auto distance = whole_number<Xapian::docid>(distances[i]);
    if (distance > std::numeric_limits<Xapian::docid>::max() - docid)
      throw Error(Errc::kCorrupt, "a docid is too large");
    docid += distance;
    neighborhood.documents.push_back({docid, similarity_in(similarities[i])});
  }

  return neighborhood;
}

}  // namespace

KnnSource::KnnSource() : KnnSource(Neighborhood{}) {}

KnnSource::KnnSource(Neighborhood neighborhood)
    : KnnSource(
          std::make_shared<const Neighborhood>(checked_neighborhood(std::move(neighborhood)))) {}

KnnSource::KnnSource(std::shared_ptr<const Neighborhood> neighborhood)
    : neighborhood_(std::move(neighborhood)) {}

KnnSource::~KnnSource() = default;

/// Which of the neighborhood's shards this is.
std::size_t KnnSource::position_of(const Xapian::Database& shard) const {
  const std::string uuid = shard.get_uuid();
  const auto& shards = neighborhood_->shards;
  const auto found = std::find(shards.begin(), shards.end(), uuid);
  if (found == shards.end()) {
    throw Xapian::InvalidOperationError(name() + ": the database with UUID '" + uuid +
                                        "' is not one of those that the engine has mirrored");
  }
  return static_cast<std::size_t>(found - shards.begin());
}

void KnnSource::init(const Xapian::Database& shard) {
  // Xapian may use a source again, for another shard.
  postings_.clear();
  current_ = 0;
  started_ = false;
  set_maxweight(0);
  if (neighborhood_->shards.empty()) return;

  // Xapian numbers the documents of several shards in turn, so this shard has every n-th one.
  const std::size_t position = position_of(shard);
  const auto shards = static_cast<Xapian::docid>(neighborhood_->shards.size());

  float largest = 0;
  try {
    // A source must not name a document that is not there.
    PostingReader present(shard, "");
    for (const auto& [docid, similarity] : neighborhood_->documents) {
      if ((docid - 1) % shards != position) continue;
      const Xapian::docid local = (docid - 1) / shards + 1;
      present.skip_to(local);
      if (present.at_end()) break;
      if (present.docid() != local) continue;  // deleted since the snapshot was made

      postings_.push_back({local, similarity});
      largest = std::max(largest, similarity);
    }
  } catch (const Error& e) {
    throw Xapian::DatabaseCorruptError(e.what());
  }

  set_maxweight(largest);
}

void KnnSource::next(double /*min_weight*/) {
  if (started_) ++current_;
  started_ = true;
}

void KnnSource::skip_to(Xapian::docid docid, double /*min_weight*/) {
  started_ = true;
  const auto found = std::lower_bound(
      // From the current place on, because a source only ever goes forward.
      postings_.begin() + static_cast<std::ptrdiff_t>(current_), postings_.end(), docid,
      [](const SimilarDocument& posting, Xapian::docid sought) {
        return posting.docid < sought;
      });
  current_ = static_cast<std::size_t>(found - postings_.begin());
}

std::string KnnSource::serialise() const { return serialized(neighborhood_json(*neighborhood_)); }

KnnSource* KnnSource::unserialise(const std::string& bytes) const {
  return unserialized(name(), kSourceVersion, bytes, [](const nlohmann::json& json) {
    return new KnnSource(neighborhood_in(json));
  });
}

std::string KnnSource::get_description() const {
  return name() + "(" + std::to_string(neighborhood_->documents.size()) + " documents)";
}

}  // namespace kindred
