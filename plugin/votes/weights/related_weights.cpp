#include "plugin/votes/weights/related_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "config/error.h"
#include "config/settings.h"
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
  for (std::size_t term = 0; term < information.voters.size(); ++term) {
    told += units(information.voters[term] * information.divergence[term]);
    rare += units(information.voters[term] * idf[term]);
  }
  return rare > 0 ? static_cast<double>(told) / static_cast<double>(rare) : 1;
}

}  // namespace

RelatedWeights related_weights(std::string_view name) {
  const auto it = std::find(kRelatedWeightNames.begin(), kRelatedWeightNames.end(), name);
  if (it != kRelatedWeightNames.end())
    return static_cast<RelatedWeights>(it - kRelatedWeightNames.begin());
  throw Error(Errc::kInvalidArgument, "weights: expected auto, smart, idf, labels or both (got '" +
                                          std::string(name) + "')");
}

std::size_t LabelInformation::bytes() const {
  return divergence.capacity() * sizeof(double) + voters.capacity() * sizeof(std::uint32_t);
}

Packed LabelInformation::packed() const {
  std::string bytes;
  for (std::size_t term = 0; term < voters.size(); ++term) {
    put_number(bytes, voters[term]);
    if (voters[term] > 0) put_float(bytes, static_cast<float>(divergence[term]));
  }
  return pack(bytes);
}

LabelInformation LabelInformation::unpacked(std::uint64_t terms, const Packed& packed) {
  const std::string what = "what terms tell of labels";
  const std::string bytes = unpack(packed, what);
  PackedReader reader(bytes, what);
  if (terms > bytes.size()) reader.refuse("the number of terms does not fit their size");
  LabelInformation information;
  for (std::uint64_t term = 0; term < terms; ++term) {
    const std::uint64_t holders = reader.number();
    if (holders > std::numeric_limits<std::uint32_t>::max()) reader.refuse("a number is too large");
    information.voters.push_back(static_cast<std::uint32_t>(holders));
    information.divergence.push_back(holders > 0 ? reader.number_of_at_least_0() : 0);
  }
  reader.expect_end();
  return information;
}

bool LabelInformation::tells() const {
  return std::any_of(divergence.begin(), divergence.end(), [](double nats) { return nats > 0; });
}

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

std::vector<double> related_term_weights(RelatedWeights kind, const std::vector<double>& idf,
                                         const LabelInformation& information) {
  if (kind == RelatedWeights::kSmart) return idf;
  std::vector<double> weights(idf.size());
  std::transform(idf.begin(), idf.end(), weights.begin(),
                 [](double nats) { return std::sqrt(std::max(nats, 0.0)); });
  if (kind == RelatedWeights::kIdf) return weights;
  const double scale = scale_of_idf(idf, information);
  for (std::size_t term = 0; term < idf.size(); ++term) {
    const bool known = term < information.voters.size();
    const double voters = known ? information.voters[term] : 0;
    const double told = known ? voters * information.divergence[term] : 0;
    const double of_labels = std::sqrt((told + kVotersOfIdf * scale * std::max(idf[term], 0.0)) /
                                       (voters + kVotersOfIdf));
    weights[term] =
        kind == RelatedWeights::kBoth ? std::sqrt(weights[term] * of_labels) : of_labels;
  }
  return weights;
}

}  // namespace kindred
