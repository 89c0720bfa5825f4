-- The new kind of source is `team`: what a member spent from the payer's wallet in one month.
ALTER TABLE sources DROP CONSTRAINT sources_kind_check;
-- Checking the rows reads the table once, and the ledger waits for it. `verify` rejects a check that was never made.
ALTER TABLE sources ADD CONSTRAINT sources_kind_check CHECK (kind IN ('wallet', 'pool', 'on_demand', 'team'));
CREATE INDEX sources_of_team ON sources (substr(id, 6, length(id) - 13), mode) WHERE kind = 'team';
