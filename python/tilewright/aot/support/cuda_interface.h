/* Loads all code for the device of the calling thread's context. Otherwise the
 * first calls load it, which fails during the capture of a graph. */
int LIBRARY_load_cuda(void);
/* Unloads all code. No function may be running or be called later. */
void LIBRARY_unload_cuda(void);
