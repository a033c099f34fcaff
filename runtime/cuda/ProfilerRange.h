// Ranges on the timeline of NVIDIA's profilers.
#ifndef TILEWRIGHT_RUNTIME_CUDA_PROFILERRANGE_H
#define TILEWRIGHT_RUNTIME_CUDA_PROFILERRANGE_H

namespace tilewright::runtime::cuda {

/// A range of this thread during the lifetime of the object; no effect unless
/// enabled.
class ProfilerRange {
public:
  /// Whether TILEWRIGHT_NVTX is set and NVTX's library is found: the named one,
  /// libnvToolsExt or libnvtx3interop.
  static bool isWanted();

  explicit ProfilerRange(const char *name);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange &) = delete;
  ProfilerRange &operator=(const ProfilerRange &) = delete;

private:
  int (*pop)() = nullptr;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_PROFILERRANGE_H
