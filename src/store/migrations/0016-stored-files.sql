-- Files that providers store for end users. The contents are only at the providers. `id` is the ID that the client uses,
-- and `provider_id` is the provider's. A removed file is kept until the provider has deleted it.
CREATE TABLE files (
  id TEXT PRIMARY KEY NOT NULL,
  application_id TEXT NOT NULL REFERENCES applications (id),
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  format TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  filename TEXT NOT NULL,
  kind TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  removed_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX files_end_user ON files (end_user_id, mode);
CREATE INDEX files_removed ON files (removed_at_ms) WHERE removed_at_ms IS NOT NULL;
CREATE INDEX files_expiry ON files (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

-- The application's limits on the files of one end user in each mode. Null: the server's defaults.
ALTER TABLE gateway_settings ADD COLUMN files_max INTEGER;
ALTER TABLE gateway_settings ADD COLUMN file_bytes_max INTEGER;
