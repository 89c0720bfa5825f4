-- Calls in flight, and nothing else: a settle or a release removes the row in the transaction that
-- writes how the call ended (requests, usage_records, ledger).
CREATE TABLE holds (
  call_id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  alias TEXT NOT NULL,
  quote_id TEXT NOT NULL,
  bound TEXT NOT NULL,
  worst_micros INTEGER NOT NULL CHECK (worst_micros >= 0),
  worst_credits INTEGER NOT NULL CHECK (worst_credits >= 0),
  legs TEXT NOT NULL,
  limits TEXT NOT NULL,
  outcome_slug TEXT,
  run_id TEXT,
  -- Who answers: provider account kind and id, upstream model. What recovery records.
  target TEXT NOT NULL,
  -- Our own count of the input, for a call whose provider never says.
  input_estimate INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  reserved_at_ms INTEGER NOT NULL,
  dispatched_at_ms INTEGER,
  -- JSON of the usage metered so far; null before the first checkpoint.
  checkpoint TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
  -- Rises with every entry of the store; the entry's id is led_ and this (ledger/sequence.ts).
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

-- One row per call that was charged: what it used and cost, and how it went. A second row for the latter
-- (in `requests`) would cost every call a fifteenth of its CPU, and an explanation should last as long as
-- its charge (docs/decisions/2026-11-21-one-row-per-call.md).
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

-- How each call went that was charged nothing: refused, released, recovered before it was sent. Never
-- content. May be pruned: money does not read it. With a rowid: rows of more than a quarter of a page
-- would each get a page of their own without one (sqlite.org/withoutrowid.html), and the trace of a
-- refusal is about that long.
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

-- One row: what the writer counts. `batch` tells whether a commit whose answer was lost took place.
CREATE TABLE writer_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  batch INTEGER NOT NULL,
  ledger_sequence INTEGER NOT NULL
) STRICT;
INSERT INTO writer_state (id, batch, ledger_sequence) VALUES (1, 0, 0);

-- What was recorded stays recorded: not even this process may rewrite it.
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
