#include "gpu/som_twin.h"

#include <cstddef>

namespace kindred {

void SomSums::add(const SomSums& other) {
  for (std::size_t i = 0; i < sum.weight.size(); ++i) sum.weight[i] += other.sum.weight[i];
  for (std::size_t u = 0; u < hits.size(); ++u) hits[u] += other.hits[u];
}

}  // namespace kindred
