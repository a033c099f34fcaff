# Compile and link flags of Tilewright's own code, as an interface target.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache caches a precompiled header only if it may trust its content.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

add_library(tilewright_options INTERFACE)
target_include_directories(tilewright_options INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
  ${PROJECT_SOURCE_DIR}/compiler/include ${PROJECT_SOURCE_DIR}/runtime/include)
target_compile_options(tilewright_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections
  $<$<BOOL:${TILEWRIGHT_WERROR}>:-Werror>)

if(TILEWRIGHT_SANITIZE)
  # Not checked: LLVM's classes, which have no type information; types of functions found by name in
  # a library, which differ from the definition's; and enums, which callers of the C API may set to
  # any value and the API checks.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr,function,enum -fno-sanitize-recover=all)
  target_compile_options(tilewright_options INTERFACE ${sanitizers} -UNDEBUG -g1)
  target_link_options(tilewright_options INTERFACE ${sanitizers})
endif()

# tilewright_add_library(NAME SOURCES... [LINK libs...])
# A static library without LLVM.
function(tilewright_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC tilewright_options ${ARG_LINK})
endfunction()
