-- The control plane: people, portals, what an application sells and what its organization pays.

-- Audit.

-- People: members, invitations, sessions, device sign-ins.

-- Portal: handoffs, sessions, brand.

-- Gateway settings and the limits of an organization.

-- Subscriptions: invoices, test clocks, campaigns.

-- How far test mode is ahead of the real time (domain/test-clock.ts); null: not at all.
ALTER TABLE applications ADD COLUMN test_clock_offset_ms INTEGER;

-- The subscription of a person in one mode. The times of both modes differ by the test clock. The ledger reads the
-- first four columns with the account; the others are what invoices are made of (money/invoice.ts).
-- When its periods began, and when the person came to the bundle; null: as the person's row says.
ALTER TABLE accounts ADD COLUMN subscribed_at_ms INTEGER;
ALTER TABLE accounts ADD COLUMN bundle_since_ms INTEGER;
-- From then on the person is on no plan; null: until they are put on another one.
ALTER TABLE accounts ADD COLUMN plan_ends_at_ms INTEGER;
-- From then on an invoice is past due, and on-demand pays for nothing new; null: no invoice is unpaid, or to come.
ALTER TABLE accounts ADD COLUMN on_demand_until_ms INTEGER;
-- The price and the interval for which the person came to the plan; the interval is null until they are known.
ALTER TABLE accounts ADD COLUMN price_micros INTEGER CHECK (price_micros > 0);
ALTER TABLE accounts ADD COLUMN billing_interval TEXT CHECK (billing_interval IN ('month', 'year'));
ALTER TABLE accounts ADD COLUMN covered_name TEXT;
ALTER TABLE accounts ADD COLUMN covered_price_micros INTEGER CHECK (covered_price_micros >= 0);
ALTER TABLE accounts ADD COLUMN covered_days INTEGER CHECK (covered_days > 0);
ALTER TABLE accounts ADD COLUMN covered_until_ms INTEGER;
ALTER TABLE accounts ADD COLUMN credit_micros INTEGER CHECK (credit_micros >= 0);
-- The number of invoices so far, and when the clock brings the next one; null: none will come.
ALTER TABLE accounts ADD COLUMN invoices INTEGER;
ALTER TABLE accounts ADD COLUMN next_invoice_at_ms INTEGER;
CREATE INDEX accounts_next_invoice ON accounts (next_invoice_at_ms) WHERE next_invoice_at_ms IS NOT NULL;

CREATE TABLE invoices (
  id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  end_user_id TEXT NOT NULL REFERENCES end_users (id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  -- 1 for the person's first in that mode.
  number INTEGER NOT NULL CHECK (number > 0),
  cause TEXT NOT NULL CHECK (cause IN ('renewed', 'plan_changed')),
  amount_micros INTEGER NOT NULL CHECK (amount_micros >= 0),
  period_start_ms INTEGER NOT NULL,
  period_end_ms INTEGER NOT NULL CHECK (period_end_ms > period_start_ms),
  created_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  -- An invoice with neither is open, and past due from due_at_ms on.
  paid_at_ms INTEGER,
  voided_at_ms INTEGER,
  UNIQUE (end_user_id, mode, number),
  CHECK (paid_at_ms IS NULL OR voided_at_ms IS NULL)
) STRICT;
CREATE INDEX invoices_application ON invoices (application_id, mode, created_at_ms, id);
-- However often and by however many processes it is tried: one invoice for each period.
CREATE UNIQUE INDEX invoices_period ON invoices (end_user_id, mode, period_start_ms) WHERE cause = 'renewed';

CREATE TABLE invoice_lines (
  invoice_id TEXT NOT NULL REFERENCES invoices (id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('plan', 'unused', 'credit', 'carried')),
  name TEXT NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL,
  amount_micros INTEGER NOT NULL,
  PRIMARY KEY (invoice_id, position)
) STRICT, WITHOUT ROWID;

-- Of the people of `pending`, in that order, so many have the grant. Null: none yet, or all of them.
ALTER TABLE grants ADD COLUMN done INTEGER;

-- The organization: tiers and onboarding.
