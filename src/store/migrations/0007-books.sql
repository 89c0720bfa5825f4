-- The books: what end users owe, what the business earned, and how mistakes are corrected.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

-- Credit that expires, and rollover.

-- Who paid for each request.

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
