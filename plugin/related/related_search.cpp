#include "plugin/related/related_search.h"

#include <algorithm>
#include <string>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/scoring.h"
#include "plugin/related/folding.h"
#include "plugin/snapshot/document_lists.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

/// `query`: row of `queries`.
api::RelatedDocument make_related(const Snapshot& snapshot, const Queries& queries,
                                  std::size_t query, const Neighbor& neighbor, bool explain) {
  const Mirror& mirror = snapshot.mirror();
  api::RelatedDocument related;
  related.docid = neighbor.number;
  related.id = mirror.id_of(neighbor.number);
  related.similarity = neighbor.similarity;
  related.labels = mirror.label_names_of(neighbor.number);

  if (explain)
    related.terms =
        contributions(snapshot, queries.terms(query), queries.weights(query), related.docid);
  return related;
}

/// The first k of a list of neighbors that are similar enough and not examples themselves. `own`
/// ascends. The request is complete.
std::vector<Neighbor> without_examples(std::span<const Neighbor> neighbors,
                                       std::span<const Xapian::docid> own,
                                       const RelatedRequest& request, std::size_t k) {
  // The list ends at the first that is not there, not similar enough, or one too many.
  std::vector<Neighbor> others;
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.number == kNoDocument || neighbor.similarity < request.min_similarity ||
        others.size() == k) {
      break;
    }
    if (!std::ranges::binary_search(own, neighbor.number)) others.push_back(neighbor);
  }
  return others;
}

/// The k nearest documents that are not examples themselves, best first. The request is complete.
std::vector<Neighbor> nearest_others(const Snapshot& snapshot, const RelatedRequest& request,
                                     const ExampleQuery& asked, const DocumentSet* allowed,
                                     std::size_t k) {
  // The examples are among their own nearest neighbors, so as many more are asked for.
  k = std::min<std::size_t>(k, snapshot.mirror().documents());
  if (k == 0) return {};  // an empty index
  const auto& own = asked.docids;

  const Backend& backend = snapshot.voting().backend();
  return without_examples(backend.nearest(asked.query, k + own.size(), allowed), own, request, k);
}

/// The results of a complete request, best first, with what is folded under them.
std::vector<FoldedNeighbors> ranked(const Snapshot& snapshot, const RelatedRequest& request,
                                    const ExampleQuery& asked, const DocumentSet* allowed) {
  const auto k = static_cast<std::size_t>(request.limit);
  const NeighborRanking ranking = [&](std::size_t count) {
    return nearest_others(snapshot, request, asked, allowed, count);
  };

  if (request.fold > 0)
    return fold_near_duplicates(snapshot, ranking, request.fold, k, request.pulse);

  std::vector<FoldedNeighbors> results;
  for (const Neighbor& neighbor : ranking(k)) results.push_back({neighbor, {}});
  return results;
}

/// @throws Error kInvalidArgument if k < 1, or if threshold or fold is outside [0, 1].
void check_request(const RelatedRequest& request) {
  if (request.limit < 1) throw Error(Errc::kInvalidArgument, "limit: expected at least 1");
  if (!(request.min_similarity >= 0 && request.min_similarity <= 1))
    throw Error(Errc::kInvalidArgument, "min_similarity: expected a number from 0 to 1");
  if (!(request.fold >= 0 && request.fold <= 1))
    throw Error(Errc::kInvalidArgument, "fold: expected a number from 0 to 1");
}

/// Appends the documents that match a query best to `examples`, and clears it. `name`: of the
/// query, for messages.
void add_query(MirroredDatabase& database, const Snapshot& snapshot, std::int64_t top,
               const Pulse& pulse, const std::string& name, std::string& query,
               std::vector<Example>& examples) {
  if (query.empty()) return;
  const std::vector<Xapian::docid> docids =
      best_documents(database, snapshot, query, static_cast<std::size_t>(top), pulse);

  if (docids.empty())
    throw Error(Errc::kNotFound,
                name + ": no document matches '" + shortened(query) + "', so it gives no example");

  for (const Xapian::docid docid : docids) examples.emplace_back(Docid{docid});
  query.clear();
}

}  // namespace

RelatedResult find_related(const ExampleContext& context, const RelatedRequest& request,
                           const DocumentSet* allowed) {
  check_request(request);
  const ExampleQuery asked = make_query(context, request.like, request.unlike, request.pulse);

  const Mirror& mirror = context.snapshot.mirror();
  RelatedResult result{mirror.origin(), {}};

  // Folded documents are named alone, without reasons or labels.
  for (const FoldedNeighbors& found : ranked(context.snapshot, request, asked, allowed)) {
    request.pulse();
    result.results.push_back(
        make_related(context.snapshot, asked.query, 0, found.first, request.explain));
    if (request.fold == 0) continue;

    std::vector<api::FoldedDocument>& folded = result.results.back().folded.emplace();
    for (const Neighbor& each : found.folded)
      folded.push_back({mirror.id_of(each.number), each.number, each.similarity});
  }
  return result;
}

std::vector<RelatedResult> find_related_each(const ExampleContext& context,
                                             std::span<const Xapian::docid> docids,
                                             const RelatedRequest& request,
                                             const DocumentSet* allowed) {
  check_request(request);
  std::vector<RelatedResult> results;

  if (request.fold > 0) {  // each asks again until enough are left
    RelatedRequest one = request;
    for (const Xapian::docid docid : docids) {
      one.like.assign(1, Docid{docid});
      results.push_back(find_related(context, one, allowed));
    }
    return results;
  }

  // All queries go to the backend together, in portions between which the caller is heard.
  const Snapshot& snapshot = context.snapshot;
  Queries queries;
  for (const Xapian::docid docid : docids) {
    snapshot.weigh_document(docid_of(snapshot, Docid{docid}, context.settings.index),
                            snapshot.voting().weighting(), queries);
  }

  // One neighbor more each, since a document is its own nearest.
  const std::size_t k =
      std::min<std::size_t>(static_cast<std::size_t>(request.limit), snapshot.mirror().documents());
  constexpr std::size_t kFirst = 64;

  in_portions(docids.size(), kFirst, request.pulse, [&](std::size_t begin, std::size_t end) {
    std::vector<Neighbor> nearest((end - begin) * (k + 1));
    snapshot.voting().backend().nearest(queries.view().part(begin, end - begin), k + 1, allowed,
                                        nearest);

    // Each document is the only example of its own query.
    for (std::size_t i = begin; i < end; ++i) {
      request.pulse();
      RelatedResult result{snapshot.mirror().origin(), {}};
      const auto own = std::span(nearest).subspan((i - begin) * (k + 1), k + 1);
      for (const Neighbor& neighbor : without_examples(own, docids.subspan(i, 1), request, k))
        result.results.push_back(make_related(snapshot, queries, i, neighbor, request.explain));
      results.push_back(std::move(result));
    }
  });
  return results;
}

Neighborhood find_neighborhood(const ExampleContext& context, const RelatedRequest& request,
                               const DocumentSet* allowed) {
  check_request(request);
  const ExampleQuery asked = make_query(context, request.like, request.unlike, request.pulse);
  const Mirror& mirror = context.snapshot.mirror();
  Neighborhood result{.revision = mirror.revision, .shards = mirror.shards, .documents = {}};

  // A posting source gives documents in the order of their numbers.
  for (const FoldedNeighbors& found : ranked(context.snapshot, request, asked, allowed))
    result.documents.push_back({found.first.number, found.first.similarity});
  std::ranges::sort(result.documents, {}, &SimilarDocument::docid);

  return result;
}

std::vector<api::TermContribution> contributions(const Snapshot& snapshot,
                                                 std::span<const std::uint32_t> terms,
                                                 std::span<const double> weights,
                                                 Xapian::docid docid) {
  const RowEntries stored = snapshot.mirror().terms_of(docid);
  const TermWeighting& weighting = snapshot.voting().weighting();

  // The formula of docs/scoring.md, term by term: weights of the query times those of the document,
  // over the document's length.
  const auto weight_at = [&](std::size_t i) {
    return weighting.tf[stored.counts[i]] * weighting.idf[stored.columns[i]];
  };

  const bool divides_all = weighting.divisor == RowDivisor::kLongest;
  const double length = dividing_length(euclidean_length(stored.size(), weight_at),
                                        divides_all ? snapshot.voting().backend().longest() : 0);

  // Terms of the query are sorted, so each term of the document is looked up among them.
  std::vector<api::TermContribution> parts;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::uint32_t term = stored.columns[i];
    const auto it = std::lower_bound(terms.begin(), terms.end(), term);
    if (it == terms.end() || *it != term) continue;
    const double part = weights[it - terms.begin()] * weight_at(i) / length;
    if (part > 0) parts.push_back({std::string(snapshot.mirror().vocabulary[term]), {}, part});
  }

  std::ranges::sort(parts, [](const api::TermContribution& a, const api::TermContribution& b) {
    if (a.contribution != b.contribution) return a.contribution > b.contribution;
    return a.term < b.term;
  });
  return parts;
}

RelatedRequest with_query_examples(MirroredDatabase& database, const Snapshot& snapshot,
                                   RelatedRequest request) {
  const std::size_t found = request.like.size() + request.unlike.size();
  if (found > kMaxExamples)
    throw Error(Errc::kInvalidArgument,
                "related: expected at most " + std::to_string(kMaxExamples) +
                    " examples and counter-examples, found " + std::to_string(found));

  if (request.like_top < 1) throw Error(Errc::kInvalidArgument, "like_top: expected at least 1");
  add_query(database, snapshot, request.like_top, request.pulse, "like_query", request.like_query,
            request.like);
  add_query(database, snapshot, request.like_top, request.pulse, "unlike_query",
            request.unlike_query, request.unlike);

  return request;
}

}  // namespace kindred
