#include "plugin/classify/geometry_measurement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/scoring.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::uint32_t kMostLabels = 8192;  // matrices of pairs of labels still fit any memory
constexpr std::uint32_t kMeasuredAtOnce =
    1000;                                  // documents whose neighbors are asked for at a time
constexpr std::size_t kFirstPortion = 64;  // of these

using Matrix = std::vector<std::vector<double>>;

class Measurement {
 public:
  Measurement(const Snapshot& snapshot, const DocumentProgress& on_progress, const Pulse& pulse)
      : snapshot_(snapshot),
        on_progress_(on_progress),
        pulse_(pulse),
        mirror_(snapshot.mirror()),
        list_(*mirror_.list),
        rank_(mirror_.labels.ranks()),
        labels_(static_cast<std::uint32_t>(mirror_.labels.order.size())),
        dot_(labels_, std::vector<double>(labels_)),
        shared_(labels_, std::vector<double>(labels_)) {
    static_cast<Origin&>(result_) = mirror_.origin();
    for (const std::uint32_t label : mirror_.labels.order)
      result_.labels.emplace_back(mirror_.labels.names[label]);
    result_.documents.resize(labels_);
  }

  api::GeometryAnswer run() {
    // Each step needs those before it: lengths, then counts, sums, distances.
    measure_lengths();
    count_documents();
    multiply_sums();
    fill_distances();
    find_nearest();
    return std::move(result_);
  }

 private:
  double weight(std::uint32_t term, std::uint16_t count) const {
    return snapshot_.weighting().tf[count] * snapshot_.weighting().idf[term];
  }

  void measure_lengths() {
    length_.resize(list_.places());
    for (std::uint32_t place = 0; place < length_.size(); ++place) {
      pulse_();
      const RowEntries own = list_[place];
      length_[place] = euclidean_length(own.size(), [&](std::size_t i) {
        return weight(own.columns[i], own.counts[i]);
      });
    }
  }

  /// Counts the documents of each label, and of each pair of labels.
  void count_documents() {
    for (std::uint32_t place = 0; place < length_.size(); ++place) {
      pulse_();
      if (!(length_[place] > 0)) continue;
      for (const std::uint32_t a : list_.labels_at(place)) {
        ++result_.documents[rank_[a]];
        for (const std::uint32_t b : list_.labels_at(place)) ++shared_[rank_[a]][rank_[b]];
      }
    }
  }

  /// dot_[a][b] = the dot product of the labels' sums of unit vectors, one term at a time.
  void multiply_sums() {
    // By term, so that the sums of all labels need not be in memory. Sums are made in the order of
    // terms and documents, so every run has the same bits.
    const Csr lists = transpose(list_);
    std::vector<double> sum(labels_);
    std::vector<std::uint32_t> touched;

    for (const std::uint32_t term : terms_in_order(mirror_)) {
      pulse_();
      touched.clear();
      for (std::uint64_t i = lists.row_begin[term]; i < lists.row_begin[term + 1]; ++i) {
        const std::uint32_t place = lists.column[i];
        const double w = weight(term, lists.count[i]);
        if (!(w > 0)) continue;

        for (const std::uint32_t label : list_.labels_at(place)) {
          double& of_label = sum[rank_[label]];
          if (of_label == 0) touched.push_back(rank_[label]);
          of_label += w / length_[place];
        }
      }

      // Most terms are in documents of few labels, so only the labels that were touched are
      // multiplied and cleared.
      for (const std::uint32_t a : touched) {
        for (const std::uint32_t b : touched) dot_[a][b] += sum[a] * sum[b];
      }
      for (const std::uint32_t label : touched) sum[label] = 0;
    }
  }

  /// The mean of d^2 over the pairs of documents of a and b. A document is not paired with itself.
  double mean_square_distance(std::uint32_t a, std::uint32_t b) const {
    // A document with both labels would be a pair with itself, at distance 0: such pairs are taken
    // off.
    const auto in_a = static_cast<double>(result_.documents[a]);
    const auto in_b = static_cast<double>(result_.documents[b]);
    const double pairs = in_a * in_b - shared_[a][b];
    if (!(pairs > 0)) return std::numeric_limits<double>::quiet_NaN();

    return std::clamp(2 - 2 * (dot_[a][b] - shared_[a][b]) / pairs, 0.0, 2.0);
  }

  void fill_distances() {
    double between = 0;
    double inside = 0;
    double pairs_between = 0;
    double pairs_inside = 0;
    result_.mean_square_distance.assign(labels_, std::vector<double>(labels_));
    for (std::uint32_t a = 0; a < labels_; ++a) {
      pulse_();
      for (std::uint32_t b = 0; b < labels_; ++b) {
        const double distance = mean_square_distance(a, b);
        result_.mean_square_distance[a][b] = distance;

        if (std::isnan(distance)) continue;
        if (a == b) {
          inside += distance;
          pairs_inside += 1;
        } else {
          between += distance;
          pairs_between += 1;
        }
      }
    }

    result_.inter = between / pairs_between;
    result_.intra = inside / pairs_inside;
    result_.informativeness = result_.inter / result_.intra;
  }

  void find_nearest() {
    result_.nearest.assign(labels_, std::vector<std::uint64_t>(labels_ + 1));

    // Documents without a direction are near to nothing.
    std::vector<Xapian::docid> docids = mirror_.labeled.numbers();
    std::erase_if(docids, [&](auto docid) {
      return !(length_[list_.place_of(docid)] > 0);
    });

    for (std::size_t begin = 0; begin < docids.size(); begin += kMeasuredAtOnce) {
      const auto batch = std::span(docids).subspan(
          begin, std::min<std::size_t>(kMeasuredAtOnce, docids.size() - begin));

      // Two neighbors each, because the nearest is mostly the document itself.
      Queries queries;
      for (const Xapian::docid docid : batch)
        snapshot_.weigh_document(docid, snapshot_.weighting(), queries);

      std::vector<Neighbor> found(2 * batch.size());
      in_portions(batch.size(), kFirstPortion, pulse_, [&](std::size_t first, std::size_t end) {
        snapshot_.backend().nearest(queries.view().part(first, end - first), 2, &mirror_.labeled,
                                    std::span(found).subspan(2 * first, 2 * (end - first)));
      });

      for (std::size_t i = 0; i < batch.size(); ++i) {
        pulse_();
        count_nearest(batch[i], found[2 * i].number != batch[i] ? found[2 * i] : found[2 * i + 1]);
      }

      report_progress(begin + batch.size(), docids.size());
    }
  }

  void count_nearest(Xapian::docid docid, const Neighbor& neighbor) {
    const bool is_none = neighbor.number == kNoDocument;

    // Where the neighbor has the label, too, it agrees; else it speaks for each label that it has.
    const auto theirs = mirror_.labels_of(neighbor.number);

    for (const std::uint32_t own : mirror_.labels_of(docid)) {
      std::vector<std::uint64_t>& columns = result_.nearest[rank_[own]];
      if (is_none) {
        ++columns[labels_];
      } else if (std::binary_search(theirs.begin(), theirs.end(), own)) {
        ++columns[rank_[own]];
      } else {
        for (const std::uint32_t other : theirs) ++columns[rank_[other]];
      }
    }
  }

  void report_progress(std::size_t measured, std::size_t all) const {
    if (!on_progress_ || on_progress_(measured, all)) return;
    throw Error(Errc::kCanceled, "class geometry: canceled after " + std::to_string(measured) +
                                     " of " + std::to_string(all) + " documents");
  }

  const Snapshot& snapshot_;
  const DocumentProgress& on_progress_;
  const Pulse& pulse_;
  const Mirror& mirror_;
  const SegmentList& list_;
  const std::vector<std::uint32_t> rank_;  // of each label, its row and column in the answer
  const std::uint32_t labels_;
  Matrix dot_;
  Matrix shared_;
  std::vector<double> length_;  // by place; 0: the document has no direction
  api::GeometryAnswer result_;
};

}  // namespace

api::GeometryAnswer measure_class_geometry(const Snapshot& snapshot,
                                           const DocumentProgress& on_progress,
                                           const Pulse& pulse) {
  const std::size_t labels = snapshot.mirror().labels.order.size();
  if (labels > kMostLabels)
    throw Error(Errc::kUnsupported, "class geometry: there are " + std::to_string(labels) +
                                        " labels; expected at most 8192");
  return Measurement(snapshot, on_progress, pulse).run();
}

}  // namespace kindred
