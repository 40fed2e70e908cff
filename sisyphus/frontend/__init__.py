"""Source text to Scop; refuses what is not affine, with reasons."""
