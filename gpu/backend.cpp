#include "gpu/backend.h"

#include "gpu/check.h"

namespace kindred {

std::vector<Neighbor> Backend::nearest(const Queries& queries, std::size_t k,
                                       const RowBits* allowed) const {
  std::vector<Neighbor> neighbors(answer_size(queries.rows(), k, sizeof(Neighbor)));
  nearest(queries.view(), k, allowed, neighbors);
  return neighbors;
}

}  // namespace kindred
