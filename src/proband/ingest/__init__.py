"""Documents to chunks to points: one generation at a time, resumable, in step with the catalogue."""
