#include "plugin/ranks/agreement.h"

#include <span>
#include <string_view>

#include "config/error.h"
#include "plugin/ranks/collective.h"
#include "plugin/ranks/packed.h"

namespace kindred {
namespace {

constexpr std::size_t kShownBytes = 60;  // of a value, in messages

std::string cut(const std::string& value) {
  return value.size() <= kShownBytes ? value : value.substr(0, kShownBytes) + "...";
}

}  // namespace

void check_agreement(Ranks& ranks, const SharedFacts& facts) {
  std::string own;
  for (const auto& [what, value] : facts) pack(std::span<const char>(value), own);
  const std::vector<std::string> all = gather(ranks, own);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    std::string_view bytes = all[rank];
    for (const auto& [what, value] : facts) {
      const std::vector<char> other = unpack<char>(bytes);
      const std::string found(other.begin(), other.end());
      if (found == value) continue;
      throw Error(Errc::kInvalidArgument, ranks.name(rank) + ": " + what + ": expected '" +
                                              cut(value) + "', as rank 0 has it, found '" +
                                              cut(found) + "'");
    }
  }
  broadcast(ranks, "");
}

}  // namespace kindred
