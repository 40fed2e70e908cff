"""`python -m sisyphus`: the same as `sisy`."""

from sisyphus.cli import main

main()
