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
  after TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_entries_newest ON audit_entries (organization_id, created_at_ms, id);

-- People: members, invitations, sessions, device sign-ins.

-- Null: a token from before there were roles, which may do everything.
ALTER TABLE tokens ADD COLUMN role TEXT;
-- The one application that the token may use; null: every one of its organization.
ALTER TABLE tokens ADD COLUMN application_id TEXT;

-- Portal: handoffs, sessions, brand.

-- Gateway settings and the limits of an organization.

-- What an application's gateway answers; an application without a row answers everything. JSON arrays, and where
-- one is null nothing is narrowed.
CREATE TABLE gateway_settings (
  application_id TEXT NOT NULL PRIMARY KEY REFERENCES applications (id),
  wires TEXT,
  models TEXT,
  origins TEXT NOT NULL,
  addresses TEXT,
  hours TEXT,
  default_max_tokens INTEGER CHECK (default_max_tokens > 0),
  hold_wait_ms INTEGER CHECK (hold_wait_ms >= 0),
  provider_tools TEXT NOT NULL CHECK (provider_tools IN ('drop', 'refuse')),
  conversion TEXT NOT NULL CHECK (conversion IN ('lenient', 'strict'))
) STRICT;

-- What an organization allows itself a day, over all of its applications or in one.
CREATE TABLE daily_limits (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  -- Empty: over all applications.
  application_id TEXT NOT NULL,
  calls_max INTEGER CHECK (calls_max >= 0),
  spend_max_micros INTEGER CHECK (spend_max_micros >= 0),
  set_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, application_id)
) STRICT;

-- Subscriptions: invoices, test clocks, campaigns.

-- The organization: tiers and onboarding.
