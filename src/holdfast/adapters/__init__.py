"""Holdfast in programs of other shapes."""
