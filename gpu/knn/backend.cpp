#include "gpu/knn/backend.h"

#include "gpu/knn/check.h"

namespace kindred {

std::vector<Neighbor> Backend::nearest(const Queries& queries, std::size_t k,
                                       const RowSet* allowed) const {
  std::vector<Neighbor> neighbors(answer_size(queries.rows(), k, sizeof(Neighbor)));
  nearest(queries.view(), k, allowed, neighbors);
  return neighbors;
}

AnswerRoom Backend::make_room(std::size_t neighbors) const {
  return std::make_shared<Neighbor[]>(neighbors);
}

}  // namespace kindred
