/* Entries that no C function can be: they look at a call and hand it on with everything that its caller gave, stack and
   return address included. The C library's dlsym goes by its caller, for RTLD_NEXT; a function of unknown parameters
   is anybody's guess. */
#if defined(__x86_64__)
    .text

/* name(handle, symbol): what pick(handle, symbol) decided, or the real one's answer where it decided nothing. */
.macro LOOKUP name pick real
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call \pick
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rdx, %rdx
    je 1f
    ret
1:  jmp *\real(%rip)
    .cfi_endproc
    .size \name, .-\name
.endm

    LOOKUP dlsym cf_inject_dlsym cf_inject_real_dlsym

    .globl cf_inject_call_entry
    .hidden cf_inject_call_entry
    .type cf_inject_call_entry, @function
    .p2align 4
cf_inject_call_entry:
    .cfi_startproc
    endbr64
    subq $200, %rsp
    .cfi_adjust_cfa_offset 200
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)
    movq %r10, 56(%rsp)
    movups %xmm0, 64(%rsp)
    movups %xmm1, 80(%rsp)
    movups %xmm2, 96(%rsp)
    movups %xmm3, 112(%rsp)
    movups %xmm4, 128(%rsp)
    movups %xmm5, 144(%rsp)
    movups %xmm6, 160(%rsp)
    movups %xmm7, 176(%rsp)
    call cf_inject_call_hit
    movups 176(%rsp), %xmm7
    movups 160(%rsp), %xmm6
    movups 144(%rsp), %xmm5
    movups 128(%rsp), %xmm4
    movups 112(%rsp), %xmm3
    movups 96(%rsp), %xmm2
    movups 80(%rsp), %xmm1
    movups 64(%rsp), %xmm0
    movq 56(%rsp), %r10
    movq 48(%rsp), %rax
    movq 40(%rsp), %r9
    movq 32(%rsp), %r8
    movq 24(%rsp), %rcx
    movq 16(%rsp), %rdx
    movq 8(%rsp), %rsi
    movq 0(%rsp), %rdi
    addq $200, %rsp
    .cfi_adjust_cfa_offset -200
    jmp *cf_inject_call_next(%rip)
    .cfi_endproc
    .size cf_inject_call_entry, .-cf_inject_call_entry

#elif defined(__aarch64__)
    .text

.macro LOOKUP name pick real
    .globl \name
    .type \name, %function
    .p2align 4
\name:
    .cfi_startproc
    stp x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    stp x0, x1, [sp, #16]
    bl \pick
    mov x9, x0
    mov x10, x1
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_adjust_cfa_offset -32
    cbz x10, 1f
    mov x0, x9
    ret
1:  adrp x16, \real
    ldr x16, [x16, #:lo12:\real]
    br x16
    .cfi_endproc
    .size \name, .-\name
.endm

    LOOKUP dlsym cf_inject_dlsym cf_inject_real_dlsym

    .globl cf_inject_call_entry
    .hidden cf_inject_call_entry
    .type cf_inject_call_entry, %function
    .p2align 4
cf_inject_call_entry:
    .cfi_startproc
    sub sp, sp, #224
    .cfi_adjust_cfa_offset 224
    stp x29, x30, [sp]
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    bl cf_inject_call_hit
    ldp q6, q7, [sp, #192]
    ldp q4, q5, [sp, #160]
    ldp q2, q3, [sp, #128]
    ldp q0, q1, [sp, #96]
    ldr x8, [sp, #80]
    ldp x6, x7, [sp, #64]
    ldp x4, x5, [sp, #48]
    ldp x2, x3, [sp, #32]
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp]
    add sp, sp, #224
    .cfi_adjust_cfa_offset -224
    adrp x16, cf_inject_call_next
    ldr x16, [x16, #:lo12:cf_inject_call_next]
    br x16
    .cfi_endproc
    .size cf_inject_call_entry, .-cf_inject_call_entry
#else
#error "the preloaded library is written for x86-64 and 64-bit Arm"
#endif
    .section .note.GNU-stack, "", %progbits
