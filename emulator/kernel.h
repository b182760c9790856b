/* The emulated kernel driver: what an ioctl on the device node does. Any thread; one kernel for each process. */
#ifndef CF_EMULATOR_KERNEL_H
#define CF_EMULATOR_KERNEL_H

#include "emulator/queue.h"

#define CF_EMU_SPACES 256u
#define CF_EMU_QUEUES 512u

typedef struct cf_emu_kernel {
    cf_emu_device device;
    pthread_mutex_t mutex; /* of the two tables */
    cf_emu_space *spaces[CF_EMU_SPACES];
    cf_emu_queue *queues[CF_EMU_QUEUES];
    void (*log)(const char *text); /* what was asked that is not answered; NULL = nobody is told */
} cf_emu_kernel;

int cf_emu_kernel_open(cf_emu_kernel *kernel, const cf_emu_model *model, uint64_t pool_bytes);
void cf_emu_kernel_close(cf_emu_kernel *kernel);
/* 0, or -1 with errno set, as ioctl(2). request: of DRM's type. */
int cf_emu_kernel_ioctl(cf_emu_kernel *kernel, unsigned long request, void *argument);

struct cf_xe_device_query;
int cf_emu_kernel_query(cf_emu_kernel *kernel, struct cf_xe_device_query *query); /* 0 or a positive errno */

#endif
