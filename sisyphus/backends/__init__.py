"""What a Plan is printed as; one package per language."""
