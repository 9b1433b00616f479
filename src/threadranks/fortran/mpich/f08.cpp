// SPDX-License-Identifier: BSD-3-Clause
// Functions of the module mpi_f08. Handles are of types with one integer, which Fortran passes as
// it passes integers; buffers come as descriptions of arrays, which may be sections with gaps.
#include <f08_names.hpp>
#include <sections.hpp>

#include <cstring>
#include <utility>

#include "threadranks/fortran/bindings.hpp"

namespace terrace::fortran {
namespace {

/// An array as gfortran describes it: since GCC 9, and for as long as there is libgfortran.so.5.
struct Description {
  std::byte* base;
  std::size_t offset;
  std::size_t element_bytes;
  int version;
  signed char rank, type;
  short attribute;
  std::ptrdiff_t span;  ///< bytes for which a stride of 1 stands
  struct Dimension {
    std::ptrdiff_t stride, lower, upper;
  } dimensions[Section::kMostDimensions];
};

std::ptrdiff_t extent_of(const Description::Dimension& dimension) {
  return dimension.upper - dimension.lower + 1;
}

/// Whether the elements lie one after the other. The last extent of an array of assumed size is
/// not known, so that it is negative.
bool is_contiguous(const Description* array) {
  const std::ptrdiff_t unit = array->span;
  auto expected = static_cast<std::ptrdiff_t>(array->element_bytes);
  bool has_gaps = false;
  for (int i = 0; i < array->rank; ++i) {
    const std::ptrdiff_t extent = extent_of(array->dimensions[i]);
    if (extent <= 0) return true;
    has_gaps = has_gaps || (extent > 1 && array->dimensions[i].stride * unit != expected);
    expected *= extent;
  }
  return !has_gaps || array->element_bytes == 0;
}
/// Other arguments.
bool is_contiguous(const void*) {
  return true;
}

Section section_of(const Description& array) {
  Section section;
  section.first = array.base;
  section.element_bytes = array.element_bytes;
  section.rank = array.rank;
  for (int i = 0; i < array.rank; ++i)
    section.dimensions[i] = {extent_of(array.dimensions[i]),
                             array.dimensions[i].stride * array.span};
  return section;
}

void* place_of(const Description* array) {
  return is_buffer_automatic(array->base) ? MPI_BUFFER_AUTOMATIC : array->base;
}
template <class Other>
Other* place_of(Other* place) {
  return place;
}

/// The use that a function makes of a buffer.
enum class Use {
  address,   ///< takes its address, or a single element
  whole,     ///< keeps it, so that it must be contiguous
  elements,  ///< moves elements of a type, whose number and type are the next two arguments
  copies,    ///< anything else: gets a copy of a section with gaps
};

/// The sections of a call.
class Sections {
 public:
  explicit Sections(const char* function) : function_(function) {}
  Sections(const Sections&) = delete;
  Sections& operator=(const Sections&) = delete;
  ~Sections() {
    for (int i = 0; i < types_; ++i) PMPI_Type_free(&type_[i]);
  }

  int error() const { return error_; }

  void refuse() {
    error_ = MPII_Fail(function_, MPI_ERR_BUFFER, "the buffer is a section of an array with gaps");
  }
  /// One element of a type instead of some of another one.
  template <class Count>
  void describe(const Description& array, const Count*& count, const MPI_Fint*& type) {
    static constexpr Count kOne = 1;
    const Section section = section_of(array);
    error_ = MPII_Section_type(function_, &section, *count, *type, &type_[types_]);
    if (error_ != MPI_SUCCESS) return;
    count = &kOne;
    type = &type_[types_++];
  }
  template <class Place>
  void copy(const Description& array, bool is_written, Place& place) {
    const Section section = section_of(array);
    SectionCopy* const copy = MPII_Section_copy(&section, is_written);
    copy_[copies_++] = copy;
    place = MPII_Section_bytes(copy);
  }
  /// `request` null: the call has made none.
  void end(const MPI_Fint* request) {
    for (int i = 0; i < copies_; ++i)
      if (request != nullptr)
        MPII_Section_end_with(copy_[i], *request);
      else
        MPII_Section_end(copy_[i]);
  }

 private:
  static constexpr int kMost = 2;

  const char* function_;
  int error_ = MPI_SUCCESS;
  int types_ = 0, copies_ = 0;
  MPI_Datatype type_[kMost];
  SectionCopy* copy_[kMost];
};

template <class C>
constexpr bool kIsBuffer = std::is_same_v<C, void*> || std::is_same_v<C, const void*>;
template <class C>
using FromFortran =
    std::conditional_t<kIsBuffer<C>, const Description*, typename Argument<C>::Type>;

/// `name` is for messages.
template <auto function, const char* name, Use use, bool has_request>
struct WithBuffers;
template <class... C, int (*function)(C...), const char* name, Use use, bool has_request>
struct WithBuffers<function, name, use, has_request> {
  using Usual = Binding<function>;
  using Places = std::tuple<typename Argument<C>::Type...>;

  /// The argument at `i`, if it is a buffer with gaps.
  template <std::size_t i>
  static void prepare(Sections& sections, const std::tuple<FromFortran<C>...>& given,
                      Places& places) {
    using Type = std::tuple_element_t<i, std::tuple<C...>>;
    if constexpr (kIsBuffer<Type>) {
      const Description* const array = std::get<i>(given);
      if (is_contiguous(array) || sections.error() != MPI_SUCCESS) return;
      if constexpr (use == Use::whole)
        sections.refuse();
      else if constexpr (use == Use::elements)
        sections.describe(*array, std::get<i + 1>(places), std::get<i + 2>(places));
      else
        sections.copy(*array, std::is_same_v<Type, void*>, std::get<i>(places));
    }
  }

  template <std::size_t... i, class... Length>
  static void call_with_gaps(std::index_sequence<i...>, const std::tuple<FromFortran<C>...>& given,
                             MPI_Fint* error, Length... length) {
    Sections sections(name);
    Places places(place_of(std::get<i>(given))...);
    (prepare<i>(sections, given, places), ...);
    *error = sections.error();
    if (*error == MPI_SUCCESS) Usual::call()(std::get<i>(places)..., error, length...);
    const MPI_Fint* request = nullptr;
    if constexpr (has_request) request = std::get<sizeof...(C) - 1>(places);
    sections.end(*error == MPI_SUCCESS ? request : nullptr);
  }

  template <class... Length>
  static void call_any(const std::tuple<FromFortran<C>...>& given, MPI_Fint* error,
                       Length... length) {
    MPI_Fint own;
    if (error == nullptr) error = &own;
    const auto are_contiguous = [](auto*... place) { return (... && is_contiguous(place)); };
    if (use == Use::address || std::apply(are_contiguous, given))
      std::apply([&](auto*... place) { Usual::call()(place_of(place)..., error, length...); },
                 given);
    else
      call_with_gaps(std::index_sequence_for<C...>(), given, error, length...);
  }

  static void without_text(FromFortran<C>... given, MPI_Fint* error) {
    call_any({given...}, error);
  }
  static void with_text(FromFortran<C>... given, MPI_Fint* error, std::size_t length) {
    call_any({given...}, error, length);
  }
};

}  // namespace
}  // namespace terrace::fortran

using terrace::fortran::Binding;
using terrace::fortran::Description;
using terrace::fortran::Use;
using terrace::fortran::WithBuffers;
using terrace::fortran::WithoutError;

#define TERRACE_F08(Name, name) \
  TERRACE_F08_NAMES(name, _f08_, WithoutError<Binding<&MPI_##Name>::call()>::call)
#define TERRACE_F08_WITH(text, Name, name, use, has_request)     \
  static constexpr char terrace_name_of_##name[] = "MPI_" #Name; \
  TERRACE_F08_NAMES(                                             \
      name, _f08ts_,                                             \
      (WithBuffers<&MPI_##Name, terrace_name_of_##name, Use::use, has_request>::text))
#define TERRACE_F08_BUFFERS(Name, name, use, has_request) \
  TERRACE_F08_WITH(without_text, Name, name, use, has_request)
#define TERRACE_F08_BUFFERS_AND_TEXT(Name, name, use, has_request) \
  TERRACE_F08_WITH(with_text, Name, name, use, has_request)
#include "threadranks/fortran/mpich/names_f08.h"

#pragma GCC visibility push(default)

/// Under both of its names.
#define TERRACE_F08_ONLY(Result, name, parameters)                              \
  extern "C" [[gnu::alias("pmpi_" #name "_")]] Result mpi_##name##_ parameters; \
  extern "C" Result pmpi_##name##_ parameters

/// The compiler does not know that this does nothing.
TERRACE_F08_ONLY(void, f_sync_reg_f08ts, (const Description*)) {}
TERRACE_F08_ONLY(void, sizeof_f08ts, (const Description* array, MPI_Fint* size, MPI_Fint* error)) {
  *size = static_cast<MPI_Fint>(array->element_bytes);
  if (error != nullptr) *error = MPI_SUCCESS;
}

// The status of mpif.h is an array of the same numbers.
TERRACE_F08_ONLY(void, status_f2f08_f08,
                 (const MPI_Fint* numbers, MPI_Status* status, MPI_Fint* error)) {
  std::memcpy(status, numbers, sizeof *status);
  if (error != nullptr) *error = MPI_SUCCESS;
}
TERRACE_F08_ONLY(void, status_f082f_f08,
                 (const MPI_Status* status, MPI_Fint* numbers, MPI_Fint* error)) {
  std::memcpy(numbers, status, sizeof *status);
  if (error != nullptr) *error = MPI_SUCCESS;
}

extern "C" {

// Names by which the module begins MPI, and which other MPIs' libraries do not have. A tool may
// replace the standard's names.
void mpi_init_f08_(MPI_Fint*);
void mpi_init_thread_f08_(const MPI_Fint*, MPI_Fint*, MPI_Fint*);
void terrace_f08_init(MPI_Fint* error) {
  mpi_init_f08_(error);
}
void terrace_f08_init_thread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  mpi_init_thread_f08_(required, provided, error);
}

#define TERRACE_COMPARE(type)                                                  \
  MPI_Fint mpi_##type##_equals_(const MPI_Fint* one, const MPI_Fint* other) {  \
    return *one == *other;                                                     \
  }                                                                            \
  MPI_Fint mpi_##type##_differs_(const MPI_Fint* one, const MPI_Fint* other) { \
    return *one != *other;                                                     \
  }
TERRACE_COMPARE(comm)
TERRACE_COMPARE(datatype)
TERRACE_COMPARE(errhandler)
TERRACE_COMPARE(file)
TERRACE_COMPARE(group)
TERRACE_COMPARE(info)
TERRACE_COMPARE(message)
TERRACE_COMPARE(op)
TERRACE_COMPARE(request)
TERRACE_COMPARE(session)
TERRACE_COMPARE(win)

// Where a representation of files needs no conversion. MPI does not call it.
void mpi_conversion_fn_null_() {}
void mpi_conversion_fn_null_c_() {}

}  // extern "C"

#pragma GCC visibility pop
