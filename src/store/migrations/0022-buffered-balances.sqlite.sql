-- A batch writes the figures of its changed sources here, and their rows are written once for many batches
-- (docs/decisions/2026-11-29-slots-of-the-embedded-store.md). A few rows are used again and again, as the rows of `hold_slots` are.
CREATE TABLE source_slots (
  slot INTEGER NOT NULL PRIMARY KEY,
  -- Increases by one when the figures of all slots are written to `sources`. Only rows with the cycle of slot 0 are valid.
  cycle INTEGER NOT NULL,
  -- JSON array of sources and of usage under rate limits, each an array of values (sqlite/buffered-balances.ts).
  -- A later slot replaces an earlier one.
  figures TEXT NOT NULL
) STRICT;
INSERT INTO source_slots (slot, cycle, figures) VALUES (0, 0, '[]');
