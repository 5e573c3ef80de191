#include "plugin/votes/weights/label_weights.h"

#include <algorithm>
#include <cmath>

#include "gpu/workers.h"
#include "plugin/votes/weights/supervised_weights.h"

namespace kindred {
namespace {

constexpr std::uint32_t kTermsAtOnce = 512;
constexpr double kVotersOfIdf = 5;         // idf counts like the word of this many voters
constexpr double kUnitsInNat = 1U << 20U;  // sums of integers do not depend on their order

/// (sum of d KL) / (sum of d idf)
double scale_of_idf(const std::vector<double>& idf, const LabelInformation& information) {
  const auto units = [](double nats) { return std::llround(nats * kUnitsInNat); };
  std::int64_t told = 0, rare = 0;
  for (std::size_t term = 0; term < idf.size(); ++term) {
    told += units(information.voters[term] * information.divergence[term]);
    rare += units(information.voters[term] * idf[term]);
  }
  return rare > 0 ? static_cast<double>(told) / static_cast<double>(rare) : 1;
}

}  // namespace

LabelInformation label_information(const Voters& voters, std::uint32_t label_count,
                                   std::size_t threads) {
  const CsrView& lists = voters.postings;
  LabelInformation information;
  information.divergence = score_terms(TermScore::kDivergence, voters, label_count, threads);
  for (double& root : information.divergence) root *= root;
  information.voters.resize(lists.rows);
  for_each_chunk(lists.rows, kTermsAtOnce, threads, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t term = begin; term < end; ++term) {
      information.voters[term] = static_cast<std::uint32_t>(std::count_if(
          lists.column + lists.row_begin[term], lists.column + lists.row_begin[term + 1],
          [&](std::uint32_t row) { return voters.votes(row); }));
    }
  });
  return information;
}

std::vector<double> roots_of_idf(const std::vector<double>& idf) {
  std::vector<double> roots(idf.size());
  std::ranges::transform(idf, roots.begin(),
                         [](double nats) { return std::sqrt(std::max(nats, 0.0)); });
  return roots;
}

std::vector<double> label_weights(const std::vector<double>& idf,
                                  const LabelInformation& information) {
  if (std::ranges::none_of(information.divergence, [](double nats) { return nats > 0; }))
    return roots_of_idf(idf);
  const double scale = scale_of_idf(idf, information);
  std::vector<double> weights = roots_of_idf(idf);
  for (std::size_t term = 0; term < idf.size(); ++term) {
    const double voters = information.voters[term];
    const double told = voters * information.divergence[term];
    const double of_labels = std::sqrt((told + kVotersOfIdf * scale * std::max(idf[term], 0.0)) /
                                       (voters + kVotersOfIdf));
    weights[term] = std::sqrt(weights[term] * of_labels);
  }
  return weights;
}

}  // namespace kindred
