-- The books: what end users owe, what the business earned, and how mistakes are corrected.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

-- Credit that expires, and rollover.

-- Who paid for each request.

-- Corrections.

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Whether the costs that the provider states for the account and model differ from the gateway's. Null if the call's
-- usage states no cost, or if the record is older than the column.
ALTER TABLE usage_records ADD COLUMN disputed INTEGER;

-- Bundles and provider accounts.
