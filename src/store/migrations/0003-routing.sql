-- Routers, and calls for which more than one target was tried.

CREATE TABLE routers (
  application_id TEXT NOT NULL REFERENCES applications (id),
  -- No alias of the application has it.
  name TEXT NOT NULL,
  -- JSON: policy, targets by account id and name, rules of the attempts.
  definition TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (application_id, name)
) STRICT;

-- As call_hours, by account and the provider's model: each attempt of a call counts where it was made. Hours before this
-- version have none.
CREATE TABLE target_hours (
  application_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  hour INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  failed_client INTEGER NOT NULL,
  failed_limit INTEGER NOT NULL,
  failed_provider INTEGER NOT NULL,
  failed_ours INTEGER NOT NULL,
  latency TEXT NOT NULL,
  first_byte TEXT NOT NULL,
  PRIMARY KEY (application_id, mode, hour, account_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX target_hours_hour ON target_hours (hour);

-- Small calls with which the team tested whether an account responds (providers.probe). The rows are kept
-- after the account is deleted, because the calls had a cost.
CREATE TABLE probes (
  id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  account_id TEXT NOT NULL,
  model TEXT NOT NULL,
  status INTEGER,
  latency_ms INTEGER NOT NULL,
  input_tokens INTEGER,
  output_tokens INTEGER,
  -- Null: not known.
  cost_micros INTEGER CHECK (cost_micros >= 0),
  -- Null: it was answered.
  error_code TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX probes_account ON probes (organization_id, account_id, id);

-- JSON of the failed attempts, each with its own cost. Null if the first attempt succeeded, or if there was
-- no attempt.
ALTER TABLE usage_records ADD COLUMN attempts TEXT;
ALTER TABLE requests ADD COLUMN attempts TEXT;
-- The cost of these attempts for the application, although no end user was charged. Null if there was no
-- cost.
ALTER TABLE requests ADD COLUMN cost_micros INTEGER CHECK (cost_micros >= 0);
