-- The parts of the books that only SQLite has.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

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
