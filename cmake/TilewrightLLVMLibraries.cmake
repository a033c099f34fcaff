# The parts of MLIR and LLVM that are linked into libtilewright. Static targets
# bring their own dependencies, so only what we use directly is named.

set(TILEWRIGHT_MLIR_LIBRARIES
  MLIRArithDialect MLIRArithToLLVM MLIRArithTransforms MLIRArithValueBoundsOpInterfaceImpl
  MLIRAffineDialect MLIRAffineToStandard MLIRAffineTransforms
  MLIRBufferizationDialect MLIRBufferizationTransforms MLIRBufferizationPipelines
  MLIRBufferizationToMemRef
  MLIRBuiltinToLLVMIRTranslation
  MLIRControlFlowDialect MLIRControlFlowToLLVM MLIRControlFlowToSCF MLIRControlFlowTransforms
  MLIRFuncDialect MLIRFuncToLLVM MLIRFuncInlinerExtension MLIRFuncTransforms
  MLIRIndexDialect MLIRIndexToLLVM
  MLIRLLVMDialect MLIRLLVMIRTransforms MLIRLLVMToLLVMIRTranslation
  MLIRLinalgDialect MLIRLinalgToStandard MLIRLinalgTransforms
  MLIRMathDialect MLIRMathToLLVM MLIRMathToLibm MLIRMathTransforms
  MLIRMemRefDialect MLIRMemRefToLLVM MLIRMemRefTransforms
  MLIRNVVMDialect MLIRNVVMToLLVM MLIRNVVMToLLVMIRTranslation
  MLIROptLib MLIRParser MLIRPass
  MLIRReconcileUnrealizedCasts
  MLIRSCFDialect MLIRSCFToControlFlow MLIRSCFTransforms MLIRSCFUtils
  MLIRTargetLLVMIRExport
  MLIRTensorDialect MLIRTensorInferTypeOpInterfaceImpl MLIRTensorTilingInterfaceImpl
  MLIRTensorTransforms
  MLIRTransforms
  MLIRUBDialect MLIRUBToLLVM
  MLIRVectorDialect MLIRVectorToLLVM MLIRVectorToLLVMPass MLIRVectorToSCF MLIRVectorTransforms)

set(TILEWRIGHT_LLVM_LIBRARIES
  LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo
  LLVMX86CodeGen LLVMX86Desc LLVMX86Info LLVMX86AsmParser
  LLVMAArch64CodeGen LLVMAArch64Desc LLVMAArch64Info LLVMAArch64AsmParser
  LLVMPasses LLVMOrcJIT LLVMJITLink LLVMExecutionEngine
  LLVMBitReader LLVMIRReader LLVMLinker LLVMipo LLVMTargetParser
  LLVMCodeGen LLVMTarget LLVMMC LLVMObject LLVMCore LLVMSupport)
