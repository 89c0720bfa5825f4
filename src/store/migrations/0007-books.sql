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

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
