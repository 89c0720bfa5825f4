-- The new kind of source is `team`: what a member spent from the payer's wallet in one month. SQLite cannot change a
-- check, so the table is written again (docs/decisions/2026-11-29-teams.md has the time that this takes).
CREATE TABLE sources_with_teams (
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('wallet', 'pool', 'on_demand', 'team')),
  unit TEXT NOT NULL CHECK (unit IN ('micros', 'credits')),
  posted INTEGER NOT NULL,
  held INTEGER NOT NULL CHECK (held >= 0),
  last_entry INTEGER,
  slug TEXT,
  display_name TEXT,
  currency TEXT,
  granted INTEGER,
  withheld INTEGER CHECK (withheld >= 0),
  expired INTEGER CHECK (expired >= 0),
  bundle_id TEXT,
  models TEXT,
  rank_models INTEGER,
  price_micros INTEGER,
  sequence INTEGER,
  spillover_to TEXT,
  then_on_demand INTEGER,
  recurring INTEGER,
  starts_at_ms INTEGER,
  ends_at_ms INTEGER,
  rollover_percent INTEGER,
  rollover_periods INTEGER,
  rolled INTEGER,
  given INTEGER,
  PRIMARY KEY (end_user_id, mode, id),
  CHECK (kind <> 'pool' OR posted - held >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO sources_with_teams SELECT * FROM sources;
DROP TABLE sources;
ALTER TABLE sources_with_teams RENAME TO sources;
CREATE INDEX sources_credits ON sources (bundle_id, currency) WHERE unit = 'credits';
CREATE INDEX sources_of_team ON sources (substr(id, 6, length(id) - 13), mode) WHERE kind = 'team';
