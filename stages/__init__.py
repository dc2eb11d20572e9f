"""One file, one stage: `count_parse.py` is the stage `count-parse` is the class `CountParse`."""
