#include "plugin/related/related_search.h"

#include <algorithm>
#include <string>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"
#include "plugin/related/contributions.h"
#include "plugin/related/exact_similarity.h"
#include "plugin/related/feedback.h"
#include "plugin/related/folding.h"
#include "plugin/snapshot/document_lists.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

/// The first row of a batch of weights.
SparseVector first_row(const QueryView& queries) {
  const std::uint64_t begin = queries.row_begin[0];
  const std::size_t size = queries.row_begin[1] - begin;
  return {{queries.term + begin, size}, {queries.weight + begin, size}};
}

/// What a search for related documents reads.
struct Searched {
  const Snapshot& snapshot;
  const RelatedRequest& request;  ///< complete
  const DocumentSet* allowed;
  DocumentGroups* groups;  ///< or null

  const Mirror& mirror() const { return snapshot.mirror(); }
  const View& view() const { return snapshot.related(); }
};

/// One question for related documents: its examples as a query and, with feedback, what that became
/// when it moved toward its nearest.
class RelatedQuery {
 public:
  /// `examples`: one row. `own`: their documents, ascending, which are never results. All is
  /// borrowed.
  RelatedQuery(const Searched& searched, const QueryView& examples,
               std::span<const Xapian::docid> own)
      : searched_(searched),
        examples_(examples),
        example_(first_row(examples)),
        own_(own),
        similarity_(example_.terms, example_.weights, *searched.view().weighting,
                    searched.view().backend->longest()) {}

  /// Moves it toward the nearest that are not examples themselves.
  void move_toward(std::span<const Neighbor> nearest) {
    nearest_ = without_own(nearest, kFeedbackNeighbors);
    moved_ = Queries();
    add_moved(searched_.snapshot, *searched_.view().weighting, example_, nearest_, moved_);
  }
  bool has_moved() const { return moved_.rows() > 0; }
  /// What is asked after it has moved.
  const Queries& moved() const { return moved_; }

  /// The first k of a ranking, which is a list of a backend, without its examples and what is not
  /// similar enough to these. Fewer if the ranking has no more.
  std::vector<Neighbor> shown(std::span<const Neighbor> ranking, std::size_t k) const {
    std::vector<Neighbor> others = without_own(ranking, ranking.size());
    std::erase_if(others, [&](const Neighbor& ranked) {
      return !is_similar_enough({ranked.number, similarity_of(ranked)});
    });
    others.resize(std::min(k, others.size()));
    return others;
  }

  /// The first k of what it finds, best first.
  std::vector<Neighbor> find(std::size_t k) const {
    k = std::min<std::size_t>(k, searched_.mirror().documents());
    if (k == 0) return {};  // an empty index

    // The examples are among their own nearest, so as many more are asked for. After it has moved,
    // some of what it finds may have nothing in common with the examples; then more is looked at.
    std::vector<Neighbor> ranking;
    for (std::size_t read = k + own_.size();; read *= 2) {
      ranking.resize(read);
      searched_.view().backend->nearest(asked(), read, searched_.allowed, ranking);
      std::vector<Neighbor> results = shown(ranking, k);
      if (results.size() == k || !has_moved()) return results;

      // Or few documents are similar enough to the examples at all: then it is these that are
      // ranked, also those that have only terms that it lost when it moved.
      searched_.view().backend->nearest(examples_, read, searched_.allowed, ranking);
      if (!is_similar_enough(ranking.back())) return by_score(ranking, k);
    }
  }

  /// `ranked`: with the score by which it stands in the ranking.
  api::RelatedDocument related(const Neighbor& ranked) const {
    const Mirror& mirror = searched_.mirror();
    api::RelatedDocument related;
    related.docid = ranked.number;
    related.id = mirror.id_of(ranked.number);
    related.similarity = similarity_of(ranked);
    related.rank_score = ranked.similarity;
    related.labels = mirror.label_names_of(ranked.number);
    if (searched_.groups != nullptr)
      related.group_count = searched_.groups->others(related.docid, own_);
    if (!searched_.request.explain) return related;

    // Words of the examples add up to the similarity. Those of neighbors say why it ranks higher.
    related.terms = contributions(mirror, searched_.view(), example_, related.docid);
    if (has_moved())
      related.neighbor_terms =
          brought_terms(searched_.snapshot, example_, first_row(asked()), nearest_, related.docid);
    return related;
  }

  /// To the examples.
  float similarity_of(const Neighbor& ranked) const {
    if (!has_moved()) return ranked.similarity;
    return similarity_.to(searched_.mirror().terms_of(ranked.number));
  }

 private:
  QueryView asked() const { return has_moved() ? moved_.view() : examples_; }

  /// Of a document with its similarity to the examples.
  bool is_similar_enough(const Neighbor& neighbor) const {
    return neighbor.number != kNoDocument && neighbor.similarity > 0 &&
           neighbor.similarity >= searched_.request.min_similarity;
  }

  /// The first k of the examples' nearest that are similar enough, ranked after it has moved.
  std::vector<Neighbor> by_score(std::span<const Neighbor> nearest, std::size_t k) const {
    const SparseVector moved = first_row(moved_.view());
    const View& view = searched_.view();
    const ExactSimilarity score(moved.terms, moved.weights, *view.weighting,
                                view.backend->longest());

    std::vector<Neighbor> ranked;
    for (const Neighbor& neighbor : without_own(nearest, nearest.size())) {
      if (!is_similar_enough(neighbor)) continue;
      const RowEntries row = searched_.mirror().terms_of(neighbor.number);
      ranked.push_back({neighbor.number, score.to(row)});
    }
    std::ranges::sort(ranked, [](const Neighbor& a, const Neighbor& b) {
      return ranks_before(a.similarity, a.number, b.similarity, b.number);
    });
    ranked.resize(std::min(k, ranked.size()));
    return ranked;
  }

  std::vector<Neighbor> without_own(std::span<const Neighbor> ranking, std::size_t most) const {
    std::vector<Neighbor> others;
    for (const Neighbor& neighbor : ranking) {
      if (neighbor.number == kNoDocument || others.size() == most) break;
      if (!std::ranges::binary_search(own_, neighbor.number)) others.push_back(neighbor);
    }
    return others;
  }

  const Searched& searched_;
  const QueryView examples_;
  const SparseVector example_;
  const std::span<const Xapian::docid> own_;
  const ExactSimilarity similarity_;
  std::vector<Neighbor> nearest_;
  Queries moved_;
};

/// The neighbors of a batch of queries, k for each.
std::vector<Neighbor> nearest_of(const Searched& searched, const QueryView& queries,
                                 std::size_t k) {
  std::vector<Neighbor> nearest(queries.rows * k);
  searched.view().backend->nearest(queries, k, searched.allowed, nearest);
  return nearest;
}

/// The query of examples, which has moved if the request wants it.
RelatedQuery query_of(const Searched& searched, const ExampleQuery& asked) {
  RelatedQuery query(searched, asked.query.view(), asked.docids);
  if (!searched.request.feedback || searched.mirror().documents() == 0) return query;

  const std::size_t read = kFeedbackNeighbors + asked.docids.size();
  query.move_toward(nearest_of(searched, asked.query.view(), read));
  return query;
}

/// The results of a query, best first, with what is folded under them.
std::vector<FoldedNeighbors> ranked(const Searched& searched, const RelatedQuery& query) {
  const RelatedRequest& request = searched.request;
  const auto k = static_cast<std::size_t>(request.limit);
  const NeighborRanking all = [&](std::size_t count) {
    return query.find(count);
  };
  const NeighborRanking ranking = [&](std::size_t count) {
    if (searched.groups == nullptr) return all(count);
    return searched.groups->first_of_each(all, count, request.pulse);
  };

  if (request.fold > 0)
    return fold_near_duplicates(searched.snapshot, ranking, request.fold, k, request.pulse);

  std::vector<FoldedNeighbors> results;
  for (const Neighbor& neighbor : ranking(k)) results.push_back({neighbor, {}});
  return results;
}

/// What is shown of a ranking: at most k documents, one of each group.
std::vector<Neighbor> shown_of(const Searched& searched, const RelatedQuery& query,
                               std::span<const Neighbor> ranking, std::size_t k) {
  std::vector<Neighbor> shown = query.shown(ranking, ranking.size() - 1);
  if (searched.groups != nullptr) shown = searched.groups->first_of_each(shown);
  shown.resize(std::min(shown.size(), k));

  // Where the ranking had documents that are not shown, or was short, there may be more.
  const bool may_lack = searched.request.feedback || searched.groups != nullptr;
  if (shown.size() == k || !may_lack) return shown;

  shown.clear();
  for (const FoldedNeighbors& found : ranked(searched, query)) shown.push_back(found.first);
  return shown;
}

/// Moves the queries of a batch, and appends what they ask now to `moved`.
void move_all(const Searched& searched, const QueryView& asked, std::vector<RelatedQuery>& queries,
              Queries& moved) {
  constexpr std::size_t kOwnAndNearest = kFeedbackNeighbors + 1;  // each is its own nearest
  const std::vector<Neighbor> nearest = nearest_of(searched, asked, kOwnAndNearest);

  for_each_item(queries.size(), searched.snapshot.voting().threads(), [&](std::size_t i) {
    queries[i].move_toward(std::span(nearest).subspan(i * kOwnAndNearest, kOwnAndNearest));
  });
  for (const RelatedQuery& query : queries) moved.append(query.moved());
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
                           const DocumentSet* allowed, DocumentGroups* groups) {
  check_request(request);
  const ExampleQuery asked = make_query(context, request.like, request.unlike, request.pulse);

  const Searched searched{context.snapshot, request, allowed, groups};
  const RelatedQuery query = query_of(searched, asked);
  const Mirror& mirror = context.snapshot.mirror();
  RelatedResult result{mirror.origin(), {}};

  // Folded documents are named alone, without reasons or labels.
  for (const FoldedNeighbors& found : ranked(searched, query)) {
    request.pulse();
    result.results.push_back(query.related(found.first));
    if (request.fold == 0) continue;

    std::vector<api::FoldedDocument>& folded = result.results.back().folded.emplace();
    for (const Neighbor& each : found.folded)
      folded.push_back({mirror.id_of(each.number), each.number, query.similarity_of(each)});
  }
  return result;
}

std::vector<RelatedResult> find_related_each(const ExampleContext& context,
                                             std::span<const Xapian::docid> docids,
                                             const RelatedRequest& request,
                                             const DocumentSet* allowed, DocumentGroups* groups) {
  check_request(request);
  std::vector<RelatedResult> results;

  if (request.fold > 0) {  // each asks again until enough are left
    RelatedRequest one = request;
    for (const Xapian::docid docid : docids) {
      one.like.assign(1, Docid{docid});
      results.push_back(find_related(context, one, allowed, groups));
    }
    return results;
  }

  // All queries go to the backend together, in portions between which the caller is heard.
  const Snapshot& snapshot = context.snapshot;
  const Searched searched{snapshot, request, allowed, groups};
  Queries examples;
  for (const Xapian::docid docid : docids) {
    snapshot.weigh_document(docid_of(snapshot, Docid{docid}, context.settings.index),
                            *searched.view().weighting, examples);
  }

  const std::size_t k =
      std::min<std::size_t>(static_cast<std::size_t>(request.limit), snapshot.mirror().documents());
  constexpr std::size_t kFirst = 64;

  in_portions(docids.size(), kFirst, request.pulse, [&](std::size_t begin, std::size_t end) {
    // Each document is the only example of its own query.
    std::vector<RelatedQuery> queries;
    for (std::size_t i = begin; i < end; ++i)
      queries.emplace_back(searched, examples.view().part(i, 1), docids.subspan(i, 1));

    QueryView asked = examples.view().part(begin, end - begin);
    Queries moved;
    if (request.feedback) {
      move_all(searched, asked, queries, moved);
      asked = moved.view();
    }

    // One neighbor more each, since a document is its own nearest; of groups there are several.
    constexpr std::size_t kOfGroup = 4;
    const std::size_t read = groups != nullptr ? kOfGroup * k + 1 : k + 1;
    const std::vector<Neighbor> nearest = nearest_of(searched, asked, read);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      request.pulse();
      const auto ranking = std::span(nearest).subspan(i * read, read);
      RelatedResult& result = results.emplace_back(RelatedResult{snapshot.mirror().origin(), {}});
      for (const Neighbor& neighbor : shown_of(searched, queries[i], ranking, k))
        result.results.push_back(queries[i].related(neighbor));
    }
  });
  return results;
}

Neighborhood find_neighborhood(const ExampleContext& context, RelatedRequest request,
                               const DocumentSet* allowed) {
  check_request(request);
  request.feedback = false;
  const ExampleQuery asked = make_query(context, request.like, request.unlike, request.pulse);
  const Mirror& mirror = context.snapshot.mirror();
  Neighborhood result{.revision = mirror.revision, .shards = mirror.shards, .documents = {}};

  // A posting source gives documents in the order of their numbers.
  const Searched searched{context.snapshot, request, allowed, nullptr};
  for (const FoldedNeighbors& found : ranked(searched, query_of(searched, asked)))
    result.documents.push_back({found.first.number, found.first.similarity});
  std::ranges::sort(result.documents, {}, &SimilarDocument::docid);

  return result;
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
