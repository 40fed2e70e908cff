"""C99 as people write it: preprocessing, parsing and translation to a Scop."""
