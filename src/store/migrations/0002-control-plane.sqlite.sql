-- What PostgreSQL has from the start. A call that was charged is in none of these indexes but when it was
-- recovered, or cost nothing: the ledger's entries, by which a person's calls are found, do not name it then.
CREATE INDEX usage_records_recovered ON usage_records (application_id, mode, call_id)
  WHERE token_source = 'recovered';
CREATE INDEX usage_records_free ON usage_records (application_id, mode, end_user_id, call_id)
  WHERE first_entry IS NULL;
CREATE INDEX requests_end_user ON requests (end_user_id, call_id) WHERE end_user_id IS NOT NULL;
