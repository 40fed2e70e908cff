"""Every cost formula, written once over an algebra, and the cost of a plan."""
