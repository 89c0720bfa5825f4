-- The control plane: people, portals, what an application sells and what its organization pays.

-- Audit.

CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL,
  application_id TEXT,
  mode TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  actor_label TEXT NOT NULL,
  address TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  resource TEXT NOT NULL,
  request_id TEXT NOT NULL,
  -- JSON of the configuration before the change and after it; never a secret.
  before TEXT,
  after TEXT,
  -- The customer's own id of the person whom it names; null: nobody.
  external_id TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_entries_newest ON audit_entries (organization_id, created_at_ms, id);

-- People: members, invitations, sessions, device sign-ins.

-- Null: a token from before there were roles, which may do everything.
ALTER TABLE tokens ADD COLUMN role TEXT;
-- The one application that the token may use; null: every one of its organization.
ALTER TABLE tokens ADD COLUMN application_id TEXT;

-- Portal: handoffs, sessions, brand.

-- Gateway settings and the limits of an organization.

-- Subscriptions: invoices, test clocks, campaigns.

-- The organization: tiers and onboarding.

-- Removal.

-- Whoever is removed is forgotten in what names them: found by these, and not by reading every text.
CREATE INDEX audit_entries_person ON audit_entries (application_id, external_id) WHERE external_id IS NOT NULL;
ALTER TABLE idempotency_keys ADD COLUMN external_id TEXT;
CREATE INDEX idempotency_keys_person ON idempotency_keys (application_id, external_id) WHERE external_id IS NOT NULL;

-- A removed bundle keeps its row: its slug names the pools of its past, and a bundle that is made again under it is
-- the same plan. Null: not removed.
ALTER TABLE bundles ADD COLUMN removed_at_ms INTEGER;
