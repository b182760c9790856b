/* A command streamer: it walks the command buffers of one exec queue. It stands at a time of the model's schedule
   (now_ns); kernels and copies run beside it on the engine, and end in that schedule too. What a command writes is
   published when its time has come by the clock. One thread for each. */
#ifndef CF_EMULATOR_STREAM_H
#define CF_EMULATOR_STREAM_H

#include "emulator/device.h"

/* What a kernel, a copy or a write that nothing waits for leaves behind when its time has come. */
typedef enum cf_emu_post { CF_EMU_POST_NONE, CF_EMU_POST_VALUE, CF_EMU_POST_STAMP, CF_EMU_POST_BEGIN_END } cf_emu_post;

typedef struct cf_emu_work {
    cf_emulator_span span;
    cf_emu_post post;
    uint64_t address, value; /* of the post-sync write */
} cf_emu_work;
#define CF_EMU_WORKS 256u

#define CF_EMU_REGISTERS 64u
typedef struct cf_emu_register {
    uint32_t offset, value;
} cf_emu_register;

typedef struct cf_emu_stream {
    cf_emu_device *device;
    cf_emu_space *space;
    cf_emu_engine *engine;
    uint32_t queue;
    atomic_bool stop;
    uint64_t limit; /* commands until it stops by itself; 0 = none: batches may jump in circles for ever */
    uint64_t now_ns, queued_ns;
    uint64_t cause;                  /* id of the command that brought the streamer to now_ns; 0 = the host */
    cf_emu_work works[CF_EMU_WORKS]; /* under way, in the order in which they were started */
    size_t work_count;
    uint64_t busy_until_ns, busy_with; /* the latest end of all work so far, and whose; it may be published already */
    /* Words by which the host releases this streamer (a ring's tail), with what they held before it last published
       something, and when that was by the clock: what the host wrote later, it may have written because of that. */
    struct {
        uint64_t address;
        const uint8_t *host;
        uint32_t seen;
    } tails[4];
    unsigned next_tail;
    uint64_t published_ns;
    uint64_t pc;
    uint64_t returns[8];
    unsigned depth;
    unsigned predicate;       /* of MI_SET_PREDICATE */
    uint64_t half_address;    /* where the lower half of a register goes, together with the upper; 0 = nowhere */
    uint32_t half;            /* that half */
    uint64_t registers64[16]; /* CS_GPR */
    cf_emu_register registers[CF_EMU_REGISTERS];
    size_t register_count;
    uint64_t general_base; /* of STATE_BASE_ADDRESS: indirect data lies there */
    char failure[256];
} cf_emu_stream;

typedef enum cf_emu_step {
    CF_EMU_NEXT,    /* go on behind this command */
    CF_EMU_JUMPED,  /* pc is set */
    CF_EMU_ENDED,   /* end of the outermost batch */
    CF_EMU_FAILED,  /* failure says why */
    CF_EMU_STOPPED, /* the queue goes away; or, in virtual time, nothing will ever happen */
} cf_emu_step;

void cf_emu_stream_open(cf_emu_stream *stream, cf_emu_device *device, cf_emu_space *space, cf_emu_engine *engine,
                        uint32_t queue);
/* Runs the batch at address, which the host handed over at at_ns. ENDED, FAILED or STOPPED. */
cf_emu_step cf_emu_stream_run(cf_emu_stream *stream, uint64_t address, uint64_t at_ns);
/* Between batches: publishes what is due, then waits until more is, or until the clock's changes are no longer seen. */
cf_emu_step cf_emu_stream_publish(cf_emu_stream *stream, unsigned seen);

/* ---- for commands ---- */

cf_emu_step cf_emu_stream_fail(cf_emu_stream *stream, const char *fmt, ...) CF_PRINTF(2, 3);
uint64_t cf_emu_stream_id(cf_emu_stream *stream); /* a new command's */
/* A span of this stream from now to now; the caller fills in the rest. */
cf_emulator_span cf_emu_stream_span(cf_emu_stream *stream, const char *command, cf_emulator_kind kind);
/* Starts work on the engine at now; begin, end and cause are set here. */
cf_emu_step cf_emu_stream_start(cf_emu_stream *stream, cf_emu_work *work, uint64_t duration_ns, bool shared);
/* A write that comes when all work under way has ended, without the streamer's waiting for it. */
cf_emu_step cf_emu_stream_after(cf_emu_stream *stream, cf_emu_work *work);
/* Moves now to the end of all work under way. */
cf_emu_step cf_emu_stream_drain(cf_emu_stream *stream);
/* Waits for the clock to reach now. Work that ends meanwhile is published. */
cf_emu_step cf_emu_stream_pace(cf_emu_stream *stream);
/* Paces, then stores. */
cf_emu_step cf_emu_stream_store(cf_emu_stream *stream, uint64_t address, uint64_t value, unsigned bytes, uint64_t id);
cf_emu_step cf_emu_stream_change(cf_emu_stream *stream, uint64_t address, cf_emu_atomic how, uint64_t value,
                                 uint64_t compared, unsigned bytes, uint64_t id);
cf_emu_step cf_emu_stream_load(cf_emu_stream *stream, uint64_t address, unsigned bytes, uint64_t *ret_value);
/* Stands until the 4 bytes at address satisfy the comparison (MI_SEMAPHORE_WAIT's numbers). */
cf_emu_step cf_emu_stream_wait(cf_emu_stream *stream, uint64_t address, unsigned operation, uint32_t data);
bool cf_emu_compare(unsigned operation, uint64_t memory, uint64_t data);

/* Registers by their offset, or by that in the engine's own range. */
void cf_emu_register_write(cf_emu_stream *stream, uint32_t offset, uint32_t value);
cf_emu_step cf_emu_register_read(cf_emu_stream *stream, uint32_t offset, uint32_t *ret_value);
bool cf_emu_register_is_time(uint32_t offset);

#endif
