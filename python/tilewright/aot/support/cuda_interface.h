/* Loads everything that runs on the device of the calling thread's context,
 * which the first calls would do otherwise; while a graph is captured they can
 * not. */
int LIBRARY_load_cuda(void);
/* Gives back what was loaded, when no function runs or is called any more. */
void LIBRARY_unload_cuda(void);
