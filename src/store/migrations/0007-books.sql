-- The books: what end users owe, what the business earned, and how mistakes are corrected.

-- Invoices of on-demand usage.

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

-- Bundles and provider accounts.
