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

-- A handoff that was redeemed is deleted.
CREATE TABLE portal_links (
  hash TEXT PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  return_path TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX portal_links_expiry ON portal_links (expires_at_ms);
CREATE INDEX portal_links_end_user ON portal_links (end_user_id);

CREATE TABLE portal_sessions (
  hash TEXT PRIMARY KEY NOT NULL,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX portal_sessions_expiry ON portal_sessions (expires_at_ms);
CREATE INDEX portal_sessions_end_user ON portal_sessions (end_user_id);

-- An application without a row has the defaults.
CREATE TABLE portal_settings (
  application_id TEXT PRIMARY KEY NOT NULL,
  end_users_may_mint_keys INTEGER NOT NULL,
  key_cap_micros INTEGER,
  key_cap_period TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What the customer has set as a person's on-demand ceiling, which the person cannot raise.
CREATE TABLE on_demand_ceilings (
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  ceiling_micros INTEGER,
  PRIMARY KEY (end_user_id, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE brands (
  application_id TEXT PRIMARY KEY NOT NULL,
  product_name TEXT,
  primary_color TEXT NOT NULL,
  support_email TEXT,
  support_url TEXT
) STRICT, WITHOUT ROWID;

-- Apart from the brand, since it is large.
CREATE TABLE brand_logos (
  application_id TEXT PRIMARY KEY NOT NULL,
  hash TEXT NOT NULL,
  media_type TEXT NOT NULL,
  width_px INTEGER NOT NULL,
  height_px INTEGER NOT NULL,
  -- The file in base64.
  content TEXT NOT NULL
) STRICT;

CREATE INDEX brand_logos_hash ON brand_logos (hash);

-- Gateway settings and the limits of an organization.

-- Subscriptions: invoices, test clocks, campaigns.

-- The organization: tiers and onboarding.
