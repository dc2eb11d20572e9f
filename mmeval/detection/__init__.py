"""Average precision of boxes, by the evaluators that define it: COCOeval and LVISEval.

Columns of golds and detections go in (`columns`), the precision and recall tables of an evaluator come out
(`evaluate`), and the official numbers are read off them (`figures`), the same way for every backend.
"""
