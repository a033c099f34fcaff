// Ranges on the timeline of NVIDIA's profilers.
#ifndef TILEWRIGHT_RUNTIME_CUDA_PROFILERRANGE_H
#define TILEWRIGHT_RUNTIME_CUDA_PROFILERRANGE_H

namespace tilewright::runtime::cuda {

/// A range of this thread while the object lives; nothing unless that is
/// wanted.
class ProfilerRange {
public:
  /// Whether TILEWRIGHT_NVTX is set and NVTX's library is found: the one that
  /// is named, or libnvToolsExt or libnvtx3interop.
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
