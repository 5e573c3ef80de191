#include "gpu/backend.h"

#include "config/error.h"
#include "gpu/cpu/cpu_backend.h"

namespace kindred {

std::unique_ptr<const Backend> make_backend(CsrView mirror, const TermWeighting& weighting,
                                            const BackendOptions& options) {
  if (options.kind == "cuda")
    throw Error(Errc::kUnsupported, "this build of Kindred has no CUDA backend");
  if (options.kind != "cpu" && options.kind != "auto")
    throw Error(Errc::kInvalidArgument,
                "backend \"" + options.kind + "\" is not known; expected auto, cpu or cuda");
  return make_cpu_backend(mirror, weighting, options.threads);
}

}  // namespace kindred
