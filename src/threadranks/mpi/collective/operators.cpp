// SPDX-License-Identifier: BSD-3-Clause
// Operators: predefined and user-defined.
#include "threadranks/mpi/collective/operators.hpp"

#include <cstring>
#include <limits>
#include <memory>

namespace terrace::threadranks::mpi {

std::optional<Operator> own_operator(MPI_Op op) {
  struct Row {
    MPI_Op handle;
    Operator op;
  };
  const Row rows[] = {
      {MPI_SUM, Operator::sum},
      {MPI_MIN, Operator::minimum},
      {MPI_MAX, Operator::maximum},
      {MPI_PROD, Operator::product},
      {MPI_BAND, Operator::bitwise_and},
      {MPI_BOR, Operator::bitwise_or},
      {MPI_BXOR, Operator::bitwise_xor},
      {MPI_LAND, Operator::logical_and},
      {MPI_LOR, Operator::logical_or},
      {MPI_LXOR, Operator::logical_xor},
      {MPI_MINLOC, Operator::minimum_location},
      {MPI_MAXLOC, Operator::maximum_location},
  };
  for (const Row& row : rows)
    if (row.handle == op) return row.op;
  return std::nullopt;
}

UserOperator* operator_of(MPI_Op op) {
  return object_of<UserOperator>(op);
}

bool find_combining(Caller& caller, const Layout& layout, MPI_Op op, Combining& combining) {
  if (caller.error()) return false;
  Elements& elements = combining.elements;
  elements.count = layout.count;
  elements.bytes = layout.type->size();
  if (const auto own = own_operator(op)) {
    elements.reduction = kernel_for(*layout.type, *own);
    if (elements.reduction == nullptr) {
      caller.fail(MPI_ERR_OP, "the operator is not defined for elements of that type");
      return false;
    }
    const NamedType& type = *layout.type->combined_as();
    elements.is_exact = is_exact(type.kind);
    elements.combination = combination_of(type.kind, type.bytes, *own);
    return true;
  }
  UserOperator* const users = operator_of(op);
  if (users == nullptr) {
    caller.fail(MPI_ERR_OP, "this is no operator");
    return false;
  }
  elements.in_rank_order = !users->commutes;
  elements.combination = Combination::of_others();
  elements.combiner = &combining.combiner.emplace(*users, *layout.type);
  return true;
}

namespace {

/// Collectives combine without the rank's lock, which an object's first handle needs.
MPI_Datatype numbered_handle_of(Datatype& type) {
  const RankCall call;
  return handle_of(&type);
}

template <class Handle>
void apply_with(Handle handle, const UserOperator& op, const void* in, void* inout,
                std::size_t count, const Datatype& type) {
  const auto function = reinterpret_cast<void (*)(void*, void*, int*, Handle*)>(op.function);
  const OutsideOfMpi outside;
  auto* from = static_cast<std::byte*>(const_cast<void*>(in));
  auto* to = static_cast<std::byte*>(inout);
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  while (count > 0) {
    int now = static_cast<int>(count < kMost ? count : kMost);
    function(from, to, &now, &handle);
    count -= static_cast<std::size_t>(now);
    from += type.extent() * now;
    to += type.extent() * now;
  }
}

void apply(const UserOperator& op, const void* in, void* inout, std::size_t count, Datatype& type) {
  apply_with(numbered_handle_of(type), op, in, inout, count, type);
}

void apply_in_fortran(const UserOperator& op, const void* in, void* inout, std::size_t count,
                      Datatype& type) {
  apply_with(PMPI_Type_c2f(numbered_handle_of(type)), op, in, inout, count, type);
}

void apply_large(const UserOperator& op, const void* in, void* inout, std::size_t count,
                 Datatype& type) {
  const auto function = reinterpret_cast<MPI_User_function_c*>(op.function);
  MPI_Datatype handle = numbered_handle_of(type);
  const OutsideOfMpi outside;
  auto now = static_cast<MPI_Count>(count);
  function(const_cast<void*>(in), inout, &now, &handle);
}

template <class Function>
int create(const char* name, UserOperator::Apply* how, Function* function, int commutes,
           MPI_Op* op) {
  if (function == nullptr) return fail(name, MPI_ERR_ARG, "the function is null");
  auto* const made = new UserOperator;
  made->apply = how;
  made->function = reinterpret_cast<void*>(function);
  made->commutes = commutes != 0;
  *op = handle_of_object<MPI_Op>(*made);
  return MPI_SUCCESS;
}

int reduce_local(const char* function, const void* in, void* inout, std::int64_t count,
                 MPI_Datatype type, MPI_Op op) {
  Caller caller(function, MPI_COMM_SELF);
  const Layout other = caller.layout(in, count, type), target = caller.layout(inout, count, type);
  Combining combining;
  if (!find_combining(caller, target, op, combining)) return caller.error();
  if (const UserOperator* const users = operator_of(op)) {
    users->apply(*users, in, inout, target.count, *target.type);
    return MPI_SUCCESS;
  }
  const std::size_t bytes = target.bytes();
  const auto first = std::make_unique<std::byte[]>(bytes + 1);
  const auto second = std::make_unique<std::byte[]>(bytes + 1);
  pack(other, first.get(), bytes);
  pack(target, second.get(), bytes);
  const void* operands[] = {first.get(), second.get()};
  void* result = second.get();
  combining.elements.reduction(operands, 2, &result, 1, target.count, Stores::cached);
  unpack(second.get(), target, bytes);
  return MPI_SUCCESS;
}

}  // namespace

void call_in_fortran(UserOperator& op) {
  op.apply = apply_in_fortran;
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Op_create, (MPI_User_function * function, int commutes, MPI_Op* op)) {
  const mpi::RankCall call;
  return mpi::create("MPI_Op_create", mpi::apply, function, commutes, op);
}
TERRACE_MPI(int, Op_create_c, (MPI_User_function_c * function, int commutes, MPI_Op* op)) {
  const mpi::RankCall call;
  return mpi::create("MPI_Op_create_c", mpi::apply_large, function, commutes, op);
}
TERRACE_MPI(int, Op_free, (MPI_Op * op)) {
  const mpi::RankCall call;
  auto* const ours = mpi::operator_of(*op);
  if (ours == nullptr)
    return mpi::fail("MPI_Op_free", MPI_ERR_OP, "this is not a user-defined operator");
  if (!ours->take_back())
    return mpi::fail("MPI_Op_free", MPI_ERR_OP, "the operator is freed already");
  ours->release();
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Op_commutative, (MPI_Op op, int* commutes)) {
  const auto* const ours = mpi::operator_of(op);
  const bool is_predefined = mpi::own_operator(op) || op == MPI_REPLACE || op == MPI_NO_OP;
  if (ours == nullptr && !is_predefined)
    return mpi::fail("MPI_Op_commutative", MPI_ERR_OP, "this is no operator");
  *commutes = ours == nullptr || ours->commutes;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Reduce_local,
            (const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op)) {
  return mpi::reduce_local("MPI_Reduce_local", in, inout, count, type, op);
}
TERRACE_MPI(int, Reduce_local_c,
            (const void* in, void* inout, MPI_Count count, MPI_Datatype type, MPI_Op op)) {
  return mpi::reduce_local("MPI_Reduce_local_c", in, inout, count, type, op);
}
