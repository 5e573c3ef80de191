#include "gpu/backend.h"

#include "config/error.h"
#include "gpu/check.h"
#include "gpu/cpu/cpu_backend.h"
#include "gpu/cpu/som_cpu.h"
#ifdef KINDRED_WITH_CUDA
#include "gpu/cuda/cuda_backend.h"
#endif
#include "gpu/som_twin.h"

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

[[noreturn]] void refuse_kind(const std::string& kind) {
  throw Error(Errc::kInvalidArgument,
              "backend \"" + kind + "\" is not known; expected auto, cpu or cuda");
}

}  // namespace

std::unique_ptr<SomTwin> make_som_twin(const SomLattice& lattice, std::uint32_t columns,
                                       const BackendOptions& options) {
  if (options.kind == "cuda")
    throw Error(Errc::kUnsupported, "maps are trained on the CPU; expected backend auto or cpu");
  if (options.kind != "auto" && options.kind != "cpu") refuse_kind(options.kind);
  return cpu::make_cpu_som(lattice, columns, options.threads);
}

std::unique_ptr<const Backend> make_backend(CsrView mirror, const TermWeighting& weighting,
                                            const BackendOptions& options, LabelView labels) {
  if (options.kind == "auto") return make_best_backend(mirror, weighting, options, labels);
  if (options.kind == "cpu") return make_cpu_backend(mirror, weighting, options.threads, labels);
  if (options.kind != "cuda") refuse_kind(options.kind);
#ifdef KINDRED_WITH_CUDA
  return make_cuda_backend(mirror, weighting, options, labels);
#else
  throw Error(Errc::kUnsupported, "this build of Kindred has no CUDA backend");
#endif
}

}  // namespace kindred
