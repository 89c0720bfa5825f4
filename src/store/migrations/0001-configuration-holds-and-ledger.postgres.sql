-- The tables that grow with every call, as PostgreSQL stores them. Every key begins with the end user, or
-- with the application for calls that were not charged. So a distributed PostgreSQL can keep the rows of an
-- end user together. `ledger`, `usage_records` and `requests` are partitioned by month, and processes create
-- partitions ahead of time (monthly-partitions.ts). No default partition exists, because a row in the wrong partition
-- would not be noticed.

-- Only calls in flight. A settle or a release removes the row in the transaction that writes the end of the
-- call (requests, usage_records, ledger).
CREATE TABLE holds (
  call_id TEXT COLLATE "C" NOT NULL,
  application_id TEXT COLLATE "C" NOT NULL,
  end_user_id TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  mode TEXT COLLATE "C" NOT NULL,
  alias TEXT COLLATE "C" NOT NULL,
  quote_id TEXT COLLATE "C" NOT NULL,
  bound TEXT COLLATE "C" NOT NULL,
  worst_micros BIGINT NOT NULL CHECK (worst_micros >= 0),
  worst_credits BIGINT NOT NULL CHECK (worst_credits >= 0),
  legs TEXT COLLATE "C" NOT NULL,
  limits TEXT COLLATE "C" NOT NULL,
  outcome_slug TEXT COLLATE "C",
  run_id TEXT COLLATE "C",
  -- Who answers: provider account kind and id, upstream model. What recovery records.
  target TEXT COLLATE "C" NOT NULL,
  -- Our own count of the input, for a call whose provider never says.
  input_estimate BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  reserved_at_ms BIGINT NOT NULL,
  dispatched_at_ms BIGINT,
  -- JSON of the usage metered so far; null before the first checkpoint.
  checkpoint TEXT COLLATE "C",
  PRIMARY KEY (end_user_id, call_id)
);
CREATE INDEX holds_application ON holds (application_id, call_id);

CREATE TABLE ledger (
  -- Rises with every entry of the store; the entry's id is led_ and this (rows/ledger-entry-id.ts).
  sequence BIGINT NOT NULL,
  -- The entry before it of the same source; null for its first.
  previous BIGINT,
  end_user_id TEXT COLLATE "C" NOT NULL,
  mode TEXT COLLATE "C" NOT NULL,
  application_id TEXT COLLATE "C" NOT NULL,
  source_id TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('topup', 'grant', 'usage_debit', 'refund', 'reversal', 'adjustment')),
  unit TEXT COLLATE "C" NOT NULL CHECK (unit IN ('micros', 'credits')),
  amount BIGINT NOT NULL,
  balance_after BIGINT NOT NULL,
  -- The call that caused it, or null.
  call_id TEXT COLLATE "C",
  grant_id TEXT COLLATE "C",
  reason TEXT COLLATE "C",
  -- Null for entries of calls: their hold is closed once.
  idempotency_key TEXT COLLATE "C",
  created_at_ms BIGINT NOT NULL,
  -- A source's entries, newest first, are a walk of this index; the time is in it for the partitions.
  PRIMARY KEY (end_user_id, mode, source_id, sequence, created_at_ms)
) PARTITION BY RANGE (created_at_ms);
-- Not unique, since that would have to hold the time: the ledger looks here while it has the person's lock.
CREATE INDEX ledger_idempotency ON ledger (end_user_id, mode, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- One row per charged call: its usage, its cost and its outcome. Partitioned by the time in the ID of the
-- call.
CREATE TABLE usage_records (
  application_id TEXT COLLATE "C" NOT NULL,
  call_id TEXT COLLATE "C" NOT NULL,
  end_user_id TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  mode TEXT COLLATE "C" NOT NULL,
  alias TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  streamed BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  -- JSON of the Usage, without what is 0 or null.
  usage TEXT COLLATE "C" NOT NULL,
  -- provider_reported, estimated, recovered
  token_source TEXT COLLATE "C" NOT NULL,
  cost_micros BIGINT NOT NULL CHECK (cost_micros >= 0),
  billed_micros BIGINT NOT NULL CHECK (billed_micros >= 0),
  charge_micros BIGINT NOT NULL CHECK (charge_micros >= 0),
  over_hold_micros BIGINT NOT NULL CHECK (over_hold_micros >= 0),
  worst_micros BIGINT NOT NULL,
  -- The wallet after this settle, so that a repeated settle gets the first one's answer.
  wallet_posted_micros BIGINT NOT NULL,
  -- JSON: what each leg paid, in order.
  legs TEXT COLLATE "C" NOT NULL,
  quote_id TEXT COLLATE "C" NOT NULL,
  outcome_slug TEXT COLLATE "C",
  run_id TEXT COLLATE "C",
  settled_at_ms BIGINT NOT NULL,
  -- Its debits are the entries from this sequence on that name the call, one per leg; null: no debit.
  first_entry BIGINT,
  -- How the call went; the same columns as in `requests`.
  wire TEXT COLLATE "C" NOT NULL,
  http_status BIGINT NOT NULL,
  error_code TEXT COLLATE "C",
  at_ms BIGINT NOT NULL,
  latency_ms BIGINT NOT NULL,
  first_byte_ms BIGINT,
  trace TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (end_user_id, call_id)
) PARTITION BY RANGE (call_id);
-- Lists of an application's calls, newest first: all calls, the calls of one model name, and the few
-- recovered calls. A single call is found through the first index, by both modes.
CREATE INDEX usage_records_list ON usage_records (application_id, mode, call_id);
CREATE INDEX usage_records_alias ON usage_records (application_id, mode, alias, call_id);
CREATE INDEX usage_records_recovered ON usage_records (application_id, mode, call_id)
  WHERE token_source = 'recovered';

-- The outcome of each call that was not charged. Months can be pruned, because the ledger does not read them.
CREATE TABLE requests (
  application_id TEXT COLLATE "C" NOT NULL,
  call_id TEXT COLLATE "C" NOT NULL,
  mode TEXT COLLATE "C" NOT NULL,
  end_user_id TEXT COLLATE "C",
  key_id TEXT COLLATE "C",
  alias TEXT COLLATE "C",
  wire TEXT COLLATE "C" NOT NULL,
  streamed BIGINT NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('released', 'refused', 'recovered')),
  http_status BIGINT NOT NULL,
  error_code TEXT COLLATE "C",
  at_ms BIGINT NOT NULL,
  latency_ms BIGINT NOT NULL,
  first_byte_ms BIGINT,
  -- JSON of the steps, for requests.explain.
  trace TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (application_id, call_id)
) PARTITION BY RANGE (call_id);
CREATE INDEX requests_end_user ON requests (end_user_id, call_id) WHERE end_user_id IS NOT NULL;
CREATE INDEX requests_list ON requests (application_id, mode, call_id);
CREATE INDEX requests_alias ON requests (application_id, mode, alias, call_id);
CREATE INDEX requests_status ON requests (application_id, mode, status, call_id);

-- The numbers of ledger entries are taken in blocks (postgres/ledger-state.ts). A block belongs to one batch, so the
-- entries of one call have consecutive numbers even if other processes write at the same time.
CREATE SEQUENCE ledger_sequence INCREMENT BY 64;
CREATE SEQUENCE epoch_sequence;

-- When the process was last heard of, by this database's clock (postgres/process-lease.ts).
ALTER TABLE epochs ADD COLUMN beat_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp();
CREATE INDEX epochs_alive ON epochs (epoch) WHERE ended_at_ms IS NULL;

-- A lane of a process. Each batch of the lane locks the row first. `batch` counts the committed batches, so
-- that a commit whose response was lost can be looked up. `is_ended` prevents a process that was declared
-- dead from writing after its calls are recovered.
CREATE TABLE lanes (
  epoch BIGINT NOT NULL,
  lane BIGINT NOT NULL,
  batch BIGINT NOT NULL,
  is_ended BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (epoch, lane)
) WITH (fillfactor = 50);

-- The pages of rows that every call changes have room for the next version of the row (HOT updates).
ALTER TABLE sources SET (fillfactor = 70);
ALTER TABLE usage_days SET (fillfactor = 80);
ALTER TABLE outcome_runs SET (fillfactor = 80);
ALTER TABLE end_users SET (fillfactor = 85);

-- Lists, newest first.
CREATE INDEX end_users_list ON end_users (application_id, created_at_ms, id);
CREATE INDEX keys_list ON keys (application_id, mode, created_at_ms, id);
CREATE INDEX grants_list ON grants (application_id, mode, created_at_ms, id);
CREATE INDEX grants_pending ON grants (application_id, id) WHERE pending IS NOT NULL;

-- Records are append-only. No process can change them, including this one.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% is append-only', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
  END $$;
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger
  FOR EACH ROW EXECUTE FUNCTION refuse_change('ledger');
CREATE TRIGGER usage_records_append_only BEFORE UPDATE OR DELETE ON usage_records
  FOR EACH ROW EXECUTE FUNCTION refuse_change('usage_records');
CREATE TRIGGER quotes_append_only BEFORE UPDATE OR DELETE ON quotes
  FOR EACH ROW EXECUTE FUNCTION refuse_change('quotes');
CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('ledger');
CREATE TRIGGER usage_records_no_truncate BEFORE TRUNCATE ON usage_records
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('usage_records');
CREATE TRIGGER quotes_no_truncate BEFORE TRUNCATE ON quotes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('quotes');
