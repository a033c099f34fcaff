// The options by which a pass learns its target. The pipeline sets them by name.

#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_TARGETOPTIONS
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_TARGETOPTIONS

include "mlir/Pass/PassBase.td"

defvar numWarpsOption = [
  Option<"numWarps", "num-warps", "unsigned", "4",
         "warps of 32 threads that run one program, a power of two up to 32">];

defvar architectureOptions = [
  Option<"computeCapability", "compute-capability", "unsigned", "80",
         "10 * major + minor of the GPU's compute capability">,
  Option<"archSpecific", "arch-specific", "bool", "false",
         "use architecture-specific features, as sm_90a has">];

defvar targetOptions = numWarpsOption # architectureOptions;

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_TARGETOPTIONS
