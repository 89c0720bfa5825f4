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

-- Bundles and provider accounts.
