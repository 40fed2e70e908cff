"""How often loops run, and how many tiles hold work."""
