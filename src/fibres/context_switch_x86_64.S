/* SPDX-License-Identifier: BSD-3-Clause */
/* x86-64, System V ABI. A context that does not run, from its stack pointer up:

       +0   mxcsr, 4 bytes      +8   r15      +24  r13      +40  rbx
       +4   x87 control word    +16  r14      +32  r12      +48  rbp      +56  return address
       +6   x87 status word

   Ranks of one program mostly wait at the same depth of calls, so leaving by `ret` finds the
   processor's prediction of returns right. */
#if defined(__x86_64__)

        .text

/* Stores each word as wide as it is loaded again: a wider load would wait for both. */
.macro save_context
        push    %rbp
        push    %rbx
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        sub     $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        fnstsw  6(%rsp)
        mov     %rsp, (%rdi)
.endm

/* Loads the control words of the context on the stack. Where it or the one before has exceptions of
   the x87 noted, which only a whole environment can set: an empty stack of registers, and the
   exceptions of this context. An unmasked one would trap at the next instruction of another. */
.macro load_words
        ldmxcsr (%rsp)
        sub     $32, %rsp
        fnstenv (%rsp)
        movzwl  36(%rsp), %ecx
        mov     %cx, (%rsp)
        movzwl  38(%rsp), %ecx
        and     $0x3f, %ecx
        mov     %cx, 4(%rsp)
        movw    $0xffff, 8(%rsp)
        fldenv  (%rsp)
        add     $32, %rsp
.endm

.macro return_into_context
        add     $8, %rsp
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbx
        pop     %rbp
        ret
.endm

.macro function name
        .p2align 5
        .globl  \name
        .hidden \name
        .type   \name, @function
\name:
.endm

/* void terrace_fibre_switch(void** saved, void* next_stack, void* next_thread)
   Loading these words takes longer than comparing them, and they hardly ever differ or hold an
   exception of the x87. */
function terrace_fibre_switch
        save_context
        mov     (%rsp), %eax
        movzwl  4(%rsp), %ecx
        movzwl  6(%rsp), %r8d
        wrfsbase %rdx
        mov     %rsi, %rsp
        cmp     (%rsp), %eax
        jne     1f
        cmp     4(%rsp), %cx
        jne     1f
        or      6(%rsp), %r8w
        test    $0x3f, %r8b
        jnz     1f
0:      return_into_context
1:      load_words
        jmp     0b
        .size   terrace_fibre_switch, . - terrace_fibre_switch

/* void terrace_fibre_park(void** saved, void* stack_end, void (*parked)(void*), void* argument)
   Debuggers that ask where the parked thread is find the fibre's stack, as it was left last: rbx
   holds `saved`, and what lies there leads to the caller. It counts as the frame of a signal,
   because the caller's stack may lie below this one. */
function terrace_fibre_park
        .cfi_startproc
        .cfi_signal_frame
        save_context
        mov     %rdi, %rbx
        mov     %rsi, %rsp
        mov     %rcx, %rdi
        xor     %ebp, %ebp
        /* CFA = *(void**)rbx + 64 */
        .cfi_escape 0x0f, 5, 0x73, 0, 0x06, 0x23, 64
        .cfi_offset %rip, -8
        .cfi_offset %rbp, -16
        .cfi_offset %rbx, -24
        .cfi_offset %r12, -32
        .cfi_offset %r13, -40
        .cfi_offset %r14, -48
        .cfi_offset %r15, -56
        call    *%rdx
        ud2
        .cfi_endproc
        .size   terrace_fibre_park, . - terrace_fibre_park

/* void terrace_fibre_resume(void* stack) */
function terrace_fibre_resume
        mov     %rdi, %rsp
        load_words
        return_into_context
        .size   terrace_fibre_resume, . - terrace_fibre_resume

#endif
        .section .note.GNU-stack, "", %progbits
