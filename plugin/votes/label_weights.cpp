#include "plugin/votes/label_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::uint32_t kTermsAtOnce = 512;
constexpr double kVotersOfIdf = 5;         // idf counts like the word of this many voters
constexpr double kUnitsInNat = 1U << 20U;  // sums of integers do not depend on their order

/// The mass of each label over all voters: n(l).
struct LabelMass {
  std::vector<double> of_label;
  double total = 0;
};

LabelMass measure_mass(const Voters& voters, std::uint32_t label_count) {
  LabelMass mass{std::vector<double>(label_count, 0)};
  for (const std::uint32_t place : voters.mirror().places_in_order()) {
    if (!voters.votes(place)) continue;

    const auto labels = voters.mirror().labels_at(place);
    for (const std::uint32_t label : labels)
      mass.of_label[label] += 1.0 / static_cast<double>(labels.size());
  }

  mass.total = std::accumulate(mass.of_label.begin(), mass.of_label.end(), 0.0);
  return mass;
}

/// The mass of each label over the voters that hold one term: c(t,l). Reused from term to term.
class TermMass {
 public:
  explicit TermMass(std::uint32_t label_count) : of_label_(label_count, 0) {}

  void measure(const Voters& voters, std::span<const std::uint32_t> places) {
    for (const std::uint32_t label : present_) of_label_[label] = 0;
    present_.clear();
    documents_ = 0;

    for (const std::uint32_t place : places)
      if (voters.votes(place)) add(voters.mirror().labels_at(place));
    std::sort(present_.begin(), present_.end());
  }

  std::uint32_t documents() const { return documents_; }

  /// A label that none of these voters has gets q = p / (c + 1), so the sum over such labels has a
  /// closed form.
  double divergence(const LabelMass& mass) const {
    if (documents_ < 2) return 0;

    const double held = documents_;
    double sum = 0;
    double rest = 1;
    for (const std::uint32_t label : present_) {
      const double p = mass.of_label[label] / mass.total;
      const double q = (of_label_[label] + p) / (held + 1);
      sum += q * std::log(q / p);
      rest -= p;
    }

    sum -= std::max(rest, 0.0) / (held + 1) * std::log(held + 1);
    return std::max(sum, 0.0);
  }

 private:
  void add(std::span<const std::uint32_t> labels) {
    ++documents_;
    for (const std::uint32_t label : labels) {
      if (of_label_[label] == 0) present_.push_back(label);
      of_label_[label] += 1.0 / static_cast<double>(labels.size());
    }
  }

  std::vector<double> of_label_;
  std::vector<std::uint32_t> present_;  // labels with a mass, ascending
  std::uint32_t documents_ = 0;
};

/// (sum of d KL) / (sum of d idf)
double scale_of_idf(const std::vector<double>& idf, const LabelInformation& information) {
  const auto units = [](double nats) {
    return std::llround(nats * kUnitsInNat);
  };
  std::int64_t learned = 0;
  std::int64_t rare = 0;
  for (std::size_t term = 0; term < idf.size(); ++term) {
    learned += units(information.voters[term] * information.divergence[term]);
    rare += units(information.voters[term] * idf[term]);
  }

  if (rare <= 0) return 1;
  return static_cast<double>(learned) / static_cast<double>(rare);
}

}  // namespace

LabelInformation label_information(const Voters& voters, std::uint32_t label_count,
                                   std::size_t threads, const Pulse& pulse) {
  const CsrView& lists = voters.postings;
  const LabelMass mass = measure_mass(voters, label_count);
  LabelInformation information{std::vector<double>(lists.rows),
                               std::vector<std::uint32_t>(lists.rows)};

  // Each thread has sums for one term, which it uses for one after the other.
  for_each_chunk(lists.rows, kTermsAtOnce, threads, [&](std::uint32_t begin, std::uint32_t end) {
    TermMass held(label_count);
    for (std::uint32_t term = begin; term < end; ++term) {
      pulse();
      held.measure(voters, {lists.column + lists.row_begin[term],
                            lists.column + lists.row_begin[term + std::size_t{1}]});
      information.divergence[term] = held.divergence(mass);
      information.voters[term] = held.documents();
    }
  });
  return information;
}

std::vector<double> label_weights(const std::vector<double>& idf,
                                  const LabelInformation& information) {
  std::vector<double> weights(idf.size());
  std::ranges::transform(idf, weights.begin(), [](double nats) {
    return std::sqrt(std::max(nats, 0.0));
  });
  if (std::ranges::none_of(information.divergence, [](double nats) {
        return nats > 0;
      }))
    return weights;

  // What a term tells, and how rare it is, count for as many voters as the formula says.
  const double scale = scale_of_idf(idf, information);
  for (std::size_t term = 0; term < idf.size(); ++term) {
    const double voters = information.voters[term];
    const double learned = voters * information.divergence[term];

    const double of_labels = std::sqrt((learned + kVotersOfIdf * scale * std::max(idf[term], 0.0)) /
                                       (voters + kVotersOfIdf));
    weights[term] = std::sqrt(weights[term] * of_labels);
  }
  return weights;
}

}  // namespace kindred
