#include "plugin/ranks/ranks.h"

#include "config/error.h"

namespace kindred {

Ranks::~Ranks() = default;

void Ranks::tell(const std::string& /*doing*/) {}

std::string Ranks::name(std::size_t rank) const { return "rank " + std::to_string(rank); }

void LoneRank::send(std::size_t /*to*/, std::uint64_t /*channel*/, std::string /*bytes*/) {
  throw Error(Errc::kInternal, "the only rank has nobody to send to");
}

RankMessage LoneRank::receive(std::uint64_t /*channel*/) {
  throw Error(Errc::kInternal, "the only rank has nobody to receive from");
}

}  // namespace kindred
