-- The books: what end users owe, what the business earned, and how mistakes are corrected.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

-- Credit that expires, and rollover.

-- Who paid for each request.

-- Corrections.

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.

-- Whether a request set debit_basis. Null in rows that are older than this column: then only 'sell_price' was set,
-- since 'provider_cost' is the default.
ALTER TABLE bundles ADD COLUMN is_debit_basis_chosen INTEGER CHECK (is_debit_basis_chosen IN (0, 1));
