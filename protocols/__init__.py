"""One folder, one benchmark: `metadata.json` says how it is scored, `README.md` where that comes from."""
