#include "gpu/cuda/device/device.cuh"

#include <cudaTypedefs.h>

#include <algorithm>

#include "config/error.h"
#include "gpu/knn/backend.h"

namespace kindred {

int count_cuda_devices() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess) return devices;
  cuda::ignore_status(status);

  // Without any driver there is hardly a GPU, so a driver that is too old would be a wrong track.
  int version = 0;
  cuda::ignore_status(cudaDriverGetVersion(&version));
  if (version == 0) throw Error(Errc::kUnsupported, "there is no NVIDIA GPU to use");
  throw Error(Errc::kUnsupported,
              std::string("no CUDA device answers: ") + cudaGetErrorString(status));
}

void start_cuda_device(int ordinal) { const cuda::Device started(ordinal, 0); }

namespace cuda {
namespace {

std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + 999999) / 1000000) + " MB";
}

/// Asked for once per process, since the call takes milliseconds.
const cudaDeviceProp& properties_of(int ordinal) {
  static std::mutex mutex;
  static std::map<int, cudaDeviceProp> all;

  // The lock is held during the call, too: threads that come first together would all make it.
  const std::lock_guard lock(mutex);
  const auto known = all.find(ordinal);
  if (known != all.end()) return known->second;

  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, ordinal), "device properties");
  return all.emplace(ordinal, properties).first->second;
}

constexpr const char* kContextLost =
    ". The CUDA context of this process is lost: nothing in it can use the device again until the "
    "process is started anew. With backend.kind = \"auto\" the CPU answers meanwhile";

/// True if whatever is asked of the device next ends in the same error: CUDA says so of errors that
/// leave a context unusable.
bool repeats(cudaError_t status) {
  std::size_t free = 0;
  std::size_t total = 0;
  const cudaError_t again = cudaMemGetInfo(&free, &total);
  ignore_status(again);
  return again == status;
}

/// Returns `ordinal`. @throws Error kUnsupported if there is no such device.
int found_device(int ordinal) {
  const int devices = count_cuda_devices();
  if (ordinal < 0 || ordinal >= devices)
    throw Error(Errc::kUnsupported, "there is no CUDA device " + std::to_string(ordinal) +
                                        "; found " + std::to_string(devices));
  return ordinal;
}

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

  // The driver may answer without an error that it does not have the function.
  if (function == nullptr || found != cudaDriverEntryPointSuccess)
    throw Error(Errc::kUnsupported, std::string("CUDA: the driver has no ") + name);
  return reinterpret_cast<Function>(function);
}

struct Driver {
  PFN_cuDeviceGet_v2000 get = find<PFN_cuDeviceGet_v2000>("cuDeviceGet");
  PFN_cuDevicePrimaryCtxRetain_v7000 retain =
      find<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
  PFN_cuCtxPushCurrent_v4000 push = find<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent");
  PFN_cuCtxPopCurrent_v4000 pop = find<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent");
};

/// Set up when the first device is. @throws Error kUnsupported, kDevice.
const Driver& driver() {
  static const Driver all;
  return all;
}

/// The runtime numbers a status as the driver does.
cudaError_t status_of(CUresult result) { return static_cast<cudaError_t>(result); }

/// A device's primary context, which then stays until the process ends, as the runtime's own do.
/// Making it again would take a tenth of a second.
CUcontext retained_context(int ordinal) {
  CUdevice device = 0;
  CUcontext context = nullptr;
  cuda_check(status_of(driver().get(&device, ordinal)), "choosing the device");
  cuda_check(status_of(driver().retain(&context, device)), "choosing the device");
  return context;
}

}  // namespace

void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  ignore_status(status);

  // A host treats two kinds of errors in their own way: memory that is short, and a build without
  // code for the device. All others mean that the device failed.
  Errc code = Errc::kDevice;
  if (status == cudaErrorMemoryAllocation) code = Errc::kOutOfMemory;
  if (status == cudaErrorNoKernelImageForDevice) code = Errc::kUnsupported;

  // Only a failed device may have lost the context, and asking it again is all that shows that.
  std::string fault = std::string("CUDA: ") + what + ": " + cudaGetErrorString(status);
  if (code == Errc::kDevice && repeats(status)) fault += kContextLost;
  throw Error(code, fault);
}

Device::Device(int ordinal, std::size_t budget)
    : ordinal_(found_device(ordinal)), context_(retained_context(ordinal)), budget_(budget) {
  const cudaDeviceProp& properties = properties_of(ordinal);
  name_ = properties.name;
  major_ = properties.major;
  minor_ = properties.minor;
  multiprocessors_ = properties.multiProcessorCount;
  shared_per_block_ = properties.sharedMemPerBlockOptin;
  shared_per_multiprocessor_ = properties.sharedMemPerMultiprocessor;

  // The pool and the stream belong to the device that is current when they are made.
  const DeviceScope scope(*this);
  pool_ = one_per_device<MemoryPool>(ordinal, ordinal);
  stream_.emplace();
}

Device::~Device() {
  const DeviceScope scope(*this, std::nothrow);
  stream_.reset();
  pool_.reset();
}

cudaError_t Device::enter() const noexcept { return status_of(driver().push(context_)); }

void Device::leave() noexcept {
  CUcontext left = nullptr;
  static_cast<void>(driver().pop(&left));
}

std::string Device::compute_capability() const {
  return std::to_string(major_) + "." + std::to_string(minor_);
}

bool Device::lets_read(const Device& other) const {
  if (other.ordinal_ == ordinal_) return true;

  int can_read = 0;
  cuda_check(cudaDeviceCanAccessPeer(&can_read, other.ordinal_, ordinal_), "access to a device");
  if (can_read == 0) return false;

  // Memory of a pool can be read by its own device alone, unless the pool itself is opened.
  cudaMemAccessDesc access{};
  access.location = {cudaMemLocationTypeDevice, other.ordinal_};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  cuda_check(cudaMemPoolSetAccess(*pool_, &access, 1), "access to a device");
  return true;
}

void* Device::allocate(std::size_t bytes) {
  // Counted before it is taken, so that threads together do not exceed the budget.
  const std::size_t used = used_.fetch_add(bytes) + bytes;

  // What is refused does not count any more.
  const auto refuse = [&](std::size_t limit, const char* limited_by) {
    used_.fetch_sub(bytes);
    throw Error(Errc::kOutOfMemory, name_ + ": " + megabytes(used) + " are needed, " +
                                        megabytes(used - std::min(used, limit)) + " more than " +
                                        limited_by + " (" + megabytes(limit) + ")");
  };

  if (budget_ > 0 && used > budget_) refuse(budget_, "backend.memory_mb allows");

  // The stream is waited for, since whoever gets the memory may use it on another stream.
  void* memory = nullptr;
  cudaError_t status = cudaMallocFromPoolAsync(&memory, bytes, *pool_, *stream_);
  if (status == cudaSuccess) status = cudaStreamSynchronize(*stream_);

  // Where memory is short, the message says by how much. `used` counts these bytes already.
  if (status == cudaErrorMemoryAllocation) {
    ignore_status(status);
    std::size_t free = 0;
    std::size_t total = 0;
    ignore_status(cudaMemGetInfo(&free, &total));
    refuse(used - bytes + free, "the device has");
  }

  if (status != cudaSuccess) used_.fetch_sub(bytes);
  cuda_check(status, "allocation");
  return memory;
}

void Device::release(void* pointer, std::size_t bytes) noexcept {
  used_.fetch_sub(bytes);
  const DeviceScope scope(*this, std::nothrow);
  if (scope.entered()) ignore_status(cudaFreeAsync(pointer, *stream_));
}

MemoryPool::MemoryPool(int ordinal) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location = {cudaMemLocationTypeDevice, ordinal};
  cuda_check(cudaMemPoolCreate(&pool_, &properties), "memory pool");

  // What is freed stays in the pool: without this, a synchronization would give it back to the
  // system.
  std::uint64_t keep = UINT64_MAX;
  const cudaError_t status = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep);
  if (status == cudaSuccess) return;
  ignore_status(cudaMemPoolDestroy(pool_));
  cuda_check(status, "memory pool");
}

}  // namespace cuda
}  // namespace kindred
