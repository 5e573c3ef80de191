#include "plugin/votes/voting_model.h"

#include <cmath>
#include <map>
#include <string>

#include "plugin/mirror/weighting_tables.h"
#include "plugin/votes/supervised_weights.h"

namespace kindred {
namespace {

/// Term weights as the tuning says, computed from the current labels.
TermWeighting tuned_weighting(const Mirror& mirror, const Voters& voters, const Tuning& tuning,
                              std::size_t threads) {
  TermWeighting weighting = weighting_tables(mirror, tuning.smart);
  weighting.idf = weights_of_kind(tuning.method.term_weights, tuning.method.keep_terms, voters,
                                  mirror.labels.names.size(), weighting.idf, threads);
  for (const auto& [term, correction] : tuning.corrections) {
    if (const auto column = mirror.vocabulary.find(term))
      weighting.idf[*column] *= std::exp(correction);
  }
  return weighting;
}

std::vector<double> thresholds_of(const Mirror& mirror, const Tuning& tuning) {
  std::vector<double> thresholds;
  if (tuning.method.cut != CutKind::kScut && tuning.method.cut != CutKind::kProportional)
    return thresholds;
  for (std::uint32_t label = 0; label < mirror.labels.names.size(); ++label) {
    const auto known = tuning.thresholds.find(std::string(mirror.labels.names[label]));
    thresholds.push_back(known == tuning.thresholds.end() ? tuning.other_threshold : known->second);
  }
  return thresholds;
}

/// Each node has three pointers and a color besides its value.
std::size_t bytes_of(const std::map<std::string, double>& values) {
  using Entry = std::map<std::string, double>::value_type;
  std::size_t bytes = values.size() * (sizeof(Entry) + 4 * sizeof(void*));
  const std::size_t inside = std::string().capacity();
  for (const auto& [name, value] : values)
    bytes += name.capacity() > inside ? name.capacity() + 1 : 0;
  return bytes;
}

}  // namespace

std::size_t main_memory_of(const Backend& backend) {
  const BackendInfo info = backend.info();
  return info.kind == "cpu" ? info.bytes : 0;
}

std::unique_ptr<const Backend> reweighted(const Backend& backend, const Mirror& mirror,
                                          const TermWeighting& weighting) {
  MirrorChange nothing;
  nothing.added.columns = mirror.counts.columns();
  return backend.refreshed(nothing, weighting);
}

VotingModel::VotingModel(const Mirror& mirror, const TermWeighting& weighting,
                         const Backend& backend, std::optional<Tuning> tuning,
                         const RowSet* matching, std::size_t threads)
    : mirror_(mirror),
      weighting_(weighting),
      backend_(backend),
      tuning_(std::move(tuning)),
      threads_(threads),
      voters_(mirror.labeled) {
  if (!tuning_) return;
  if (matching != nullptr) voters_ &= *matching;
  thresholds_ = thresholds_of(mirror, *tuning_);
  const Csr postings = transpose(mirror.counts.view());
  own_weighting_ =
      tuned_weighting(mirror, {postings.view(), mirror.labels.view(), voters_}, *tuning_, threads);
  own_backend_ = reweighted(backend, mirror, *own_weighting_);
}

const ClassSums& VotingModel::class_sums() const {
  std::call_once(summed_, [this] {
    sums_ = std::make_unique<ClassSums>(class_sums_of(voters_));
    sums_bytes_ = sums_->bytes();
  });
  return *sums_;
}

ClassSums VotingModel::class_sums_of(const RowSet& voters) const {
  const Csr postings = transpose(mirror_.counts);
  return ClassSums(mirror_.counts, {postings.view(), mirror_.labels.view(), voters}, weighting(),
                   mirror_.labels.names.size(), threads_);
}

std::size_t VotingModel::bytes() const {
  std::size_t bytes = voters_.bytes() + thresholds_.capacity() * sizeof(double) + sums_bytes_;
  if (tuning_) bytes += bytes_of(tuning_->corrections) + bytes_of(tuning_->thresholds);
  if (own_weighting_)
    bytes += (own_weighting_->idf.capacity() + own_weighting_->tf.capacity()) * sizeof(double);
  if (own_backend_) bytes += main_memory_of(*own_backend_);
  return bytes;
}

}  // namespace kindred
