"""What the formulas ask of a nest, read from a plan or from the candidates of a space."""
