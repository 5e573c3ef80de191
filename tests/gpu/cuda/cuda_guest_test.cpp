// Kindred is a guest on the device. No call, whether it succeeds or fails, changes what a program
// has set up with CUDA for itself.
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <exception>

#include "gpu/document_set.h"
#include "gpu/som/train.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::code_of;

/// A function of the driver, with the type that it has since CUDA version `version`.
template <typename Function>
Function driver(const char* name, unsigned version) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  REQUIRE(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found) ==
          cudaSuccess);
  REQUIRE(function != nullptr);
  return reinterpret_cast<Function>(function);
}

CUcontext current_context() {
  CUcontext context = nullptr;
  REQUIRE(driver<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000)(&context) == CUDA_SUCCESS);
  return context;
}

int current_device() {
  int device = -1;
  REQUIRE(cudaGetDevice(&device) == cudaSuccess);
  return device;
}

/// Does everything that Kindred does on the device, and calls `check` after each step.
void use_device(const std::function<void(const char* after)>& check) {
  const Csr csr = test::random_csr({.rows = 3000, .columns = 400}, 1);
  const Csr added = test::random_csr({.rows = 300, .columns = 400}, 2);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const test::Labels labels = test::random_labels(3000, 9, 3);
  const test::Labels added_labels = test::random_labels(300, 9, 4);
  test::SegmentedMirror mirror(csr.view(), labels.view());
  auto backend = make_backend(mirror.list(), weighting, test::options("cuda"));
  check("make_backend()");
  Queries one, many;
  test::add_row_query(one, csr.view(), 5, weighting);
  for (std::uint32_t row = 0; row < 200; ++row)
    test::add_row_query(many, csr.view(), row, weighting);
  const RowSet few_rows = test::random_rows(3000, 0.01, 5);
  const RowSet most_rows = test::random_rows(3000, 0.6, 6);
  const DocumentSet few = *test::DocumentsOf(*backend, &few_rows);
  const DocumentSet most = *test::DocumentsOf(*backend, &most_rows);
  for (const Queries* queries : {&one, &many}) {
    for (const DocumentSet* allowed : {static_cast<const DocumentSet*>(nullptr), &few, &most}) {
      static_cast<void>(backend->nearest(*queries, 10, allowed));
      check("nearest()");
    }
    std::vector<LabelShare> shares(queries->rows() * 3);
    backend->vote(queries->view(), {10, 3, nullptr, {}}, shares);
    check("vote()");
  }
  Queries unknown = one;
  unknown.add_weights(std::vector<std::uint32_t>{400}, std::vector<double>{1});
  CHECK(code_of([&] { backend->nearest(unknown, 1); }) == Errc::kInvalidArgument);
  check("nearest() of a term that is not there");
  mirror.add(added.view(), added_labels.view());
  auto refreshed = backend->refreshed(mirror.list(), weighting);
  check("refreshed()");
  backend.reset();
  check("~Backend()");
  refreshed.reset();
  check("~Backend() of the last one");
  BackendOptions tight = test::options("cuda");
  tight.memory = 1000;
  CHECK(code_of([&] { make_backend(csr.view(), weighting, tight); }) == Errc::kOutOfMemory);
  check("make_backend() without memory");
  BackendOptions absent = test::options("cuda");
  absent.device = 255;
  CHECK(code_of([&] { make_backend(csr.view(), weighting, absent); }) == Errc::kUnsupported);
  check("make_backend() on no device");

  const std::vector<float> weights = unit_weights(csr.view(), weighting);
  const SomRows rows =
      SomRows{csr.rows(), csr.columns, csr.row_begin.data(), csr.column.data(), weights.data()};
  auto twin = test::make_som_twin({4, 5, true, false}, csr.columns, test::options("cuda"));
  check("make_som_twin()");
  auto part = twin->hold(rows);
  check("hold()");
  static_cast<void>(part->match());
  check("match()");
  std::vector<std::int64_t> hits(20);
  part->count_hits(hits);
  check("count_hits()");
  twin->begin_sums(SomGrid(part->bound(), hits));
  check("begin_sums()");
  part->accumulate();
  check("accumulate()");
  CHECK(part->matches().size() == 3000);
  check("matches()");
  std::vector<std::int64_t> sums(std::size_t{20} * csr.columns);
  twin->read_sums(0, sums);
  check("read_sums()");
  twin->write_sums(0, sums);
  check("write_sums()");
  twin->update({1.5, false}, 0, csr.columns);
  check("update()");
  std::vector<float> moved(std::size_t{20} * csr.columns);
  twin->read_weights(0, moved);
  check("read_weights()");
  twin->write_weights(0, moved);
  check("write_weights()");
  const auto other = test::make_som_twin({4, 5, true, false}, csr.columns, test::options("cuda"));
  check("make_som_twin()");
  other->begin_sums(SomGrid(part->bound(), hits));
  other->add_sums(*twin, 0, csr.columns);
  check("add_sums()");
  other->copy_weights(*twin, 0, csr.columns);
  check("copy_weights()");
  twin->end_update();
  check("end_update()");
  twin->load(twin->codebook());
  check("load()");
  part.reset();
  check("~SomPart()");
  twin.reset();
  check("~SomTwin()");
  CHECK(code_of([&] {
          test::make_som_twin({4, 5, true, false}, csr.columns, tight);
        }) == Errc::kOutOfMemory);
  check("make_som_twin() without memory");
}

/// Calls `prepare` and then use_device() in a new thread. Checks that the thread keeps its context
/// and its device.
void use_device_after(const std::function<void()>& prepare) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      prepare();
      const CUcontext context = current_context();
      const int device = current_device();
      use_device([&](const char* after) {
        CAPTURE(after);
        CHECK(current_context() == context);
        CHECK(current_device() == device);
        CHECK(cudaGetLastError() == cudaSuccess);
      });
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

CUDA_TEST_CASE("a thread that has no device has none after any call", "[guest]") {
  use_device_after([] { CHECK(current_context() == nullptr); });
}

CUDA_TEST_CASE("a thread keeps the device that it chose", "[guest]") {
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  use_device_after([&] { CHECK(cudaSetDevice(devices - 1) == cudaSuccess); });
}

CUDA_TEST_CASE("a thread keeps the context that its program made", "[guest]") {
  CUcontext context = nullptr;
  use_device_after([&] {
    CUdevice device = 0;
    REQUIRE(driver<PFN_cuDeviceGet_v2000>("cuDeviceGet", 2000)(&device, 0) == CUDA_SUCCESS);
    REQUIRE(driver<PFN_cuCtxCreate_v3020>("cuCtxCreate", 3020)(&context, 0, device) ==
            CUDA_SUCCESS);
    CHECK(current_context() == context);
  });
  CHECK(driver<PFN_cuCtxDestroy_v4000>("cuCtxDestroy", 4000)(context) == CUDA_SUCCESS);
}

CUDA_TEST_CASE("the device's default memory pool is the program's own", "[guest]") {
  cudaMemPool_t pool = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  std::uint64_t threshold = 12345;
  REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) ==
          cudaSuccess);
  const auto ask = [&](cudaMemPoolAttr what) {
    std::uint64_t value = 0;
    REQUIRE(cudaMemPoolGetAttribute(pool, what, &value) == cudaSuccess);
    return value;
  };
  use_device([&](const char* after) {
    CAPTURE(after);
    CHECK(ask(cudaMemPoolAttrReleaseThreshold) == 12345);
    CHECK(ask(cudaMemPoolAttrUsedMemHigh) == 0);
  });
  threshold = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
}

/// While a stream that waits for the legacy default stream is being captured, any work on the
/// legacy default stream is an error, and ends the capture.
CUDA_TEST_CASE("nothing is done on the legacy default stream", "[guest]") {
  use_device([](const char*) {});  // loads the kernels
  cudaStream_t blocking = nullptr;
  REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  use_device([&](const char* after) {
    CAPTURE(after);
    cudaStreamCaptureStatus status{};
    CHECK(cudaStreamIsCapturing(blocking, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusActive);
  });
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(blocking, &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(blocking) == cudaSuccess);
}

}  // namespace
}  // namespace kindred
