/* SPDX-License-Identifier: BSD-3-Clause */
/* AArch64, AAPCS64. A context that does not run, from its stack pointer up:

       +0    x19 to x28, in pairs        +96   d8 to d15, in pairs
       +80   x29, x30                    +160  fpcr, fpsr                                       */
#if defined(__aarch64__)

        .text

        .equ    kContextBytes, 176

.macro save_context
        sub     sp, sp, #kContextBytes
        stp     x19, x20, [sp]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mrs     x9, fpcr
        mrs     x11, fpsr
        stp     x9, x11, [sp, #160]
        mov     x10, sp
        str     x10, [x0]
.endm

.macro return_into_context
        ldp     x19, x20, [sp]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #kContextBytes
        ret
.endm

.macro function name
        .p2align 4
        .globl  \name
        .hidden \name
        .type   \name, %function
\name:
.endm

/* void terrace_fibre_switch(void** saved, void* next_stack, void* next_thread)
   Writing fpcr and fpsr takes longer than comparing them, and they hardly ever differ. */
function terrace_fibre_switch
        save_context
        msr     tpidr_el0, x2
        mov     sp, x1
        ldp     x10, x12, [sp, #160]
        cmp     x9, x10
        ccmp    x11, x12, #0, eq
        b.eq    0f
        msr     fpcr, x10
        msr     fpsr, x12
0:      return_into_context
        .size   terrace_fibre_switch, . - terrace_fibre_switch

/* void terrace_fibre_park(void** saved, void* stack_end, void (*parked)(void*), void* argument)
   Debuggers find the fibre's stack, as it was left last: x19 holds `saved`, and what lies there
   leads to the caller. It counts as the frame of a signal, because the caller's stack may lie
   below this one. */
function terrace_fibre_park
        .cfi_startproc
        .cfi_signal_frame
        save_context
        mov     x19, x0
        mov     sp, x1
        mov     x0, x3
        mov     x29, #0
        /* CFA = *(void**)x19 + 176 */
        .cfi_escape 0x0f, 6, 0x83, 0, 0x06, 0x23, 0xb0, 0x01
        .cfi_offset x19, -176
        .cfi_offset x20, -168
        .cfi_offset x21, -160
        .cfi_offset x22, -152
        .cfi_offset x23, -144
        .cfi_offset x24, -136
        .cfi_offset x25, -128
        .cfi_offset x26, -120
        .cfi_offset x27, -112
        .cfi_offset x28, -104
        .cfi_offset x29, -96
        .cfi_offset x30, -88
        blr     x2
        brk     #1
        .cfi_endproc
        .size   terrace_fibre_park, . - terrace_fibre_park

/* void terrace_fibre_resume(void* stack) */
function terrace_fibre_resume
        mov     sp, x0
        ldp     x10, x12, [sp, #160]
        msr     fpcr, x10
        msr     fpsr, x12
        return_into_context
        .size   terrace_fibre_resume, . - terrace_fibre_resume

#endif
        .section .note.GNU-stack, "", %progbits
