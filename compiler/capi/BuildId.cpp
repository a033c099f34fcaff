// The build id that the linker embedded in this library.

#include "tilewright-c/compiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <elf.h>
#include <link.h>
#include <string>

namespace {
struct Search {
  ElfW(Addr) address;
  std::string id;
};
} // namespace

/// Returns the build id among the notes of one segment; empty if it is absent.
static std::string findBuildId(const char *notes, size_t size) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes + at, sizeof(header));
    const char *name = notes + at + sizeof(header);
    const char *data = name + llvm::alignTo(header.n_namesz, 4);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        !std::memcmp(name, "GNU", 4))
      return llvm::toHex(llvm::StringRef(data, header.n_descsz),
                         /*LowerCase=*/true);
    at = data + llvm::alignTo(header.n_descsz, 4) - notes;
  }
  return {};
}

/// Searches the loaded object that contains the requested address.
static int visitObject(dl_phdr_info *info, size_t, void *data) {
  auto *search = static_cast<Search *>(data);
  bool holds = false;
  for (int i = 0; i != info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    ElfW(Addr) begin = info->dlpi_addr + segment.p_vaddr;
    holds |= segment.p_type == PT_LOAD && search->address >= begin &&
             search->address < begin + segment.p_memsz;
  }
  for (int i = 0; holds && i != info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE && search->id.empty())
      search->id = findBuildId(
          reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr),
          segment.p_memsz);
  }
  return holds;
}

const char *tw_llvm_version(void) { return LLVM_VERSION_STRING; }

const char *tw_build_id(void) {
  static const std::string id = [] {
    Search search{reinterpret_cast<ElfW(Addr)>(&tw_build_id), {}};
    dl_iterate_phdr(visitObject, &search);
    return search.id.empty() ? std::string(TILEWRIGHT_VERSION) : search.id;
  }();
  return id.c_str();
}
