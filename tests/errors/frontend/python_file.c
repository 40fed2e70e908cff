def f(a):
    return [2 * x for x in a]
