# The parts of MLIR and LLVM that libtilewright links. Static targets have dependencies of their
# own, so only direct uses are listed.

set(TILEWRIGHT_MLIR_LIBRARIES
  MLIRArithDialect MLIRArithToLLVM MLIRArithTransforms
  MLIRBuiltinToLLVMIRTranslation
  MLIRControlFlowDialect MLIRControlFlowToLLVM
  MLIRFuncDialect MLIRFuncToLLVM MLIRFuncInlinerExtension
  MLIRIndexDialect MLIRIndexToLLVM
  MLIRLLVMDialect MLIRLLVMToLLVMIRTranslation
  MLIRLspServerLib
  MLIRMathDialect MLIRMathToLLVM MLIRMathToLibm MLIRMathTransforms
  MLIRNVVMDialect MLIRNVVMToLLVMIRTranslation
  MLIROptLib MLIRParser MLIRPass
  MLIRReconcileUnrealizedCasts
  MLIRSCFDialect MLIRSCFToControlFlow MLIRSCFTransforms MLIRSCFUtils
  MLIRTargetLLVMIRExport
  MLIRTensorDialect
  MLIRTransforms
  MLIRUBDialect MLIRUBToLLVM
  MLIRVectorDialect MLIRVectorToLLVM MLIRVectorToLLVMPass)

set(TILEWRIGHT_LLVM_LIBRARIES
  LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo
  LLVMX86CodeGen LLVMX86Desc LLVMX86Info LLVMX86AsmParser
  LLVMAArch64CodeGen LLVMAArch64Desc LLVMAArch64Info LLVMAArch64AsmParser
  LLVMPasses LLVMOrcJIT LLVMJITLink LLVMExecutionEngine
  LLVMBitReader LLVMIRReader LLVMLinker LLVMipo LLVMTargetParser
  LLVMCodeGen LLVMTarget LLVMMC LLVMObject LLVMCore LLVMSupportLSP LLVMSupport)
