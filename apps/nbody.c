// SPDX-License-Identifier: BSD-3-Clause
// Bodies that attract each other, by the method of Barnes and Hut: the pull of a group of bodies
// that is far away, for its size, is that of one body in its middle. The building of its tree is
// the second application of the paper on collectives (HPDC 2013, section 3.7): subspaces that cost
// too much are divided until there is none, and what each costs is the sum of what its bodies of
// all ranks cost, by an allreduce of another length each time. The paper: 4 million bodies.
//
//   mpicc -O2 nbody.c -lm
//   mpirun -n 8 ./a.out BODIES STEPS [plummer|uniform] [ANGLE]
//
// plummer: a cluster of stars, dense in its middle (default); uniform: a ball. ANGLE: a group is
// one body where its side is less than ANGLE times its distance (default 0.5).
// Each step moves the bodies (leapfrog), divides space, sends each body to the rank that has its
// subspace, sends each rank what it must know of the others' bodies, and adds up forces. A body
// costs as many pulls as it took in the last step.
//
// Prints what a step takes, and compares: costs of subspaces with a count by one rank, all of them
// and exactly; forces with sums over all bodies; energy with that of the beginning; and where the
// bodies are in the end with the same program on one rank. What the angle leaves out grows with its
// third power: the bounds are above what clusters and balls of 500 to 2000 bodies show.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "octree.h"

#define PARTS 8  // a subspace may cost one PARTS-th of what a rank ought to get

typedef struct Words {
  int bodies, steps, is_plummer;
  double angle;
} Words;

static Words words_from(int argc, char** argv) {
  long bodies = 0, steps = 0;
  double angle = 0.5;
  char* end[3] = {"?", "?", ""};
  if (argc >= 3) {
    bodies = strtol(argv[1], &end[0], 10);
    steps = strtol(argv[2], &end[1], 10);
  }
  const int is_plummer = argc < 4 || strcmp(argv[3], "plummer") == 0;
  if (argc == 5) angle = strtod(argv[4], &end[2]);
  if (argc > 5 || *end[0] || *end[1] || *end[2] || bodies < 1 || bodies > 10000000 || steps < 0 ||
      steps > 1000000 || !(angle >= 0 && angle <= 1) ||
      (!is_plummer && strcmp(argv[3], "uniform") != 0))
    refuse("nbody",
           "expected BODIES STEPS [plummer|uniform] [ANGLE], with 1 to 10000000 bodies,"
           " 0 to 1000000 steps, an angle of 0 to 1, as in 2000 10 plummer 0.5");
  return (Words){(int)bodies, (int)steps, is_plummer, angle};
}

/// A rank's part of them at first.
static Bodies own_bodies(const Words* words, int rank, int ranks) {
  const long total = words->bodies;
  const int first = (int)(total * rank / ranks), end = (int)(total * (rank + 1) / ranks);
  Bodies bodies = {memory((size_t)(end - first) * sizeof(Body)), end - first};
  for (int id = first; id < end; ++id) {
    Body* const body = &bodies.body[id - first];
    uint64_t seed = (uint64_t)id << 32;
    if (words->is_plummer)
      plummer(&seed, body);
    else
      uniform(&seed, body);
    body->mass = 1.0 / words->bodies;
    body->cost = 1;
    body->id = id;
    body->subspace = 0;
  }
  return bodies;
}

// --- Division of space: the part of building the tree in which all ranks take part.

typedef struct Subspace {
  double middle[3], half, cost;
  int children;  ///< the first of eight; 0: not divided
  int owner;     ///< rank; of those that are not divided
} Subspace;

typedef struct Space {
  Subspace* subspace;  ///< the first is all of it
  int count, rounds, longest;
  double talking;  ///< seconds in allreduce
} Space;

static void divide(Space* space, int parent) {
  space->subspace = longer(space->subspace, (size_t)(space->count + 8) * sizeof(Subspace));
  Subspace* const divided = &space->subspace[parent];
  divided->children = space->count;
  for (int octant = 0; octant < 8; ++octant) {
    Subspace* const child = &space->subspace[space->count++];
    *child = (Subspace){{0}, divided->half / 2, 0, 0, 0};
    middle_of_octant(divided->middle, divided->half, octant, child->middle);
  }
}

/// A cube around the bodies of all ranks.
static void begin_space(Space* space, const Bodies* bodies, MPI_Comm comm) {
  double half = 0;
  for (int i = 0; i < bodies->count; ++i)
    for (int k = 0; k < 3; ++k) half = fmax(half, fabs(bodies->body[i].at[k]));
  MPI_Allreduce(MPI_IN_PLACE, &half, 1, MPI_DOUBLE, MPI_MAX, comm);
  if (!(half < 1e100)) die("nbody", "a body is nowhere: its place is not a number");
  space->subspace = longer(space->subspace, sizeof(Subspace));
  space->subspace[0] = (Subspace){{0}, half * 1.001, 0, 0, 0};
  space->count = 1;
}

/// What the bodies of all ranks cost, in the subspaces from `first` on.
static void add_costs(Space* space, int first, const Bodies* bodies, MPI_Comm comm) {
  const int count = space->count - first;
  double* const cost = memory((size_t)count * sizeof(double));
  for (int i = 0; i < count; ++i) cost[i] = 0;
  for (int i = 0; i < bodies->count; ++i)
    if (bodies->body[i].subspace >= first)
      cost[bodies->body[i].subspace - first] += bodies->body[i].cost;
  const double before = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, cost, count, MPI_DOUBLE, MPI_SUM, comm);
  space->talking += MPI_Wtime() - before;
  for (int i = 0; i < count; ++i) space->subspace[first + i].cost = cost[i];
  space->longest = count > space->longest ? count : space->longest;
  ++space->rounds;
  free(cost);
}

/// Until no subspace is too heavy. All ranks come to the same division, since they have the same
/// sums.
static void divide_space(Space* space, Bodies* bodies, MPI_Comm comm) {
  int ranks, first = 0, is_over = 0;
  MPI_Comm_size(comm, &ranks);
  begin_space(space, bodies, comm);
  for (int i = 0; i < bodies->count; ++i) bodies->body[i].subspace = 0;
  add_costs(space, 0, bodies, comm);
  const double heavy = space->subspace[0].cost / (ranks * PARTS);
  for (int depth = 1; depth < DEEPEST && !is_over; ++depth) {
    const int end = space->count;
    for (int i = first; i < end; ++i)
      if (space->subspace[i].cost > heavy) divide(space, i);
    for (int i = 0; i < bodies->count; ++i) {
      Body* const body = &bodies->body[i];
      const Subspace* const parent = &space->subspace[body->subspace];
      if (parent->children) body->subspace = parent->children + octant_of(body->at, parent->middle);
    }
    first = end;
    is_over = space->count == end;
    if (!is_over) add_costs(space, first, bodies, comm);
  }
}

/// Subspaces along a curve through space, which is the tree's order; each rank gets a run of them.
static void share_out(Space* space, int index, int ranks, double* cost_before) {
  Subspace* const subspace = &space->subspace[index];
  if (subspace->children) {
    for (int octant = 0; octant < 8; ++octant)
      share_out(space, subspace->children + octant, ranks, cost_before);
    return;
  }
  const double part = (*cost_before + subspace->cost / 2) / space->subspace[0].cost;
  subspace->owner = part < 1 ? (int)(part * ranks) : ranks - 1;
  *cost_before += subspace->cost;
}

/// Sends each rank `count[rank]` things of `bytes` bytes, sorted by rank; what comes is the
/// caller's.
static void* exchange(const void* things, const int* count, size_t bytes, MPI_Comm comm,
                      int* came) {
  int ranks, sent = 0;
  MPI_Comm_size(comm, &ranks);
  int* const numbers = memory(3 * (size_t)ranks * sizeof(int));
  int *const coming = numbers, *const to = numbers + ranks, *const from = numbers + 2 * ranks;
  MPI_Alltoall(count, 1, MPI_INT, coming, 1, MPI_INT, comm);
  *came = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    to[rank] = sent;
    from[rank] = *came;
    sent += count[rank];
    *came += coming[rank];
  }
  void* const result = memory((size_t)*came * bytes);
  MPI_Datatype type;
  MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(things, count, to, type, result, coming, from, type, comm);
  MPI_Type_free(&type);
  free(numbers);
  return result;
}

static void move_to_owners(const Space* space, Bodies* bodies, MPI_Comm comm) {
  int ranks, sorted = 0;
  MPI_Comm_size(comm, &ranks);
  int* const count = memory((size_t)ranks * sizeof(int));
  Body* const by_owner = memory((size_t)bodies->count * sizeof(Body));
  for (int rank = 0; rank < ranks; ++rank) {
    const int first = sorted;
    for (int i = 0; i < bodies->count; ++i)
      if (space->subspace[bodies->body[i].subspace].owner == rank)
        by_owner[sorted++] = bodies->body[i];
    count[rank] = sorted - first;
  }
  free(bodies->body);
  bodies->body = exchange(by_owner, count, sizeof(Body), comm, &bodies->count);
  free(by_owner);
  free(count);
}

/// Square of the distance from a cube, 0 inside.
static double squared_distance(const double at[3], const Subspace* cube) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double beyond = fmax(0, fabs(at[k] - cube->middle[k]) - cube->half);
    sum += beyond * beyond;
  }
  return sum;
}

/// What bodies in a rank's subspaces must know of this tree: cells that are far from all of them,
/// and the bodies of others.
static void tell(const Tree* tree, int index, const Space* space, int rank, double angle,
                 Points* told) {
  const Cell* const cell = &tree->cell[index];
  double nearest = INFINITY;
  if (cell->first == cell->end) return;
  for (int i = 0; i < space->count; ++i)
    if (!space->subspace[i].children && space->subspace[i].owner == rank)
      nearest = fmin(nearest, squared_distance(cell->at, &space->subspace[i]));
  if (is_far(cell, nearest, angle)) {
    if (nearest < INFINITY) add_point(told, cell->at, cell->mass, -1);
  } else if (cell->children) {
    for (int octant = 0; octant < 8; ++octant)
      tell(tree, cell->children + octant, space, rank, angle, told);
  } else {
    for (int i = cell->first; i < cell->end; ++i)
      add_point(told, tree->points.point[i].at, tree->points.point[i].mass, -1);
  }
}

/// Makes the tree of the rank's own bodies, tells the others of it, and adds to it what they tell.
static void build_with_others(Tree* tree, const Space* space, const Bodies* bodies, double angle,
                              MPI_Comm comm) {
  Points told = {NULL, 0, 0};
  int own, ranks, came;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  tree->points.count = 0;
  for (int i = 0; i < bodies->count; ++i)
    add_point(&tree->points, bodies->body[i].at, bodies->body[i].mass, i);
  build(tree, space->subspace[0].half);
  int* const count = memory((size_t)ranks * sizeof(int));
  for (int rank = 0; rank < ranks; ++rank) {
    const int before = told.count;
    if (rank != own) tell(tree, 0, space, rank, angle, &told);
    count[rank] = told.count - before;
  }
  Point* const heard = exchange(told.point, count, sizeof(Point), comm, &came);
  for (int i = 0; i < came; ++i) add_point(&tree->points, heard[i].at, heard[i].mass, -1);
  if (came > 0) build(tree, space->subspace[0].half);
  free(heard);
  free(count);
  free(told.point);
}

// --- Forces and motion.

static double energy_of(const Bodies* bodies, const Force* forces, MPI_Comm comm) {
  double energy = 0;
  for (int i = 0; i < bodies->count; ++i) {
    const Body* const body = &bodies->body[i];
    double squared = 0;
    for (int k = 0; k < 3; ++k) squared += body->velocity[k] * body->velocity[k];
    energy += body->mass / 2 * (squared + forces[i].potential);
  }
  MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPI_DOUBLE, MPI_SUM, comm);
  return energy;
}

// --- Comparisons: one rank has all bodies.

/// Rank 0 gets them, in the order of ranks; others get none.
static Bodies all_bodies(const Bodies* bodies, MPI_Comm comm) {
  int own, ranks;
  Bodies all = {NULL, 0};
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  int* const count = memory((size_t)ranks * sizeof(int));
  for (int rank = 0; rank < ranks; ++rank) count[rank] = rank == 0 ? bodies->count : 0;
  all.body = exchange(bodies->body, count, sizeof(Body), comm, &all.count);
  free(count);
  return all;
}

/// Subspaces whose costs are not those that a count of all bodies by themselves gives.
static int wrong_costs(const Space* space, const Bodies* all) {
  double* const cost = memory((size_t)space->count * sizeof(double));
  int wrong = 0;
  for (int i = 0; i < space->count; ++i) cost[i] = 0;
  for (int i = 0; i < all->count; ++i) {
    const Body* const body = &all->body[i];
    int at = 0;
    cost[0] += body->cost;
    while (space->subspace[at].children) {
      at = space->subspace[at].children + octant_of(body->at, space->subspace[at].middle);
      cost[at] += body->cost;
    }
    wrong += at != body->subspace;
  }
  for (int i = 0; i < space->count; ++i) wrong += space->subspace[i].cost != cost[i];
  free(cost);
  return wrong;
}

/// Of forces against sums over all bodies, for a thousand bodies or all: the mean square of the
/// differences over the mean square of the forces, both as sums. Gathered in the same order.
static void direct_sums(const Bodies* all, const Force* forces, double sums[2]) {
  const int stride = all->count > 1000 ? all->count / 1000 : 1;
  for (int i = 0; i < all->count; i += stride) {
    Force exact = {{0}, 0, 0};
    for (int j = 0; j < all->count; ++j)
      if (j != i) pull(&exact, all->body[i].at, all->body[j].at, all->body[j].mass);
    for (int k = 0; k < 3; ++k) {
      const double difference = forces[i].pull[k] - exact.pull[k];
      sums[0] += difference * difference;
      sums[1] += exact.pull[k] * exact.pull[k];
    }
  }
}

static double error_of_forces(const Bodies* bodies, const Force* forces, MPI_Comm comm) {
  int own, ranks, came;
  double sums[2] = {0, 0};
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  Bodies all = all_bodies(bodies, comm);
  int* const count = memory((size_t)ranks * sizeof(int));
  for (int rank = 0; rank < ranks; ++rank) count[rank] = rank == 0 ? bodies->count : 0;
  Force* const gathered = exchange(forces, count, sizeof(Force), comm, &came);
  if (own == 0) direct_sums(&all, gathered, sums);
  MPI_Bcast(sums, 2, MPI_DOUBLE, 0, comm);
  free(gathered);
  free(count);
  free(all.body);
  return sums[1] > 0 ? sqrt(sums[0] / sums[1]) : 0;
}

// --- A run.

typedef struct Run {
  MPI_Comm comm;
  int rank, ranks;
  Bodies bodies;
  Force* forces;
  Space space;
  Tree tree;
  double energy_at_first, energy, error_of_forces;
  double dividing, talking, computing;  ///< seconds: division of space, its allreduces, forces
  int wrong;                            ///< costs; rank 0's
} Run;

static void divide_and_check(Run* run) {
  double cost_before = 0;
  MPI_Barrier(run->comm);
  const double before = MPI_Wtime();
  divide_space(&run->space, &run->bodies, run->comm);
  run->dividing += MPI_Wtime() - before;
  share_out(&run->space, 0, run->ranks, &cost_before);
  Bodies all = all_bodies(&run->bodies, run->comm);
  if (run->rank == 0) run->wrong += wrong_costs(&run->space, &all);
  free(all.body);
}

static void find_forces(Run* run, double angle) {
  divide_and_check(run);
  move_to_owners(&run->space, &run->bodies, run->comm);
  build_with_others(&run->tree, &run->space, &run->bodies, angle, run->comm);
  run->forces = longer(run->forces, (size_t)(run->bodies.count + 1) * sizeof(Force));
  const double before = MPI_Wtime();
  for (int i = 0; i < run->bodies.count; ++i) {
    Body* const body = &run->bodies.body[i];
    run->forces[i] = (Force){{0}, 0, 0};
    pull_of_cell(&run->forces[i], &run->tree, 0, body->at, i, angle);
    body->cost = run->forces[i].pulls;
  }
  run->computing += MPI_Wtime() - before;
}

static Run run_steps(const Words* words, MPI_Comm comm) {
  Run run;
  memset(&run, 0, sizeof(run));
  run.comm = comm;
  MPI_Comm_rank(comm, &run.rank);
  MPI_Comm_size(comm, &run.ranks);
  run.bodies = own_bodies(words, run.rank, run.ranks);
  find_forces(&run, words->angle);
  run.energy_at_first = energy_of(&run.bodies, run.forces, comm);
  for (int step = 0; step < words->steps; ++step) {
    kick(&run.bodies, run.forces);
    drift(&run.bodies);
    find_forces(&run, words->angle);
    kick(&run.bodies, run.forces);
  }
  run.energy = energy_of(&run.bodies, run.forces, comm);
  run.error_of_forces = error_of_forces(&run.bodies, run.forces, comm);
  return run;
}

static void end_run(Run* run) {
  free(run->bodies.body);
  free(run->forces);
  free(run->space.subspace);
  free(run->tree.cell);
  free(run->tree.points.point);
}

/// How far bodies are, in the mean, from where one rank brings them; at rank 0.
static double distance_from_serial(const Run* run, const Words* words) {
  const size_t total = (size_t)words->bodies;
  double sum = 0;
  Bodies all = all_bodies(&run->bodies, run->comm);
  if (run->rank == 0) {
    Run serial = run_steps(words, MPI_COMM_SELF);
    double(*const at)[3] = memory(total * sizeof(*at));
    for (int i = 0; i < serial.bodies.count; ++i)
      memcpy(at[serial.bodies.body[i].id], serial.bodies.body[i].at, sizeof(*at));
    for (int i = 0; i < all.count; ++i)
      for (int k = 0; k < 3; ++k) sum += pow(all.body[i].at[k] - at[all.body[i].id][k], 2);
    if (all.count != words->bodies || serial.bodies.count != words->bodies) sum = INFINITY;
    free(at);
    end_run(&serial);
  }
  free(all.body);
  return sqrt(sum / words->bodies);
}

/// What a run differs by from what it ought to be, and by how much it may.
typedef struct Difference {
  const char* name;
  double value, bound;
} Difference;

static int beyond_bounds(const Run* run, const Words* words) {
  const double angles = pow(words->angle, 3), time = STEP * words->steps;
  const double apart = distance_from_serial(run, words);
  const Difference differences[] = {
      {"forces", run->error_of_forces, angles / 16 + 1e-12},
      {"energy", fabs(run->energy / run->energy_at_first - 1), angles / 100 + 0.0005},
      {"places", apart, angles / 16 * time * time + 1e-12},
  };
  int beyond = 0;
  for (int i = 0; i < 3; ++i) {
    const Difference* const difference = &differences[i];
    const int is_within = difference->value <= difference->bound;  // which is false for no number
    if (run->rank == 0)
      printf("%s differ by %.2g, may by %.2g\n", difference->name, difference->value,
             difference->bound);
    beyond += !is_within;
  }
  return beyond;
}

static void print_times(const Run* run, const Words* words) {
  const double us = 1e6 / (words->steps + 1);
  double seconds[3] = {run->dividing, run->space.talking, run->computing};
  MPI_Allreduce(MPI_IN_PLACE, seconds, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (run->rank == 0)
    printf(
        "nbody: %d ranks, %d bodies, %d steps: division %.3f us, of which allreduce %.3f us,"
        " forces %.3f us; %.1f allreduces, the longest of %d costs\n",
        run->ranks, words->bodies, words->steps, seconds[0] * us, seconds[1] * us, seconds[2] * us,
        run->space.rounds / (words->steps + 1.0), run->space.longest);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Words words = words_from(argc, argv);
  Run run = run_steps(&words, MPI_COMM_WORLD);
  print_times(&run, &words);
  int wrong = run.wrong + beyond_bounds(&run, &words);
  MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (run.rank == 0) printf("all right %d\n", wrong);
  end_run(&run);
  MPI_Finalize();
  return wrong > 0;
}
