#include "plugin/tuning.h"

#include <algorithm>
#include <array>

#include "config/error.h"

namespace kindred {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"idf", "kl", "gain", "chi2", "learned"};

}  // namespace

std::string_view term_weight_name(TermWeightKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

TermWeightKind term_weight_kind(std::string_view name) {
  const auto it = std::find(kNames.begin(), kNames.end(), name);
  if (it != kNames.end()) return static_cast<TermWeightKind>(it - kNames.begin());
  throw Error(
      Errc::kInvalidArgument,
      "term weights: expected idf, kl, gain, chi2 or learned (got '" + std::string(name) + "')");
}

}  // namespace kindred
