-- The books: what end users owe, what the business earned, and how mistakes are corrected.

-- Invoices of on-demand usage.

-- Months of on-demand usage that end by then are closed: each is on an invoice, or had no usage, and the ledger debits
-- nothing to it any more. Null: none is closed yet. The ledger reads it with the account.
ALTER TABLE accounts ADD COLUMN on_demand_closed_until_ms INTEGER;
-- When the clock brings the next look at months that have ended. Null: there is nothing to look at, or nobody has
-- looked since on-demand was turned on. 0: months may have ended before there were such invoices, which are due now.
ALTER TABLE accounts ADD COLUMN on_demand_closes_at_ms INTEGER;
CREATE INDEX accounts_on_demand_closes ON accounts (on_demand_closes_at_ms) WHERE on_demand_closes_at_ms IS NOT NULL;
CREATE INDEX accounts_on_demand_unwatched ON accounts (end_user_id, mode)
  WHERE on_demand_enabled = 1 AND on_demand_closes_at_ms IS NULL;
UPDATE accounts SET on_demand_closes_at_ms = 0
  WHERE EXISTS (SELECT 1 FROM sources s
    WHERE s.end_user_id = accounts.end_user_id AND s.mode = accounts.mode AND s.kind = 'on_demand');

-- Grants and plan membership by mode.

-- Since when the terms of an include apply, by the real clock and by the application's test clock. `is_undated` is 1
-- where the terms may have applied before that: rows from before this migration (and rows that a process of the
-- release before adds, which names no time), for which money/plan-pools.ts keeps the rule of then.
ALTER TABLE bundle_includes ADD COLUMN since_ms INTEGER NOT NULL DEFAULT 9007199254740991;
ALTER TABLE bundle_includes ADD COLUMN since_test_ms INTEGER NOT NULL DEFAULT 9007199254740991;
ALTER TABLE bundle_includes ADD COLUMN is_undated INTEGER NOT NULL DEFAULT 1;

-- Former terms of includes, that were changed or removed. Grants of earlier moments are still made by them.
CREATE TABLE past_includes (
  bundle_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  slug TEXT NOT NULL,
  display_name TEXT NOT NULL,
  unit TEXT NOT NULL,
  amount INTEGER NOT NULL,
  price_micros INTEGER,
  then_on_demand INTEGER NOT NULL,
  recurring INTEGER NOT NULL,
  spillover_to TEXT,
  models TEXT,
  position INTEGER NOT NULL,
  since_ms INTEGER NOT NULL,
  since_test_ms INTEGER NOT NULL,
  is_undated INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  until_test_ms INTEGER NOT NULL,
  PRIMARY KEY (bundle_id, version)
) STRICT;

-- The plan of an end user in test mode, once a write in test mode has set it. Null: the plan of live mode, which is
-- end_users.bundle_id; it is always null in live mode.
ALTER TABLE accounts ADD COLUMN bundle_id TEXT;

-- Credit that expires, and rollover.

-- A grant with an end is a pool of its own for each end user: id 'credit/<grant>', without a bundle. Null: it lasts.
ALTER TABLE grants ADD COLUMN starts_at_ms INTEGER;
ALTER TABLE grants ADD COLUMN expires_at_ms INTEGER;

-- Share of a recurring pool's rest that is carried over, and how often at most. Null: nothing is.
ALTER TABLE bundle_includes ADD COLUMN rollover_percent INTEGER;
ALTER TABLE bundle_includes ADD COLUMN rollover_periods INTEGER;
ALTER TABLE past_includes ADD COLUMN rollover_percent INTEGER;
ALTER TABLE past_includes ADD COLUMN rollover_periods INTEGER;
ALTER TABLE sources ADD COLUMN rollover_percent INTEGER;
ALTER TABLE sources ADD COLUMN rollover_periods INTEGER;
-- How often the units of a pool were carried over; null: never.
ALTER TABLE sources ADD COLUMN rolled INTEGER;

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

-- The given part of a wallet's entry. NULL: the kind of the entry decides it (src/money/charge-split-by-payer.ts).
ALTER TABLE ledger ADD COLUMN given INTEGER;

-- The calls that an emitter is told of.
ALTER TABLE emitters ADD COLUMN amount TEXT NOT NULL DEFAULT 'all' CHECK (amount IN ('all', 'on_demand'));

-- Sums have 0 for charges from before the split: the parts add up to less than the charge, and the difference is
-- unattributed.
ALTER TABLE usage_days ADD COLUMN paid_plan_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN paid_wallet_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN paid_gift_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN on_demand_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN overdraft_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE application_days ADD COLUMN paid_plan_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE application_days ADD COLUMN paid_wallet_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE application_days ADD COLUMN paid_gift_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE application_days ADD COLUMN on_demand_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE application_days ADD COLUMN overdraft_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_hours ADD COLUMN paid_plan_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_hours ADD COLUMN paid_wallet_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_hours ADD COLUMN paid_gift_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_hours ADD COLUMN on_demand_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_hours ADD COLUMN overdraft_micros INTEGER NOT NULL DEFAULT 0;

-- Charged calls of outcome runs by the hour in which they ended, made with `call_hours`. Hours from before this table
-- are not in it.
CREATE TABLE run_hours (
  application_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  hour INTEGER NOT NULL,
  outcome_slug TEXT NOT NULL,
  run_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  charge_micros INTEGER NOT NULL,
  over_hold_micros INTEGER NOT NULL,
  paid_plan_micros INTEGER NOT NULL,
  paid_wallet_micros INTEGER NOT NULL,
  paid_gift_micros INTEGER NOT NULL,
  on_demand_micros INTEGER NOT NULL,
  overdraft_micros INTEGER NOT NULL,
  PRIMARY KEY (application_id, mode, hour, outcome_slug, run_id, end_user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_hours_hour ON run_hours (hour);

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
--
-- A line of keys is a key and its successors by rotation; one cap applies to all of them together. Both columns
-- are null for the first key of a line: the line has the key's own ID, and was started by the key's own actor.
ALTER TABLE keys ADD COLUMN line_id TEXT;
ALTER TABLE keys ADD COLUMN line_actor_type TEXT;
CREATE INDEX keys_line ON keys (line_id) WHERE line_id IS NOT NULL;
-- Keys that were rotated before: `replaced_by` links each key to its successor.
WITH RECURSIVE line (id, first_id, first_actor) AS (
  SELECT replaced_by, id, actor_type FROM keys
    WHERE replaced_by IS NOT NULL
      AND id NOT IN (SELECT replaced_by FROM keys WHERE replaced_by IS NOT NULL)
  UNION ALL
  SELECT keys.replaced_by, line.first_id, line.first_actor FROM line JOIN keys ON keys.id = line.id
    WHERE keys.replaced_by IS NOT NULL
)
UPDATE keys SET line_id = line.first_id, line_actor_type = line.first_actor FROM line WHERE line.id = keys.id;
-- What all keys that one end user created in the portal may spend together per `key_cap_period`. Null: no total.
-- An application without a row allows no portal keys; one with a row keeps what the row says.
ALTER TABLE portal_settings ADD COLUMN key_caps_total_micros INTEGER;
-- JSON of the end user's own limits in that mode (EndUserLimit). Null: none.
ALTER TABLE accounts ADD COLUMN spend_limits TEXT;

-- Assumed rates and disputed costs.
-- The part of cost_micros that was computed at rates that the account's price does not know. Null in rows that are
-- older than the column: it is not known, and counts as nothing.
ALTER TABLE usage_records ADD COLUMN assumed_micros INTEGER;
ALTER TABLE requests ADD COLUMN assumed_micros INTEGER;
CREATE INDEX usage_records_assumed ON usage_records (application_id, mode, settled_at_ms) WHERE assumed_micros > 0;
CREATE INDEX requests_assumed ON requests (application_id, mode, at_ms) WHERE assumed_micros > 0;

-- Whether the costs that the provider states for the account and model differ from the gateway's. Null if the call's
-- usage states no cost, or if the record is older than the column.
ALTER TABLE usage_records ADD COLUMN disputed INTEGER;

-- Bundles and provider accounts.

-- Whether a request set debit_basis. Null in rows that are older than this column: then only 'sell_price' was set,
-- since 'provider_cost' is the default.
ALTER TABLE bundles ADD COLUMN is_debit_basis_chosen INTEGER CHECK (is_debit_basis_chosen IN (0, 1));
-- Who holds credits of a bundle, which is asked when its credit currency changes.
CREATE INDEX sources_credits ON sources (bundle_id, currency) WHERE unit = 'credits';
