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

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
