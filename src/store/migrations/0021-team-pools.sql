-- Pools that the members of a team share (docs/decisions/2026-11-29-teams.md).

-- The maximum that each member may use of a pool that the include grants. Null: members cannot use it.
ALTER TABLE bundle_includes ADD COLUMN member_cap INTEGER;
ALTER TABLE past_includes ADD COLUMN member_cap INTEGER;
ALTER TABLE sources ADD COLUMN member_cap INTEGER;
-- The end user whose pool the source is a share of. Null in all other sources.
ALTER TABLE sources ADD COLUMN payer_id TEXT;
CREATE INDEX sources_of_payer ON sources (payer_id, mode) WHERE payer_id IS NOT NULL;
