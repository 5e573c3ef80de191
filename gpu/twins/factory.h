#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/options.h"
#include "gpu/som/twin.h"

namespace kindred {

/// Makes the backend of device number `device` of several, which has the whole mirror.
using MakeReplica = std::function<std::unique_ptr<const Backend>(std::size_t device)>;

/// A backend of `devices` devices, at least one, which share the queries
/// (gpu/knn/replicated_backend.h). With options.coalesce, single queries for a device are put
/// together.
/// @throws Error as `make`, if it throws for any of the devices.
std::unique_ptr<const Backend> make_on_devices(std::size_t devices, const MakeReplica& make,
                                               const BackendOptions& options);

/// Prepares `mirror`, whose segments have passed check_csr() and check_labels(), for search under
/// `weighting`, which is borrowed and must outlive the result. The CPU's instructions are chosen at
/// run time; environment variable KINDRED_SIMD = baseline, avx2 or avx512 forces one of those that
/// it has, for tests.
/// @throws Error kUnsupported if options.kind or KINDRED_SIMD is not available here;
/// kInvalidArgument if the kind is not known, the sizes of mirror and weighting differ, or a weight
/// or the length of a row is negative or not finite; kOutOfMemory or std::bad_alloc; kDevice.
std::unique_ptr<const Backend> make_backend(SegmentListPointer mirror,
                                            const TermWeighting& weighting,
                                            const BackendOptions& options);

/// Prepares a mirror of one segment, whose rows are all alive, for search. All is borrowed. Checks
/// the labels.
std::unique_ptr<const Backend> make_backend(CsrView mirror, const TermWeighting& weighting,
                                            const BackendOptions& options, LabelView labels = {});

/// Starts the devices that make_backend() will use, in a thread of its own: for the first time in a
/// process, that takes some tenths of a second, in which a caller can read what is to be searched.
/// Nothing is thrown: what is wrong with a device, make_backend() says. Nothing runs in a build
/// without CUDA. The future's destructor waits.
std::future<void> start_devices(const BackendOptions& options);

/// Asked before memory is taken for a twin, on a device or not. It refuses by throwing an Error.
using AdmitSomTwin = std::function<void(bool on_device)>;

/// Twins for a map of `columns` columns, with a codebook of zeros, which train it together
/// (gpu/som/train.h): one on each of options.devices, or on options.device if it names none; or one
/// on the CPU. "auto" takes the devices if they answer, have room for the map and are not refused
/// by `admit`; options.memory bounds what a twin and its parts take there.
/// @param admit if empty, every twin is admitted
/// @throws Error kInvalidArgument as check_lattice(), or for a kind that is not known; kUnsupported
/// for "cuda" where there is none; kOutOfMemory or std::bad_alloc; kDevice; whatever `admit` throws
/// for the last twins that are tried.
std::vector<std::unique_ptr<SomTwin>> make_som_twins(const SomLattice& lattice,
                                                     std::uint32_t columns,
                                                     const BackendOptions& options,
                                                     const AdmitSomTwin& admit = {});

}  // namespace kindred
