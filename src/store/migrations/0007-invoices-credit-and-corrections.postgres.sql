-- The parts of the books that only PostgreSQL has.

-- Invoices of on-demand usage.

ALTER TABLE invoices DROP CONSTRAINT invoices_cause_check,
  ADD CONSTRAINT invoices_cause_check CHECK (cause IN ('renewed', 'plan_changed', 'on_demand'));
ALTER TABLE invoice_lines DROP CONSTRAINT invoice_lines_kind_check,
  ADD CONSTRAINT invoice_lines_kind_check CHECK (kind IN ('plan', 'unused', 'on_demand', 'credit', 'carried'));

-- A closed month of on-demand usage, on exactly one invoice: the one that is owed, was paid, or was waived.
CREATE TABLE on_demand_months (
  end_user_id TEXT COLLATE "C" NOT NULL,
  mode TEXT COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
  -- The source of the month, on_demand/2026-11.
  source_id TEXT COLLATE "C" NOT NULL,
  invoice_id TEXT COLLATE "C" NOT NULL REFERENCES invoices (id),
  -- All that was debited to the source; never 0, since a month without usage has no row.
  amount_micros BIGINT NOT NULL CHECK (amount_micros > 0),
  -- Set with the payment or the voiding of the invoice: the reason of the entry that brings the source back to 0.
  reason TEXT COLLATE "C" CHECK (reason IN ('on_demand_paid', 'on_demand_waived')),
  -- Sequence of that entry; null until the ledger has written it.
  entry BIGINT,
  PRIMARY KEY (end_user_id, mode, source_id),
  CHECK (entry IS NULL OR reason IS NOT NULL)
);
CREATE INDEX on_demand_months_invoice ON on_demand_months (invoice_id);
CREATE INDEX on_demand_months_unwritten ON on_demand_months (end_user_id, mode)
  WHERE reason IS NOT NULL AND entry IS NULL;

-- Grants and plan membership by mode.

-- Everybody who comes to a plan from now on finds the includes of now.
UPDATE bundle_includes SET since_ms = CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT),
  since_test_ms = CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) + coalesce((
    SELECT a.test_clock_offset_ms FROM bundles b JOIN applications a ON a.id = b.application_id
    WHERE b.id = bundle_includes.bundle_id), 0);

-- Credit that expires, and rollover.

-- Who paid for each request.

-- Corrections.
CREATE TRIGGER call_corrections_append_only BEFORE UPDATE OR DELETE ON call_corrections
  FOR EACH ROW EXECUTE FUNCTION refuse_change('call_corrections');
CREATE TRIGGER call_corrections_no_truncate BEFORE TRUNCATE ON call_corrections
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('call_corrections');

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
