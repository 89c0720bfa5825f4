-- JSON of the tags that requests of an application can carry, each with its rate limits. Null: no tags.
ALTER TABLE gateway_settings ADD COLUMN tags TEXT;
-- JSON array of the tags of every request with the key. Null: no tags.
ALTER TABLE keys ADD COLUMN tags TEXT;

-- JSON array of the tags of a request. Null: no tags, or a row of the previous release. A request in flight has its tags
-- in `bound`.
ALTER TABLE usage_records ADD COLUMN tags TEXT;
ALTER TABLE requests ADD COLUMN tags TEXT;
ALTER TABLE call_corrections ADD COLUMN tags TEXT;

-- The sums of `call_hours` for each tag. A call with several tags counts in each of them. The empty tag contains every
-- call with a tag, once.
CREATE TABLE tag_hours (
  application_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  hour INTEGER NOT NULL,
  tag TEXT NOT NULL,
  account_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  bundle TEXT NOT NULL,
  calls INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  failed_client INTEGER NOT NULL,
  failed_limit INTEGER NOT NULL,
  failed_provider INTEGER NOT NULL,
  failed_ours INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  charge_micros INTEGER NOT NULL,
  over_hold_micros INTEGER NOT NULL,
  paid_plan_micros INTEGER NOT NULL,
  paid_wallet_micros INTEGER NOT NULL,
  paid_gift_micros INTEGER NOT NULL,
  on_demand_micros INTEGER NOT NULL,
  overdraft_micros INTEGER NOT NULL,
  latency TEXT NOT NULL,
  first_byte TEXT NOT NULL,
  PRIMARY KEY (application_id, mode, hour, tag, account_id, alias, bundle)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_hours_hour ON tag_hours (hour);

-- As `shared_limit_uses`, for the limits of one tag.
CREATE TABLE tag_limit_uses (
  application_id TEXT NOT NULL REFERENCES applications (id),
  mode TEXT NOT NULL,
  tag TEXT NOT NULL,
  uses TEXT NOT NULL,
  calls TEXT NOT NULL,
  PRIMARY KEY (application_id, mode, tag)
) STRICT, WITHOUT ROWID;
