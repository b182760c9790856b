/* The object that is loaded before a program: the C library's functions that reach the device, with the emulated one
   behind them. Without a session every call goes through unchanged. */
#ifndef CF_EMULATOR_PRELOAD_H
#define CF_EMULATOR_PRELOAD_H

#include <stddef.h>

#include "emulator/kernel.h"
#include "emulator/session.h"

#define CF_EMU_EXPORT __attribute__((visibility("default")))

/* The C library's own function of that name. Safe in a signal handler once the object is initialised. */
#define CF_EMU_REAL(name) ((__typeof__(&(name)))cf_emu_real(#name, &real_##name))
typedef void cf_emu_function(void);
#define CF_EMU_SLOT(name) static _Atomic(cf_emu_function *) real_##name
cf_emu_function *cf_emu_real(const char *name, _Atomic(cf_emu_function *) *slot);

const cf_emu_session *cf_emu_session_here(void); /* NULL: none */
/* path, or where it stands in the tree. buf is used for the latter. */
const char *cf_emu_redirect(const char *path, char buf[CF_EMU_PATH]);
bool cf_emu_is_node(const char *path); /* a device node of the emulated GPU */
/* A new descriptor of the device, -1 with errno. The first one starts the device. */
int cf_emu_open_node(int flags);
cf_emu_kernel *cf_emu_kernel_of(int fd); /* NULL: no descriptor of the device */

/* This process's program where it runs under the drivers' loader; NULL = /proc/self/exe is right. */
const char *cf_emu_program(void);

/* At the process's end: --timeline and --spans. */
void cf_emu_tell(cf_emu_device *device, const cf_emu_session *session);

#endif
