"""Scores in the forms that others read: one file a format."""
