-- The books: what end users owe, what the business earned, and how mistakes are corrected.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

-- Credit that expires, and rollover.

-- Who paid for each request.

-- NULL: the record is from before the split, and reports call its charge unattributed.
ALTER TABLE usage_records ADD COLUMN paid_plan_micros INTEGER;
ALTER TABLE usage_records ADD COLUMN paid_wallet_micros INTEGER;
ALTER TABLE usage_records ADD COLUMN paid_gift_micros INTEGER;
ALTER TABLE usage_records ADD COLUMN on_demand_micros INTEGER;
ALTER TABLE usage_records ADD COLUMN overdraft_micros INTEGER;

-- The part of a wallet's balance that no one paid for. NULL on a wallet: all of a positive balance was given,
-- because no operation took payments before. NULL on other sources: not applicable.
ALTER TABLE sources ADD COLUMN given INTEGER;

-- The given part of a wallet's entry. NULL: the kind of the entry decides it (src/money/paid.ts).
ALTER TABLE ledger ADD COLUMN given INTEGER;

-- Corrections.

-- The reference of the payment behind a top-up; null for every other kind of credit. A reference credits one end
-- user of an application and mode once. Grants from before this migration are gifts, and have none.
ALTER TABLE grants ADD COLUMN payment_reference TEXT;
CREATE UNIQUE INDEX grants_payment_reference ON grants (application_id, mode, payment_reference)
  WHERE payment_reference IS NOT NULL;
-- The grant that a reversal takes back; null for every other kind of credit.
ALTER TABLE grants ADD COLUMN reverses TEXT;
CREATE INDEX grants_reverses ON grants (application_id, reverses, id) WHERE reverses IS NOT NULL;

-- What a reversal has taken back so far, in micros, and from how many end users.
CREATE TABLE grant_reversals (
  application_id TEXT NOT NULL REFERENCES applications (id),
  id TEXT NOT NULL,
  grant_id TEXT NOT NULL,
  reversed_micros INTEGER NOT NULL,
  end_users INTEGER NOT NULL,
  PRIMARY KEY (application_id, id)
) STRICT, WITHOUT ROWID;

-- One row per refund of a call, and per recovered call whose true usage became known later. Written with its ledger
-- entries, and never changed. Amounts are differences: negative for a refund. The five parts by who paid are null for
-- calls from before the split, and otherwise add up to charge_micros. `number` counts the corrections of a call.
CREATE TABLE call_corrections (
  application_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('refund', 'late_usage')),
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  key_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  -- Slug of the bundle that sold the call; null if the call died with its process.
  bundle TEXT,
  account_id TEXT NOT NULL,
  outcome_slug TEXT,
  run_id TEXT,
  charge_micros INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  paid_plan_micros INTEGER,
  paid_wallet_micros INTEGER,
  paid_gift_micros INTEGER,
  on_demand_micros INTEGER,
  overdraft_micros INTEGER,
  -- JSON: what each source paid more, negative if it got money back; adds up to charge_micros.
  legs TEXT NOT NULL,
  -- JSON array of the sequences of its ledger entries.
  entries TEXT NOT NULL,
  -- JSON of the true usage; null for a refund.
  usage TEXT,
  reason TEXT NOT NULL,
  -- Who asked for it; null if the server found out by itself.
  actor TEXT,
  idempotency_key TEXT,
  request_hash TEXT,
  created_at_ms INTEGER NOT NULL,
  -- Days since 1970 (UTC) of created_at_ms. Reports count a correction on its own day.
  day INTEGER NOT NULL,
  PRIMARY KEY (application_id, call_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_corrections_days ON call_corrections (application_id, mode, day);
CREATE INDEX call_corrections_people ON call_corrections (end_user_id, mode, day);
-- A recovered call is corrected by its true usage once.
CREATE UNIQUE INDEX call_corrections_late ON call_corrections (application_id, call_id) WHERE kind = 'late_usage';

-- True usage of calls whose process was taken for dead, left behind by that process for a living one to settle.
-- A row is deleted once the call is corrected.
CREATE TABLE late_usage (
  call_id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  usage TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
