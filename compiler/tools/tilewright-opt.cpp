// Runs passes and named pipelines on a file of IR.

#include "tilewright-c/compiler.h"

int main(int argc, char **argv) { return tw_opt_main(argc, argv); }
