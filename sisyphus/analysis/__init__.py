"""What may be done with a kernel: dependences, reductions, distribution, legality, liveness, footprints."""
