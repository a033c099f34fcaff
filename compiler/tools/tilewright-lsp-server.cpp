// Serves editors that show IR: errors, definitions, uses, what is under the
// cursor.

#include "tilewright-c/compiler.h"

int main(int argc, char **argv) { return tw_lsp_server_main(argc, argv); }
