-- The row of the writer's state is written by each batch. It now also has the sums of usage of the last batches, so that
-- `usage_days` is written once for many batches (docs/decisions/2026-11-29-slots-of-the-embedded-store.md). A few rows are used
-- again and again, as the rows of `hold_slots` are.
CREATE TABLE writer_slots (
  slot INTEGER NOT NULL PRIMARY KEY,
  -- The last batch that wrote this row. The highest one tells whether a commit without an answer took place.
  batch INTEGER NOT NULL,
  ledger_sequence INTEGER NOT NULL,
  -- The sums of all batches up to this one are in `usage_days`. The highest one of all rows is valid.
  days_through INTEGER NOT NULL,
  -- JSON array of sums, each an array of values (sqlite/buffered-day-sums.ts). Ignored if `batch` is at most
  -- `days_through`.
  days TEXT NOT NULL
) STRICT;
INSERT INTO writer_slots (slot, batch, ledger_sequence, days_through, days)
  SELECT 0, batch, ledger_sequence, batch, '[]' FROM writer_state;
DROP TABLE writer_state;

CREATE VIEW writer_state AS
SELECT max(batch) AS batch, max(ledger_sequence) AS ledger_sequence, max(days_through) AS days_through FROM writer_slots;
