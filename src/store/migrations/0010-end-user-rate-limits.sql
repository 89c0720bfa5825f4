-- JSON of the end user's rate limits in that mode (RateRule). Null: no limits. A process of the previous release does
-- not read it, and neither counts nor rejects by it.
ALTER TABLE accounts ADD COLUMN rate_limits TEXT;

-- The counted use of an end user's rate limits in one mode. Only end users with rate limits have a row.
CREATE TABLE rate_uses (
  end_user_id TEXT NOT NULL REFERENCES end_users (id),
  mode TEXT NOT NULL,
  uses TEXT NOT NULL,
  PRIMARY KEY (end_user_id, mode)
) STRICT, WITHOUT ROWID;
