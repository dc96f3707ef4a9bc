/* processor.h - what the CPU and the operating system allow, asked at run time.
 *
 * Libraries ask the same questions and have been wrong: oneDNN 2.6 takes a CPU's word that it has
 * AMX, and its kernels die with SIGILL where a hypervisor hides the tiles' shape. */
#ifndef OPS_CPU_PROCESSOR_H
#define OPS_CPU_PROCESSOR_H

/* Has the CPU AMX, whether or not it may be used? */
int recon_processor_has_amx(void);

/* May AMX be used by this process: are the tile registers enabled, permitted (oneDNN asks the
 * kernel for them when it is first called), and of the shape every kernel is written for? */
int recon_processor_may_use_amx(void);

#endif
