#include "gpu/backend.h"

#include "config/error.h"
#include "gpu/check.h"
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

namespace {

/// Kind "auto": a device if one answers and has the memory, else the CPU.
std::unique_ptr<const Backend> make_best_backend(CsrView mirror, const TermWeighting& weighting,
                                                 const BackendOptions& options, LabelView labels) {
#ifdef KINDRED_WITH_CUDA
  try {
    return make_cuda_backend(mirror, weighting, options, labels);
  } catch (const Error& e) {
    if (e.code() == Errc::kInvalidArgument) throw;
    if (options.log) options.log(std::string("the CPU answers: ") + e.what());
  }
#endif
  return make_cpu_backend(mirror, weighting, options.threads, labels);
}

}  // namespace

std::unique_ptr<const Backend> make_backend(CsrView mirror, const TermWeighting& weighting,
                                            const BackendOptions& options, LabelView labels) {
  if (options.kind == "auto") return make_best_backend(mirror, weighting, options, labels);
  if (options.kind == "cpu") return make_cpu_backend(mirror, weighting, options.threads, labels);
  if (options.kind != "cuda")
    throw Error(Errc::kInvalidArgument,
                "backend \"" + options.kind + "\" is not known; expected auto, cpu or cuda");
#ifdef KINDRED_WITH_CUDA
  return make_cuda_backend(mirror, weighting, options, labels);
#else
  throw Error(Errc::kUnsupported, "this build of Kindred has no CUDA backend");
#endif
}

}  // namespace kindred
