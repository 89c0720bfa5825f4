-- Routers, and calls that more than one target was tried for.

CREATE TABLE routers (
  application_id TEXT NOT NULL REFERENCES applications (id),
  -- No alias of the application has it.
  name TEXT NOT NULL,
  -- JSON: policy, targets by account id and name, rules of the attempts.
  definition TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (application_id, name)
) STRICT;

-- JSON of the attempts that did not answer, each with its own cost; null: the first one answered, or none was made.
ALTER TABLE usage_records ADD COLUMN attempts TEXT;
ALTER TABLE requests ADD COLUMN attempts TEXT;
-- What those attempts cost the application, although nobody was charged; null: nothing.
ALTER TABLE requests ADD COLUMN cost_micros INTEGER CHECK (cost_micros >= 0);
