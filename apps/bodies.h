// SPDX-License-Identifier: BSD-3-Clause
// Bodies that attract each other: what one is, where it begins, how it pulls, how it moves.
// Their mass in all, the constant of gravity and the length of the models are 1.
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "ending.h"

#define STEP 0.01       // of time
#define SOFTENING 0.05  // length below which bodies hardly pull each other more

/// What is sent between ranks.
typedef struct Body {
  double at[3], velocity[3], mass;
  double cost;  ///< pulls in the last step
  int id, subspace;
} Body;

typedef struct Bodies {
  Body* body;
  int count;
} Bodies;

static inline void* memory(size_t bytes) {
  void* const room = malloc(bytes ? bytes : 1);
  if (!room) die("nbody", "no memory: ask for fewer bodies");
  return room;
}

static inline void* longer(void* old, size_t bytes) {
  void* const room = realloc(old, bytes);
  if (!room) die("nbody", "no memory: ask for fewer bodies");
  return room;
}

// --- Where bodies begin.

/// Numbers from 0 to 1 from a seed of the body's.
static inline double random_number(uint64_t* seed) {
  uint64_t mixed = *seed += 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return (double)((mixed ^ (mixed >> 31)) >> 11) / 9007199254740992.0;
}

static inline void any_direction(uint64_t* seed, double length, double vector[3]) {
  const double z = 2 * random_number(seed) - 1, angle = 6.283185307179586 * random_number(seed);
  vector[0] = length * sqrt(1 - z * z) * cos(angle);
  vector[1] = length * sqrt(1 - z * z) * sin(angle);
  vector[2] = length * z;
}

/// Plummer's model by the recipe of Aarseth, Henon and Wielen (1974), without its farthest bodies.
static inline void plummer(uint64_t* seed, Body* body) {
  double radius;
  do radius = 1 / sqrt(pow(random_number(seed), -2.0 / 3) - 1);
  while (!(radius < 10));
  double speed, likelihood;
  do {
    speed = random_number(seed);
    likelihood = speed * speed * pow(1 - speed * speed, 3.5);
  } while (0.1 * random_number(seed) > likelihood);
  any_direction(seed, radius, body->at);
  any_direction(seed, speed * sqrt(2) / pow(1 + radius * radius, 0.25), body->velocity);
}

/// A ball of radius 1 that neither shrinks nor grows at first.
static inline void uniform(uint64_t* seed, Body* body) {
  any_direction(seed, cbrt(random_number(seed)), body->at);
  any_direction(seed, sqrt(0.6), body->velocity);
}

// --- Forces and motion.

/// What pulls at a body, per unit of its mass.
typedef struct Force {
  double pull[3], potential, pulls;
} Force;

static inline void pull(Force* force, const double at[3], const double from[3], double mass) {
  double towards[3], squared = SOFTENING * SOFTENING;
  for (int k = 0; k < 3; ++k) {
    towards[k] = from[k] - at[k];
    squared += towards[k] * towards[k];
  }
  const double inverse = 1 / sqrt(squared), weight = mass * inverse * inverse * inverse;
  for (int k = 0; k < 3; ++k) force->pull[k] += weight * towards[k];
  force->potential -= mass * inverse;
  ++force->pulls;
}

/// Velocities change by half a step's forces, before and after places change by a step's
/// velocities.
static inline void kick(Bodies* bodies, const Force* forces) {
  for (int i = 0; i < bodies->count; ++i)
    for (int k = 0; k < 3; ++k) bodies->body[i].velocity[k] += STEP / 2 * forces[i].pull[k];
}

static inline void drift(Bodies* bodies) {
  for (int i = 0; i < bodies->count; ++i)
    for (int k = 0; k < 3; ++k) bodies->body[i].at[k] += STEP * bodies->body[i].velocity[k];
}
