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

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
