-- The books: what end users owe, what the business earned, and how mistakes are corrected.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

-- Since when the terms of an include apply, by the real clock and by the application's test clock. `is_undated` is 1
-- where the terms may have applied before that: rows from before this migration (and rows that a process of the
-- release before adds, which names no time), for which money/plan-pools.ts keeps the rule of then.
ALTER TABLE bundle_includes ADD COLUMN since_ms INTEGER NOT NULL DEFAULT 9007199254740991;
ALTER TABLE bundle_includes ADD COLUMN since_test_ms INTEGER NOT NULL DEFAULT 9007199254740991;
ALTER TABLE bundle_includes ADD COLUMN is_undated INTEGER NOT NULL DEFAULT 1;

-- Former terms of includes, that were changed or removed. Grants of earlier moments are still made by them.
CREATE TABLE past_includes (
  bundle_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  slug TEXT NOT NULL,
  display_name TEXT NOT NULL,
  unit TEXT NOT NULL,
  amount INTEGER NOT NULL,
  price_micros INTEGER,
  then_on_demand INTEGER NOT NULL,
  recurring INTEGER NOT NULL,
  spillover_to TEXT,
  models TEXT,
  position INTEGER NOT NULL,
  since_ms INTEGER NOT NULL,
  since_test_ms INTEGER NOT NULL,
  is_undated INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  until_test_ms INTEGER NOT NULL,
  PRIMARY KEY (bundle_id, version)
) STRICT;

-- The plan of an end user in test mode, once a write in test mode has set it. Null: the plan of live mode, which is
-- end_users.bundle_id; it is always null in live mode.
ALTER TABLE accounts ADD COLUMN bundle_id TEXT;

-- Credit that expires, and rollover.

-- A grant with an end is a pool of its own for each end user: id 'credit/<grant>', without a bundle. Null: it lasts.
ALTER TABLE grants ADD COLUMN starts_at_ms INTEGER;
ALTER TABLE grants ADD COLUMN expires_at_ms INTEGER;

-- Share of a recurring pool's rest that is carried over, and how often at most. Null: nothing is.
ALTER TABLE bundle_includes ADD COLUMN rollover_percent INTEGER;
ALTER TABLE bundle_includes ADD COLUMN rollover_periods INTEGER;
ALTER TABLE past_includes ADD COLUMN rollover_percent INTEGER;
ALTER TABLE past_includes ADD COLUMN rollover_periods INTEGER;
ALTER TABLE sources ADD COLUMN rollover_percent INTEGER;
ALTER TABLE sources ADD COLUMN rollover_periods INTEGER;
-- How often the units of a pool were carried over; null: never.
ALTER TABLE sources ADD COLUMN rolled INTEGER;

-- Who paid for each request.

-- Corrections.

-- Key lines and limits per end user.

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
