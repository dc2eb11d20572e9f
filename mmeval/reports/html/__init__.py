"""Scores as one page that opens from disk: charts, and every sample with its whole trace.

`finding` says which scores, `turns` what was asked, `pictures` what was seen; `columns`, `flow`, `spread`,
`curve` and `pairs` gather what the page shows of the rows; `run` does so for one score, `page` puts all
together, `report` writes it.
"""
