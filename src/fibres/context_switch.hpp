// SPDX-License-Identifier: BSD-3-Clause
// Switches of context, in assembler for each architecture: the registers that a function keeps for
// its caller, the modes of floating-point arithmetic, and the thread pointer, by which libc and
// compilers find all that belongs to a thread.
#pragma once

extern "C" {

/// Saves the caller's context on its stack and that stack's pointer in `saved`, and goes on with
/// another context, as the thread with that pointer. Returns when another context switches back.
void terrace_fibre_switch(void** saved, void* next_stack, void* next_thread);

/// Saves the caller's context in the same way, and calls `parked(argument)`, which does not return,
/// on another stack. Returns when another
/// one switches to this context, on any kernel thread.
void terrace_fibre_park(void** saved, void* stack_end, void (*parked)(void*), void* argument);

/// Goes on with a saved context, whose thread pointer is the caller's own.
[[noreturn]] void terrace_fibre_resume(void* stack);

}  // extern "C"
