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

-- Credit that expires, and rollover.

-- Who paid for each request.

-- Corrections.

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.
-- The part of cost_micros that was computed at rates that the account's price does not know. Null in rows that are
-- older than the column: it is not known, and counts as nothing.
ALTER TABLE usage_records ADD COLUMN assumed_micros INTEGER;
ALTER TABLE requests ADD COLUMN assumed_micros INTEGER;
CREATE INDEX usage_records_assumed ON usage_records (application_id, mode, settled_at_ms) WHERE assumed_micros > 0;
CREATE INDEX requests_assumed ON requests (application_id, mode, at_ms) WHERE assumed_micros > 0;

-- Bundles and provider accounts.

-- Whether a request set debit_basis. Null in rows that are older than this column: then only 'sell_price' was set,
-- since 'provider_cost' is the default.
ALTER TABLE bundles ADD COLUMN is_debit_basis_chosen INTEGER CHECK (is_debit_basis_chosen IN (0, 1));
-- Who holds credits of a bundle, which is asked when its credit currency changes.
CREATE INDEX sources_credits ON sources (bundle_id, currency) WHERE unit = 'credits';
