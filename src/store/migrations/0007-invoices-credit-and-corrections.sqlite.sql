-- The parts of the books that only SQLite has.

-- Invoices of on-demand usage.

-- SQLite cannot change a CHECK, so the two tables are written again with one more cause and one more kind of line. They
-- grow with end users and months, not with calls.
CREATE TABLE invoices_before AS SELECT * FROM invoices;
CREATE TABLE invoice_lines_before AS SELECT * FROM invoice_lines;
DROP TABLE invoice_lines;
DROP TABLE invoices;
CREATE TABLE invoices (
  id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  end_user_id TEXT NOT NULL REFERENCES end_users (id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  -- 1 for the end user's first in that mode.
  number INTEGER NOT NULL CHECK (number > 0),
  cause TEXT NOT NULL CHECK (cause IN ('renewed', 'plan_changed', 'on_demand')),
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
  kind TEXT NOT NULL CHECK (kind IN ('plan', 'unused', 'on_demand', 'credit', 'carried')),
  name TEXT NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL,
  amount_micros INTEGER NOT NULL,
  PRIMARY KEY (invoice_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO invoices SELECT * FROM invoices_before;
INSERT INTO invoice_lines SELECT * FROM invoice_lines_before;
DROP TABLE invoices_before;
DROP TABLE invoice_lines_before;

-- A closed month of on-demand usage, on exactly one invoice: the one that is owed, was paid, or was waived.
CREATE TABLE on_demand_months (
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  -- The source of the month, on_demand/2026-11.
  source_id TEXT NOT NULL,
  invoice_id TEXT NOT NULL REFERENCES invoices (id),
  -- All that was debited to the source; never 0, since a month without usage has no row.
  amount_micros INTEGER NOT NULL CHECK (amount_micros > 0),
  -- Set with the payment or the voiding of the invoice: the reason of the entry that brings the source back to 0.
  reason TEXT CHECK (reason IN ('on_demand_paid', 'on_demand_waived')),
  -- Sequence of that entry; null until the ledger has written it.
  entry INTEGER,
  PRIMARY KEY (end_user_id, mode, source_id),
  CHECK (entry IS NULL OR reason IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX on_demand_months_invoice ON on_demand_months (invoice_id);
CREATE INDEX on_demand_months_unwritten ON on_demand_months (end_user_id, mode)
  WHERE reason IS NOT NULL AND entry IS NULL;

-- Grants and plan membership by mode.

-- Everybody who comes to a plan from now on finds the includes of now.
UPDATE bundle_includes SET since_ms = CAST(unixepoch('subsec') * 1000 AS INTEGER),
  since_test_ms = CAST(unixepoch('subsec') * 1000 AS INTEGER) + coalesce((
    SELECT a.test_clock_offset_ms FROM bundles b JOIN applications a ON a.id = b.application_id
    WHERE b.id = bundle_includes.bundle_id), 0);

-- Credit that expires, and rollover.

-- Who paid for each request.

-- Corrections.
CREATE TRIGGER call_corrections_no_update BEFORE UPDATE ON call_corrections
  BEGIN SELECT RAISE(ABORT, 'call_corrections is append-only'); END;
CREATE TRIGGER call_corrections_no_delete BEFORE DELETE ON call_corrections
  BEGIN SELECT RAISE(ABORT, 'call_corrections is append-only'); END;

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
