/* A header in the style of PolyBench/C 4.2.1, written for these tests: the same macro names with the same
 * expansions in kind (padding factors, heap arrays behind pointers, loop bounds by parameter or by size). */
#ifndef LOOKALIKE_POLYBENCH_H
# define LOOKALIKE_POLYBENCH_H

# include <stdlib.h>

# ifndef POLYBENCH_PADDING_FACTOR
#  define POLYBENCH_PADDING_FACTOR 0
# endif

# ifdef POLYBENCH_USE_C99_PROTO
#  define POLYBENCH_C99_SELECT(size, name) name
# else
#  define POLYBENCH_C99_SELECT(size, name) size
# endif

# ifdef POLYBENCH_USE_SCALAR_LB
#  define POLYBENCH_LOOP_BOUND(size, name) size
# else
#  define POLYBENCH_LOOP_BOUND(size, name) name
# endif

# ifdef POLYBENCH_USE_RESTRICT
#  define POLYBENCH_RESTRICT restrict
# else
#  define POLYBENCH_RESTRICT
# endif

# define PADDED(size, name) POLYBENCH_C99_SELECT(size, name) + POLYBENCH_PADDING_FACTOR

/* Arrays as parameters, and as variables. */
# define POLYBENCH_1D(v, s1, n1) v[POLYBENCH_RESTRICT PADDED(s1, n1)]
# define POLYBENCH_2D(v, s1, s2, n1, n2) v[POLYBENCH_RESTRICT PADDED(s1, n1)][PADDED(s2, n2)]
# define POLYBENCH_3D(v, s1, s2, s3, n1, n2, n3) v[POLYBENCH_RESTRICT PADDED(s1, n1)][PADDED(s2, n2)][PADDED(s3, n3)]
# define POLYBENCH_1D_F(v, s1, n1) v[PADDED(s1, n1)]
# define POLYBENCH_2D_F(v, s1, s2, n1, n2) v[PADDED(s1, n1)][PADDED(s2, n2)]
# define POLYBENCH_3D_F(v, s1, s2, s3, n1, n2, n3) v[PADDED(s1, n1)][PADDED(s2, n2)][PADDED(s3, n3)]

# ifndef POLYBENCH_STACK_ARRAYS
#  define POLYBENCH_ARRAY(v) *v
#  define POLYBENCH_DECL_VAR(v) (*v)
#  define POLYBENCH_FREE_ARRAY(v) free((void*)v);
#  define POLYBENCH_1D_ARRAY_DECL(v, type, s1, n1)                                                   \
  type POLYBENCH_1D_F(POLYBENCH_DECL_VAR(v), s1, n1);                                                \
  v = (type(*)[PADDED(s1, n1)])polybench_alloc_data (PADDED(s1, n1), sizeof(type));
#  define POLYBENCH_2D_ARRAY_DECL(v, type, s1, s2, n1, n2)                                           \
  type POLYBENCH_2D_F(POLYBENCH_DECL_VAR(v), s1, s2, n1, n2);                                        \
  v = (type(*)[PADDED(s1, n1)][PADDED(s2, n2)])                                                      \
      polybench_alloc_data ((PADDED(s1, n1)) * (PADDED(s2, n2)), sizeof(type));
# else
#  define POLYBENCH_ARRAY(v) v
#  define POLYBENCH_DECL_VAR(v) v
#  define POLYBENCH_FREE_ARRAY(v)
#  define POLYBENCH_1D_ARRAY_DECL(v, type, s1, n1) type POLYBENCH_1D_F(POLYBENCH_DECL_VAR(v), s1, n1);
#  define POLYBENCH_2D_ARRAY_DECL(v, type, s1, s2, n1, n2) \
  type POLYBENCH_2D_F(POLYBENCH_DECL_VAR(v), s1, s2, n1, n2);
# endif

# ifndef POLYBENCH_DUMP_ARRAYS
#  define POLYBENCH_DCE_ONLY_CODE    if (argc > 42 && ! strcmp(argv[0], ""))
# else
#  define POLYBENCH_DCE_ONLY_CODE
# endif

# define polybench_prevent_dce(call) \
  POLYBENCH_DCE_ONLY_CODE            \
  call

# define POLYBENCH_DUMP_TARGET stderr
# define POLYBENCH_DUMP_START    fprintf(POLYBENCH_DUMP_TARGET, "==BEGIN==\n")
# define POLYBENCH_DUMP_FINISH   fprintf(POLYBENCH_DUMP_TARGET, "==END==\n")
# define POLYBENCH_DUMP_BEGIN(s) fprintf(POLYBENCH_DUMP_TARGET, "begin: %s", s)
# define POLYBENCH_DUMP_END(s)   fprintf(POLYBENCH_DUMP_TARGET, "\nend: %s\n", s)

# ifdef POLYBENCH_TIME
#  define polybench_start_instruments polybench_timer_start();
#  define polybench_stop_instruments polybench_timer_stop();
#  define polybench_print_instruments polybench_timer_print();
extern void polybench_timer_start();
extern void polybench_timer_stop();
extern void polybench_timer_print();
# else
#  define polybench_start_instruments
#  define polybench_stop_instruments
#  define polybench_print_instruments
# endif

extern void* polybench_alloc_data(unsigned long long int n, int elt_size);
extern void polybench_free_data(void* ptr);

#endif
