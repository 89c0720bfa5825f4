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
CREATE INDEX usage_records_assumed ON usage_records (application_id, mode, settled_at_ms) WHERE assumed_micros > 0;
CREATE INDEX requests_assumed ON requests (application_id, mode, at_ms) WHERE assumed_micros > 0;

-- Bundles and provider accounts.

-- Whether a request set debit_basis. Null in rows that are older than this column: then only 'sell_price' was set,
-- since 'provider_cost' is the default.
ALTER TABLE bundles ADD COLUMN is_debit_basis_chosen INTEGER CHECK (is_debit_basis_chosen IN (0, 1));
-- Who holds credits of a bundle, which is asked when its credit currency changes.
CREATE INDEX sources_credits ON sources (bundle_id, currency) WHERE unit = 'credits';
