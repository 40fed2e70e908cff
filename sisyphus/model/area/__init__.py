"""Registers, memories and multiplexers."""
