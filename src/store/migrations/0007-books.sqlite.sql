-- The parts of the books that only SQLite has.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

-- Everybody who comes to a plan from now on finds the includes of now.
UPDATE bundle_includes SET since_ms = CAST(unixepoch('subsec') * 1000 AS INTEGER),
  since_test_ms = CAST(unixepoch('subsec') * 1000 AS INTEGER) + coalesce((
    SELECT a.test_clock_offset_ms FROM bundles b JOIN applications a ON a.id = b.application_id
    WHERE b.id = bundle_includes.bundle_id), 0);

-- Credit that expires, and rollover.

-- Who paid for each request.

-- Corrections.

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
