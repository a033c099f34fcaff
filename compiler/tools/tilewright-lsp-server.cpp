// A language server for IR: errors, definitions, uses, hover.

#include "tilewright-c/compiler.h"

int main(int argc, char **argv) { return tw_lsp_server_main(argc, argv); }
