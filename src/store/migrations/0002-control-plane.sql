-- The control plane: people, portals, what an application sells and what its organization pays.

-- Audit.

-- People: members, invitations, sessions, device sign-ins.

-- Portal: handoffs, sessions, brand.

-- Gateway settings and the limits of an organization.

-- Subscriptions: invoices, test clocks, campaigns.

-- The organization: tiers and onboarding.

-- Reports: who answered a call that was charged nothing (as in `usage_records`), and those charged calls that
-- went wrong: a call that went well has no place in the index, and costs nothing for it.
ALTER TABLE requests ADD COLUMN target TEXT;
CREATE INDEX usage_records_failed ON usage_records (application_id, mode, call_id) WHERE error_code IS NOT NULL;
-- Charged calls that took longer than ten minutes: all others are found by when they began (rows/ended-calls.ts).
CREATE INDEX usage_records_long ON usage_records (application_id, mode, settled_at_ms)
  WHERE settled_at_ms - at_ms > 600000;
-- What the calls add up to that ended in an hour (since 1970, UTC), by account, name and bundle; '': none, or not known.
-- Written once the hour is over (call-fold.ts).
CREATE TABLE call_hours (
  application_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  hour INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  bundle TEXT NOT NULL,
  calls INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  failed_client INTEGER NOT NULL,
  failed_limit INTEGER NOT NULL,
  failed_provider INTEGER NOT NULL,
  failed_ours INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  charge_micros INTEGER NOT NULL,
  over_hold_micros INTEGER NOT NULL,
  -- Histograms (domain/histogram.ts): bucket and count in turn.
  latency TEXT NOT NULL,
  first_byte TEXT NOT NULL,
  PRIMARY KEY (application_id, mode, hour, account_id, alias, bundle)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_hours_hour ON call_hours (hour);
-- One row: the last hour that is in `call_hours`.
CREATE TABLE call_fold (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  through_hour INTEGER NOT NULL
) STRICT;
INSERT INTO call_fold (id, through_hour) VALUES (1, -1);
