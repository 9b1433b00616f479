// SPDX-License-Identifier: BSD-3-Clause
// lgamma and its kin, which tell the sign of the gamma function by a variable: the rank's.
#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variable, which it knows as `signgam`. It is defined under another name, since in
/// ISO C a program may have something else of that one.
int own_sign TERRACE_INSTEAD_OF(__signgam) = 0;
extern int own_sign_too TERRACE_ALSO_AS(signgam, __signgam);

}  // extern "C"

namespace terrace::rank_libc {

namespace {

#if defined(__x86_64__)
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif

template <class Number>
using Gamma = Number(Number, int*);

OfLibc<Gamma<double>> gamma_of_double("lgamma_r");
OfLibc<Gamma<float>> gamma_of_float("lgammaf_r");
OfLibc<Gamma<long double>> gamma_of_long("lgammal_r");
OfLibc<Gamma<Quad>> gamma_of_quad("lgammaf128_r");

template <class Number>
Number with_sign(OfLibc<Gamma<Number>>& function, Number x) {
  int sign = 0;
  const Number result = function(x, &sign);
  own_sign = sign;
  return result;
}

}  // namespace

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

double own_lgamma(double x) TERRACE_INSTEAD_OF(lgamma);
double own_lgamma(double x) {
  return with_sign(gamma_of_double, x);
}

float own_lgammaf(float x) TERRACE_INSTEAD_OF(lgammaf);
float own_lgammaf(float x) {
  return with_sign(gamma_of_float, x);
}

long double own_lgammal(long double x) TERRACE_INSTEAD_OF(lgammal);
long double own_lgammal(long double x) {
  return with_sign(gamma_of_long, x);
}

Quad own_lgammaf128(Quad x) TERRACE_INSTEAD_OF(lgammaf128);
Quad own_lgammaf128(Quad x) {
  return with_sign(gamma_of_quad, x);
}

// Other names of the same functions.
extern double own_gamma(double) TERRACE_ALSO_AS(gamma, lgamma);
extern double own_lgammaf64(double) TERRACE_ALSO_AS(lgammaf64, lgamma);
extern double own_lgammaf32x(double) TERRACE_ALSO_AS(lgammaf32x, lgamma);
extern float own_gammaf(float) TERRACE_ALSO_AS(gammaf, lgammaf);
extern float own_lgammaf32(float) TERRACE_ALSO_AS(lgammaf32, lgammaf);
extern long double own_gammal(long double) TERRACE_ALSO_AS(gammal, lgammal);
extern long double own_lgammaf64x(long double) TERRACE_ALSO_AS(lgammaf64x, lgammal);

}  // extern "C"
