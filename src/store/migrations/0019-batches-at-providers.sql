-- Batches of requests that providers run for end users. The requests and results are only at the providers. `id` is the
-- ID that the client uses, and `provider_id` is the provider's. `models` is a JSON list of the provider's models and the
-- model names that the client requested. A removed batch is kept until the provider has deleted it. `added_files` is a
-- JSON list of the provider's IDs of files with results that were added to the end user's files.
CREATE TABLE batches (
  id TEXT PRIMARY KEY NOT NULL,
  application_id TEXT NOT NULL REFERENCES applications (id),
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  format TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  models TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  removed_at_ms INTEGER,
  added_files TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX batches_end_user ON batches (end_user_id, mode, created_at_ms);
CREATE INDEX batches_removed ON batches (removed_at_ms) WHERE removed_at_ms IS NOT NULL;
