-- JSON array of the Cloud Storage prefixes whose files requests can use. Null: none.
ALTER TABLE gateway_settings ADD COLUMN storage_prefixes TEXT;
