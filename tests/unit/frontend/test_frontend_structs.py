"""Structures and complex numbers: nested, with arrays in them, by value, by address, initialised, copied as in C."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from plain_points import pipelined_point

from sisyphus import kernel_forms, request
from sisyphus.backends.hls import project
from sisyphus.ir import Scop
from sisyphus.plan import build_plan
from sisyphus.verification import run

HEAD = """typedef struct { float re, im; } C;
typedef struct { C a; C b[2]; float w[3]; int n; } Q;
struct pair { int x; struct { int y, z[2]; } in; };
static const struct pair table[2] = {{1, {2, {3, 4}}}, {5, {.z = {6, 7}}}};
"""
KERNELS = {
    "arrays of nested ones": """void k(Q p[6], C z[2][3]) { for (int i = 0; i < 6; i++) {
        p[i].a.re += p[i].b[1].im * p[i].w[2] + z[1][2].re;
        for (int j = 0; j < 3; j++) p[i].w[j] *= p[i].n; } }""",
    "by value": """void k(float o[6], Q q, const struct pair c) { for (int i = 0; i < 6; i++)
        o[i] += q.b[1].im * q.w[1] + c.in.z[1] + c.x; }""",
    "whole ones copied": """void k(Q p[6], Q o[6], C z) { for (int i = 0; i < 6; i++) {
        C t = p[i].a; Q u; u = p[i]; o[i] = u; Q v = p[i]; o[i].w[2] += v.w[1] + v.b[1].re;
        p[i].b[0] = t; p[i].b[1] = z; } }""",
    "initialised": """void k(int o[6]) {
        struct pair q[2] = {{1, {2, {3, 4}}}, {5}}; struct pair r = {.in = {.y = 9, .z = {7, 8}}};
        for (int i = 0; i < 2; i++) { o[i] = q[i].x + 10 * q[i].in.y + 100 * q[i].in.z[1] + r.in.z[i] + r.x;
          o[i + 2] = table[i].x + 10 * table[i].in.y + 100 * table[i].in.z[1]; } }""",
    "given to a function": """static float f(C a, const C *b) { return a.re * b->im - a.im * b->re; }
      void k(Q p[6], float o[6]) { for (int i = 0; i < 6; i++) o[i] = f(p[i].a, &p[i].b[1]); }""",
    "one given by its address, to functions, too": """
      static float row(const Q *q, int i) {
        float s = q->a.re; for (int j = 0; j < 2; j++) s += q->b[j].im * q->w[i % 3]; return s; }
      void k(const Q *q, C *z, float o[6]) {
        for (int i = 0; i < 6; i++) { o[i] = row(q, i) + q->w[2]; z->im += o[i]; } }""",
    "kept in the function, with arrays, and given by its address": """
      static void clear(Q *s) { for (int i = 0; i < 3; i++) s->w[i] = i; s->b[1].im = 2; }
      static float step(Q *s, float x) { float y = x - s->w[2] * s->b[1].im;
        for (int i = 2; i > 0; i--) s->w[i] = s->w[i - 1]; s->w[0] = y; s->b[1].im += 1; return y; }
      static float twice(Q *s, float x) { x = step(s, x); return step(s, x); }
      void k(Q p[2], float o[2]) { Q all = {{1, 2}, {{3, 4}, {5, 6}}, {7, 8, 9}, 1}, own;
        for (int i = 0; i < 2; i++) { clear(&own); o[i] = twice(&own, o[i]) + step(&all, own.w[2]);
          for (int j = 0; j < 3; j++) p[i].w[j] = own.w[j] + all.w[j]; } }""",
    "returned": """static C mul(C a, C b) { C r; r.re = a.re * b.re - a.im * b.im; r.im = a.re * b.im + a.im * b.re;
        return r; }
      static C turned(C a) { return (C){-a.im, a.re}; }
      static C bound(C a, float most) { if (a.re > most) return turned(a); a.im += most; return a; }
      static Q whole(Q q, C z) { q.a = bound(z, q.w[0]); q.b[1] = mul(q.b[0], turned(mul(z, q.a))); return q; }
      void k(Q p[6], C z[6], float o[6]) { for (int i = 0; i < 6; i++) {
        C t = mul(z[i], p[i].a); p[i] = whole(p[i], t); z[i] = (C){z[i].im, z[i].re};
        if (i % 2) o[i] = mul(t, z[i]).re; else if (bound(t, 1.0f).im > 0) o[i] += turned(turned(t)).im; } }""",
}

COMPLEX = {
    "returned": """#include <complex.h>
      static float complex turned(float complex a) { return a * I; }
      void k(float complex a[8], float complex b[8]) {
        for (int i = 0; i < 8; i++) b[i] = turned(a[i]) * b[i] + a[i]; }""",
    "products, quotients and parts": """#include <complex.h>
      typedef double complex cd;
      void k(float complex a[8], float complex b[8], float complex c[8], double complex d[8], cd e[2][4],
             float complex s, float r[8]) {
        for (int i = 0; i < 8; i++) {
          float complex t = a[i] * b[i];
          c[i] = c[i] * t + s - 2.0f * conjf(a[i]) / r[i];
          r[i] = cabsf(t) + crealf(a[i] * s) * cimagf(b[i]);
          if (a[i] == b[i]) c[i] += I; else c[i] = r[i] > 0 ? -a[i] : 1.5f;
          d[i] /= e[1][3] - 1.0;
        }
        for (int i = 0; i < 4; i++) { e[0][i] = 1.0 - e[1][i]; e[1][i] = 2.0 / e[1][i]; }
      }""",
    "inside of structures, sums and functions": """#include <complex.h>
      struct bin { float _Complex v[2]; int n; };
      static float power(float complex z) { return crealf(z) * crealf(z) + cimagf(z) * cimagf(z); }
      void k(struct bin p[6], float _Complex w[6], float o[6]) {
        for (int i = 0; i < 6; i++) {
          float complex sum = 0;
          for (int j = 0; j < 2; j++) sum += p[i].v[j] * w[i];
          o[i] = power(sum) * p[i].n + power(w[i] * CMPLXF(2.0f, 0.5f));
          p[i].v[0] = p[i].v[1] * p[i].v[0];
        }
      }""",
}
KERNELS |= COMPLEX


@pytest.mark.parametrize("name", KERNELS)
def test_structures_mean_what_they_mean_in_c(name: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text((HEAD if name not in COMPLEX else "") + KERNELS[name])
    kernel = kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))[0]
    plan = build_plan(kernel.scop, kernel.distribution, kernel.live, pipelined_point(kernel.scop, kernel.distribution))
    ran = run(project(plan), plan)
    assert ran.passed and ran.worst_error == 0, ran.checks


def test_fields_are_arguments_of_their_own(kernel: Callable[..., Scop]) -> None:
    scop = kernel(HEAD + KERNELS["arrays of nested ones"])
    members = {a.name: a.member.field for a in scop.arguments if a.member is not None}
    assert members["p_b_im"] == "{place}.b[{}].im" and members["p_a_re"] == "{place}.a.re"
    assert scop.array("p_b_im").extents == (6, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("init", ["{1, 2, 3, 4}", "{{1, 2, 3}, 4}"])
def test_values_without_the_braces_of_their_structure_are_refused(refusal: Callable[..., list[str]], init: str) -> None:
    text = f"{HEAD}void k(int o[2]) {{ struct pair q[2] = {init}; for (int i = 0; i < 2; i++) o[i] = q[i].in.z[0]; }}"
    assert refusal(text)
