// SPDX-License-Identifier: BSD-3-Clause
// The tree of Barnes and Hut (1986): cubes in cubes, eight in one, until few bodies are in each.
// The pull of a cube that is far away, for its size, is that of one body in its middle.
#pragma once

#include <string.h>

#include "bodies.h"

#define DEEPEST 40  // divisions of space; bodies at one place are never apart
#define BODIES_OF_LEAF 8

/// A body, or a group of them, that pulls.
typedef struct Point {
  double at[3], mass;
  int body;  ///< of this rank; -1: another rank's
} Point;

typedef struct Points {
  Point* point;
  int count, room;
} Points;

static inline void add_point(Points* points, const double at[3], double mass, int body) {
  if (points->count == points->room) {
    points->room = points->room ? 2 * points->room : 64;
    points->point = longer(points->point, (size_t)points->room * sizeof(Point));
  }
  points->point[points->count++] = (Point){{at[0], at[1], at[2]}, mass, body};
}

static inline int octant_of(const double at[3], const double middle[3]) {
  return (at[0] >= middle[0]) + 2 * (at[1] >= middle[1]) + 4 * (at[2] >= middle[2]);
}

static inline void middle_of_octant(const double middle[3], double half, int octant,
                                    double result[3]) {
  for (int i = 0; i < 3; ++i) result[i] = middle[i] + ((octant >> i & 1) ? half : -half) / 2;
}

typedef struct Cell {
  double middle[3], half;
  double at[3], mass;  ///< as one body
  int first, end;      ///< of its points
  int children;        ///< the first of eight; 0: none
} Cell;

typedef struct Tree {
  Cell* cell;
  int count, room;
  Points points;
} Tree;

/// Puts the points of a cell in the order of their octants; `begin` says where each begins.
static inline void sort_by_octant(const Cell* cell, Point* points, int begin[9]) {
  int count[8] = {0}, placed[8];
  Point* const unsorted = memory((size_t)(cell->end - cell->first) * sizeof(Point));
  for (int i = cell->first; i < cell->end; ++i) ++count[octant_of(points[i].at, cell->middle)];
  begin[0] = cell->first;
  for (int octant = 0; octant < 8; ++octant) {
    placed[octant] = begin[octant];
    begin[octant + 1] = begin[octant] + count[octant];
  }
  memcpy(unsorted, points + cell->first, (size_t)(cell->end - cell->first) * sizeof(Point));
  for (int i = 0; i < cell->end - cell->first; ++i)
    points[placed[octant_of(unsorted[i].at, cell->middle)]++] = unsorted[i];
  free(unsorted);
}

static inline void sum_up(Cell* cell, const Point* points) {
  for (int i = cell->first; i < cell->end; ++i) {
    cell->mass += points[i].mass;
    for (int k = 0; k < 3; ++k) cell->at[k] += points[i].mass * points[i].at[k];
  }
  for (int k = 0; k < 3; ++k) cell->at[k] = cell->mass > 0 ? cell->at[k] / cell->mass : 0;
}

/// The cells below one that has its points, by as many levels as `deeper`.
static inline void grow(Tree* tree, int index, int deeper) {
  sum_up(&tree->cell[index], tree->points.point);
  const Cell cell = tree->cell[index];
  int begin[9];
  if (cell.end - cell.first <= BODIES_OF_LEAF || deeper == 0) return;
  if (tree->count + 8 > tree->room) {
    tree->room = 2 * tree->room + 8;
    tree->cell = longer(tree->cell, (size_t)tree->room * sizeof(Cell));
  }
  const int children = tree->cell[index].children = tree->count;
  tree->count += 8;
  sort_by_octant(&cell, tree->points.point, begin);
  for (int octant = 0; octant < 8; ++octant) {
    Cell* const child = &tree->cell[children + octant];
    *child = (Cell){{0}, cell.half / 2, {0}, 0, begin[octant], begin[octant + 1], 0};
    middle_of_octant(cell.middle, cell.half, octant, child->middle);
    grow(tree, children + octant, deeper - 1);
  }
}

/// Of `tree->points`, in a cube around (0, 0, 0).
static inline void build(Tree* tree, double half) {
  tree->cell = longer(tree->cell, 9 * sizeof(Cell));
  tree->room = 9;
  tree->count = 1;
  tree->cell[0] = (Cell){{0}, half, {0}, 0, 0, tree->points.count, 0};
  grow(tree, 0, DEEPEST);
}

static inline int is_far(const Cell* cell, double squared, double angle) {
  return 4 * cell->half * cell->half < angle * angle * squared;
}

static inline void pull_of_cell(Force* force, const Tree* tree, int index, const double at[3],
                                int body, double angle) {
  const Cell* const cell = &tree->cell[index];
  double squared = 0;
  if (cell->first == cell->end) return;
  for (int k = 0; k < 3; ++k) squared += (cell->at[k] - at[k]) * (cell->at[k] - at[k]);
  if (is_far(cell, squared, angle)) {
    pull(force, at, cell->at, cell->mass);
  } else if (cell->children) {
    for (int octant = 0; octant < 8; ++octant)
      pull_of_cell(force, tree, cell->children + octant, at, body, angle);
  } else {
    for (int i = cell->first; i < cell->end; ++i)
      if (tree->points.point[i].body != body)
        pull(force, at, tree->points.point[i].at, tree->points.point[i].mass);
  }
}
