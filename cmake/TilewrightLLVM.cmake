# Finds LLVM and MLIR 22 and offers two things:
#   tilewright_llvm                     everything of LLVM and MLIR that we link
#   tilewright_add_mlir_library(...)    a static library that uses MLIR's headers, precompiled

# MLIR's version file accepts only an exact version, so the major one is compared here.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Tilewright needs LLVM and MLIR 22, found ${LLVM_PACKAGE_VERSION}; set MLIR_DIR")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(tilewright_llvm INTERFACE)
# SYSTEM: suppresses warnings in LLVM's headers.
target_include_directories(tilewright_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_options(tilewright_llvm INTERFACE -fno-exceptions)

if(TILEWRIGHT_LINK_LLVM_DYLIB)
  target_link_libraries(tilewright_llvm INTERFACE MLIR LLVM)
else()
  # The exported MLIR targets link the shared LLVM library. Together with static LLVM components it
  # would register every command-line option twice and abort at load time.
  foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
    get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
    if(libs)
      list(REMOVE_ITEM libs LLVM)
      set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES "${libs}")
    endif()
  endforeach()
  include(TilewrightLLVMLibraries)
  target_link_libraries(tilewright_llvm INTERFACE ${TILEWRIGHT_MLIR_LIBRARIES} ${TILEWRIGHT_LLVM_LIBRARIES})
endif()

find_program(LLD_LINKER NAMES ld.lld-22 ld.lld)
if(LLD_LINKER)
  target_link_options(tilewright_llvm INTERFACE --ld-path=${LLD_LINKER})
endif()

# One precompiled header, with the dialects, for every file that includes MLIR: parsing it takes
# most of the time of a file (benchmarks/notes/compile-time.md).
file(CONFIGURE OUTPUT pch/Pch.cpp CONTENT "// Only carries the precompiled header.\n")
add_library(tilewright_pch OBJECT ${CMAKE_CURRENT_BINARY_DIR}/pch/Pch.cpp)
target_link_libraries(tilewright_pch PUBLIC tilewright_options tilewright_llvm)
target_precompile_headers(tilewright_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
target_compile_options(tilewright_pch PRIVATE -Xclang -fno-pch-timestamp)
add_dependencies(tilewright_pch TWTileIncGen TWWarpIncGen)

# tilewright_add_mlir_library(NAME SOURCES... [LINK libs...] [DEPENDS tablegen targets...] [TOGETHER n])
# TOGETHER: compile n files as one, which share their templates: their names, static
# ones too, must differ.
function(tilewright_add_mlir_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "TOGETHER" "SOURCES;LINK;DEPENDS")
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC tilewright_options tilewright_llvm ${ARG_LINK})
  target_precompile_headers(${name} REUSE_FROM tilewright_pch)
  target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_TOGETHER)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ARG_TOGETHER})
  endif()
endfunction()

# tilewright_tablegen(TARGET FILE.td output generator [output generator ...])
function(tilewright_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(TABLEGEN_OUTPUT)
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args output flags)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags} -I${PROJECT_SOURCE_DIR} -I${MLIR_INCLUDE_DIRS})
  endwhile()
  add_public_tablegen_target(${target})
endfunction()
