-- End users who share the wallet of one end user, the payer (docs/decisions/2026-11-29-teams.md).
CREATE TABLE teams (
  id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  slug TEXT NOT NULL,
  display_name TEXT NOT NULL,
  payer_id TEXT NOT NULL UNIQUE REFERENCES end_users (id),
  -- JSON of the limits that the members share. Null: no limits.
  rate_limits TEXT,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (application_id, slug)
) STRICT;

-- The payer of the end user's team. Null: the end user is in no team.
ALTER TABLE end_users ADD COLUMN payer_id TEXT;
-- The maximum that the end user may spend from the payer's wallet in a calendar month. Null: no maximum.
ALTER TABLE end_users ADD COLUMN payer_cap_micros INTEGER CHECK (payer_cap_micros >= 0);
CREATE INDEX end_users_payer ON end_users (payer_id, id) WHERE payer_id IS NOT NULL;

-- As `shared_limit_uses`, for the limits of one team.
CREATE TABLE team_limit_uses (
  application_id TEXT NOT NULL REFERENCES applications (id),
  mode TEXT NOT NULL,
  team_id TEXT NOT NULL,
  uses TEXT NOT NULL,
  calls TEXT NOT NULL,
  PRIMARY KEY (application_id, mode, team_id)
) STRICT, WITHOUT ROWID;
