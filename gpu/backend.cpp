#include "gpu/backend.h"

#include "gpu/check.h"
#include "gpu/choose_twin.h"
#include "gpu/cpu/cpu_backend.h"
#ifdef KINDRED_WITH_CUDA
#include "gpu/cuda/cuda_backend.h"
#endif

namespace kindred {

std::vector<Neighbor> Backend::nearest(const Queries& queries, std::size_t k,
                                       const RowBits* allowed) const {
  std::vector<Neighbor> neighbors(answer_size(queries.rows(), k, sizeof(Neighbor)));
  nearest(queries.view(), k, allowed, neighbors);
  return neighbors;
}

std::unique_ptr<const Backend> make_backend(CsrView mirror, const TermWeighting& weighting,
                                            const BackendOptions& options, LabelView labels) {
  return choose_twin(
      options, [&] { return make_cpu_backend(mirror, weighting, options.threads, labels); },
      [&]() -> std::unique_ptr<const Backend> {
#ifdef KINDRED_WITH_CUDA
        return make_cuda_backend(mirror, weighting, options, labels);
#else
        refuse_cuda();
#endif
      });
}

}  // namespace kindred
