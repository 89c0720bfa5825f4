-- The parts of the books that only PostgreSQL has.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

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
