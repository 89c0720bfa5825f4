-- JSON of the rate limits of a key, and of each end user of a bundle (RateRule). Null: no limits. A process of the
-- previous release does not read them, and neither counts nor rejects by them.
ALTER TABLE keys ADD COLUMN rate_limits TEXT;
ALTER TABLE bundles ADD COLUMN rate_limits TEXT;

-- The counted use of the rate limits of one line of keys. Only lines with rate limits have a row.
CREATE TABLE line_rate_uses (
  end_user_id TEXT NOT NULL REFERENCES end_users (id),
  mode TEXT NOT NULL,
  line_id TEXT NOT NULL,
  uses TEXT NOT NULL,
  PRIMARY KEY (end_user_id, mode, line_id)
) STRICT, WITHOUT ROWID;

-- JSON of the rate limits of an application, which all its end users share.
ALTER TABLE gateway_settings ADD COLUMN rate_limits TEXT;

-- What all processes together have taken of the limits that end users share, per application and mode.
CREATE TABLE shared_limit_uses (
  application_id TEXT NOT NULL REFERENCES applications (id),
  mode TEXT NOT NULL,
  -- JSON of the taken amounts by rule and slot.
  uses TEXT NOT NULL,
  -- JSON of the taken requests in flight by process.
  calls TEXT NOT NULL,
  PRIMARY KEY (application_id, mode)
) STRICT, WITHOUT ROWID;
