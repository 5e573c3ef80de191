#include "gpu/cuda/device/primary_context.cuh"

#include <cudaTypedefs.h>

#include <mutex>
#include <set>
#include <string>

#include "config/error.h"

namespace kindred::cuda {
namespace {

/// A function of the driver, which the runtime has loaded. A library that is linked with the driver
/// would not load on a machine without one.
template <typename Function>
Function find(const char* name) {
  constexpr unsigned kVersion = 12000;  // whose functions have the types below
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  cuda_check(cudaGetDriverEntryPointByVersion(name, &function, kVersion, cudaEnableDefault, &found),
             name);
#else
  static_cast<void>(kVersion);
  cuda_check(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found), name);
#endif
  if (function == nullptr || found != cudaDriverEntryPointSuccess)
    throw Error(Errc::kUnsupported, std::string("CUDA: the driver has no ") + name);
  return reinterpret_cast<Function>(function);
}

struct Driver {
  PFN_cuDeviceGet_v2000 get = find<PFN_cuDeviceGet_v2000>("cuDeviceGet");
  PFN_cuDevicePrimaryCtxRetain_v7000 retain =
      find<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
  PFN_cuDevicePrimaryCtxRelease_v11000 release =
      find<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease");
  PFN_cuCtxPushCurrent_v4000 push = find<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent");
  PFN_cuCtxPopCurrent_v4000 pop = find<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent");
};

/// Set up when the first context is made. @throws Error kUnsupported, kDevice.
const Driver& driver() {
  static const Driver all;
  return all;
}

/// The runtime numbers a status as the driver does.
cudaError_t status(CUresult result) { return static_cast<cudaError_t>(result); }

CUcontext retain(CUdevice device) {
  CUcontext context = nullptr;
  cuda_check(status(driver().retain(&context, device)), "choosing the device");
  return context;
}

/// Keeps a context until the process ends, as the runtime keeps its own. Making one again would
/// take a tenth of a second.
void keep(CUdevice device) {
  static std::mutex mutex;
  static std::set<CUdevice> kept;
  const std::lock_guard lock(mutex);
  if (kept.contains(device)) return;
  retain(device);
  kept.insert(device);
}

}  // namespace

PrimaryContext::PrimaryContext(int ordinal) {
  cuda_check(status(driver().get(&device_, ordinal)), "choosing the device");
  keep(device_);
  context_ = retain(device_);
}

PrimaryContext::~PrimaryContext() { static_cast<void>(driver().release(device_)); }

cudaError_t PrimaryContext::enter() const noexcept { return status(driver().push(context_)); }

void PrimaryContext::leave() noexcept {
  CUcontext left = nullptr;
  static_cast<void>(driver().pop(&left));
}

}  // namespace kindred::cuda
