"""Benchmarks of boxes, made from the annotation files that their authors publish.

`open_annotations` takes a file or folder and the name of its layout; one file per family says which rows it
holds, in which order, and what is asked.
"""
