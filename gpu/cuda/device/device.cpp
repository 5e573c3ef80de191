#include "gpu/cuda/device/device.cuh"

#include <algorithm>

#include "config/error.h"
#include "gpu/knn/backend.h"

namespace kindred {

int count_cuda_devices() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess) return devices;
  cuda::ignore_status(status);
  throw Error(Errc::kUnsupported,
              std::string("no CUDA device answers: ") + cudaGetErrorString(status));
}

namespace cuda {
namespace {

std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + 999999) / 1000000) + " MB";
}

/// Asked for once per process, since the call takes milliseconds.
const cudaDeviceProp& properties_of(int ordinal) {
  static std::mutex mutex;
  static std::map<int, cudaDeviceProp> all;
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
  std::size_t free = 0, total = 0;
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

}  // namespace

void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  ignore_status(status);
  Errc code = Errc::kDevice;
  if (status == cudaErrorMemoryAllocation) code = Errc::kOutOfMemory;
  if (status == cudaErrorNoKernelImageForDevice) code = Errc::kUnsupported;
  throw Error(code, std::string("CUDA: ") + what + ": " + cudaGetErrorString(status) +
                        (code == Errc::kDevice && repeats(status) ? kContextLost : ""));
}

Device::Device(int ordinal, std::size_t budget)
    : ordinal_(found_device(ordinal)), context_(ordinal), budget_(budget) {
  const cudaDeviceProp& properties = properties_of(ordinal);
  name_ = properties.name;
  major_ = properties.major, minor_ = properties.minor;
  multiprocessors_ = properties.multiProcessorCount;
  shared_per_block_ = properties.sharedMemPerBlockOptin;
  shared_per_multiprocessor_ = properties.sharedMemPerMultiprocessor;
  const DeviceScope scope(*this);
  pool_ = MemoryPool::of(ordinal);
  stream_.emplace();
}

Device::~Device() {
  const DeviceScope scope(*this, std::nothrow);
  stream_.reset();
  pool_.reset();
}

std::string Device::compute_capability() const {
  return std::to_string(major_) + "." + std::to_string(minor_);
}

bool Device::lets_read(const Device& other) const {
  if (other.ordinal_ == ordinal_) return true;
  int can_read = 0;
  cuda_check(cudaDeviceCanAccessPeer(&can_read, other.ordinal_, ordinal_), "access to a device");
  if (can_read == 0) return false;
  cudaMemAccessDesc access{};
  access.location = {cudaMemLocationTypeDevice, other.ordinal_};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  cuda_check(cudaMemPoolSetAccess(*pool_, &access, 1), "access to a device");
  return true;
}

void* Device::allocate(std::size_t bytes) {
  const std::size_t used = used_.fetch_add(bytes) + bytes;
  const auto refuse = [&](std::size_t limit, const char* limited_by) {
    used_.fetch_sub(bytes);
    throw Error(Errc::kOutOfMemory, name_ + ": " + megabytes(used) + " are needed, " +
                                        megabytes(used - std::min(used, limit)) + " more than " +
                                        limited_by + " (" + megabytes(limit) + ")");
  };
  if (budget_ > 0 && used > budget_) refuse(budget_, "backend.memory_mb allows");
  void* memory = nullptr;
  cudaError_t status = cudaMallocFromPoolAsync(&memory, bytes, *pool_, *stream_);
  if (status == cudaSuccess) status = cudaStreamSynchronize(*stream_);
  if (status == cudaErrorMemoryAllocation) {
    ignore_status(status);
    std::size_t free = 0, total = 0;
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

std::shared_ptr<MemoryPool> MemoryPool::of(int ordinal) {
  return one_per_device<MemoryPool>(ordinal, [&] { return std::make_shared<MemoryPool>(ordinal); });
}

MemoryPool::MemoryPool(int ordinal) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location = {cudaMemLocationTypeDevice, ordinal};
  cuda_check(cudaMemPoolCreate(&pool_, &properties), "memory pool");
  std::uint64_t keep = UINT64_MAX;
  const cudaError_t status = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep);
  if (status == cudaSuccess) return;
  ignore_status(cudaMemPoolDestroy(pool_));
  cuda_check(status, "memory pool");
}

}  // namespace cuda
}  // namespace kindred
