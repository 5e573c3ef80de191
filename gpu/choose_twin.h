#pragma once

#include <string>

#include "config/error.h"
#include "gpu/backend.h"

namespace kindred {

/// What options.kind asks for, made by cpu() or cuda(). "auto": by cuda() if this build can, unless
/// it throws anything but kInvalidArgument, which options.log is told; else by cpu().
/// @throws Error kInvalidArgument for a kind that is not known, else as the maker.
template <typename MakeCpu, typename MakeCuda>
auto choose_twin(const BackendOptions& options, MakeCpu&& cpu, MakeCuda&& cuda) -> decltype(cpu()) {
  if (options.kind == "cpu") return cpu();
  if (options.kind == "cuda") return cuda();
  if (options.kind != "auto")
    throw Error(Errc::kInvalidArgument,
                "backend \"" + options.kind + "\" is not known; expected auto, cpu or cuda");
#ifdef KINDRED_WITH_CUDA
  try {
    return cuda();
  } catch (const Error& e) {
    if (e.code() == Errc::kInvalidArgument) throw;
    if (options.log) options.log(std::string("the CPU answers: ") + e.what());
  }
#endif
  return cpu();
}

/// What a build without CUDA has in place of a device's maker. @throws Error kUnsupported.
[[noreturn]] inline void refuse_cuda() {
  throw Error(Errc::kUnsupported, "this build of Kindred has no CUDA backend");
}

}  // namespace kindred
