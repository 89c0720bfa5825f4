-- Sums of usage, clustered by day. The rows that one commit writes are of one day, so they share pages. With the end
-- user first, each row was on its own page, and the index for applications had another one. The file has no other
-- writer during a migration, and a million rows take some seconds
-- (docs/decisions/2026-11-29-database-pages-of-a-request.md).
ALTER TABLE usage_days RENAME TO usage_days_before;

CREATE TABLE usage_days (
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  day INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  application_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  charge_micros INTEGER NOT NULL,
  over_hold_micros INTEGER NOT NULL,
  paid_plan_micros INTEGER NOT NULL DEFAULT 0,
  paid_wallet_micros INTEGER NOT NULL DEFAULT 0,
  paid_gift_micros INTEGER NOT NULL DEFAULT 0,
  on_demand_micros INTEGER NOT NULL DEFAULT 0,
  overdraft_micros INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (application_id, mode, day, end_user_id, key_id, alias)
) STRICT, WITHOUT ROWID;

-- In the order of the new key, so that pages are filled one after another.
INSERT INTO usage_days SELECT * FROM usage_days_before
  ORDER BY application_id, mode, day, end_user_id, key_id, alias;
DROP TABLE usage_days_before;
