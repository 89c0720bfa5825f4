CREATE TABLE ledger (
  -- Rises with every entry of the store; the entry's id is led_ and this (rows/ledger-entry-id.ts).
  sequence INTEGER NOT NULL PRIMARY KEY,
  -- The entry before it of the same source; null for its first. There is no index by person: it would
  -- cost every call a page of its own.
  previous INTEGER,
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  application_id TEXT NOT NULL,
  source_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('topup', 'grant', 'usage_debit', 'refund', 'reversal', 'adjustment')),
  unit TEXT NOT NULL CHECK (unit IN ('micros', 'credits')),
  amount INTEGER NOT NULL,
  balance_after INTEGER NOT NULL,
  -- The call that caused it, or null.
  call_id TEXT,
  grant_id TEXT,
  reason TEXT,
  -- Null for entries of calls: their usage record's key already makes them happen once.
  idempotency_key TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_idempotency ON ledger (end_user_id, mode, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- One row per charged call: its usage, its cost and its outcome. A second row for the outcome (in `requests`)
-- would cost every call a fifteenth of its CPU. An explanation is also kept as long as its charge
-- (docs/decisions/2026-11-29-rows-of-a-request.md).
CREATE TABLE usage_records (
  application_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  alias TEXT NOT NULL,
  target TEXT NOT NULL,
  streamed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  -- JSON of the Usage, without what is 0 or null.
  usage TEXT NOT NULL,
  -- provider_reported, estimated, recovered
  token_source TEXT NOT NULL,
  cost_micros INTEGER NOT NULL CHECK (cost_micros >= 0),
  billed_micros INTEGER NOT NULL CHECK (billed_micros >= 0),
  charge_micros INTEGER NOT NULL CHECK (charge_micros >= 0),
  over_hold_micros INTEGER NOT NULL CHECK (over_hold_micros >= 0),
  worst_micros INTEGER NOT NULL,
  -- The wallet after this settle, so that a repeated settle gets the first one's answer.
  wallet_posted_micros INTEGER NOT NULL,
  -- JSON: what each leg paid, in order.
  legs TEXT NOT NULL,
  quote_id TEXT NOT NULL,
  outcome_slug TEXT,
  run_id TEXT,
  settled_at_ms INTEGER NOT NULL,
  -- Its debits are the entries from this sequence on that name the call, one per leg; null: no debit.
  first_entry INTEGER,
  -- How the call went; the same columns as in `requests`.
  wire TEXT NOT NULL,
  http_status INTEGER NOT NULL,
  error_code TEXT,
  at_ms INTEGER NOT NULL,
  latency_ms INTEGER NOT NULL,
  first_byte_ms INTEGER,
  trace TEXT NOT NULL,
  PRIMARY KEY (application_id, call_id)
) STRICT, WITHOUT ROWID;

-- Calls in flight. Calls that were reserved together share a row, as a JSON array (sqlite/several-holds-per-row.ts),
-- and rows are used again. Adding and deleting a row for each call would cost a tenth of the CPU of a call
-- (docs/decisions/2026-11-29-slots-of-the-embedded-store.md).
CREATE TABLE hold_slots (
  slot INTEGER NOT NULL PRIMARY KEY,
  calls TEXT NOT NULL
) STRICT;

-- What the code reads them by. A slot is not written again only because a call of it was charged: that call
-- has a usage record, and so it is not in flight.
CREATE VIEW holds AS
SELECT
  c.value ->> 0 AS call_id,
  c.value ->> 1 AS application_id,
  c.value ->> 2 AS end_user_id,
  c.value ->> 3 AS key_id,
  c.value ->> 4 AS mode,
  c.value ->> '$[6][0]' AS alias,
  c.value ->> 5 AS quote_id,
  c.value ->> 6 AS bound,
  CAST(c.value ->> 7 AS INTEGER) AS worst_micros,
  CAST(c.value ->> 8 AS INTEGER) AS worst_credits,
  c.value ->> 9 AS legs,
  c.value ->> 10 AS limits,
  c.value ->> '$[11][0]' AS outcome_slug,
  c.value ->> '$[11][1]' AS run_id,
  -- Who answers: provider account kind and id, upstream model. What recovery records.
  c.value ->> 12 AS target,
  -- Our own count of the input, for a call whose provider never says.
  CAST(c.value ->> 13 AS INTEGER) AS input_estimate,
  CAST(c.value ->> 14 AS INTEGER) AS epoch,
  CAST(c.value ->> 15 AS INTEGER) AS reserved_at_ms,
  CAST(c.value ->> 16 AS INTEGER) AS dispatched_at_ms,
  -- JSON of the usage metered so far; null before the first checkpoint.
  c.value ->> 17 AS checkpoint
FROM hold_slots s, json_each(s.calls) c
WHERE NOT EXISTS (
  SELECT 1 FROM usage_records u WHERE u.application_id = c.value ->> 1 AND u.call_id = c.value ->> 0);

-- The outcome of each call that was not charged: rejected, released, or recovered before it was sent. The row
-- never has content of the call. Rows can be pruned, because the ledger does not read them. The table has a
-- rowid. Without a rowid, each row of more than a quarter of a page would get a page of its own
-- (sqlite.org/withoutrowid.html), and the trace of a rejection is about that long.
CREATE TABLE requests (
  application_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  end_user_id TEXT,
  key_id TEXT,
  alias TEXT,
  wire TEXT NOT NULL,
  streamed INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('released', 'refused', 'recovered')),
  http_status INTEGER NOT NULL,
  error_code TEXT,
  at_ms INTEGER NOT NULL,
  latency_ms INTEGER NOT NULL,
  first_byte_ms INTEGER,
  -- JSON of the steps, for requests.explain.
  trace TEXT NOT NULL,
  PRIMARY KEY (application_id, call_id)
) STRICT;

-- One row with the counters of the writer. `batch` shows whether a commit happened if its response was lost.
CREATE TABLE writer_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  batch INTEGER NOT NULL,
  ledger_sequence INTEGER NOT NULL
) STRICT;
INSERT INTO writer_state (id, batch, ledger_sequence) VALUES (1, 0, 0);

-- Records are append-only. No process can change them, including this one.
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER usage_records_no_update BEFORE UPDATE ON usage_records
  BEGIN SELECT RAISE(ABORT, 'usage_records is append-only'); END;
CREATE TRIGGER usage_records_no_delete BEFORE DELETE ON usage_records
  BEGIN SELECT RAISE(ABORT, 'usage_records is append-only'); END;
CREATE TRIGGER quotes_no_update BEFORE UPDATE ON quotes
  BEGIN SELECT RAISE(ABORT, 'quotes is append-only'); END;
CREATE TRIGGER quotes_no_delete BEFORE DELETE ON quotes
  BEGIN SELECT RAISE(ABORT, 'quotes is append-only'); END;
