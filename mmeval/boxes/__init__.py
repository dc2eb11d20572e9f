"""Boxes: read from replies, placed on their image, read from golds, and matched with each other."""
