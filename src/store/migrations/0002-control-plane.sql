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

-- Members of the team: invitations, sessions, device sign-ins.

-- Null for a token that is older than roles. Such a token has every permission.
ALTER TABLE tokens ADD COLUMN role TEXT;
-- The only application that the token may use. Null means every application of the organization.
ALTER TABLE tokens ADD COLUMN application_id TEXT;
-- The member who signed in on the device that has the token. Null for a token of the organization.
ALTER TABLE tokens ADD COLUMN member_id TEXT;

-- Members of the team, and invited members.
CREATE TABLE members (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  -- Lower case.
  email TEXT NOT NULL,
  -- Null until the person has accepted.
  name TEXT,
  role TEXT NOT NULL,
  -- The hash contains its parameters (domain/people/hash-and-check-passwords.ts). Null: the person has no password.
  password_hash TEXT,
  oidc_issuer TEXT,
  oidc_subject TEXT,
  created_at_ms INTEGER NOT NULL,
  -- Null: the invitation is open.
  joined_at_ms INTEGER,
  removed_at_ms INTEGER,
  -- SHA-256 of the secret in the open invitation's link.
  invite_hash TEXT UNIQUE,
  invite_expires_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX members_of_organization ON members (organization_id, email) WHERE removed_at_ms IS NULL;
-- Who signs in is one person, whatever organizations there are.
CREATE UNIQUE INDEX members_sign_in ON members (email)
  WHERE removed_at_ms IS NULL AND joined_at_ms IS NOT NULL;
CREATE UNIQUE INDEX members_subject ON members (oidc_issuer, oidc_subject)
  WHERE removed_at_ms IS NULL AND oidc_subject IS NOT NULL;
CREATE INDEX members_newest ON members (organization_id, created_at_ms, id);

-- The link that creates the first owner of an organization.
CREATE TABLE setup_links (
  organization_id TEXT PRIMARY KEY NOT NULL REFERENCES organizations (id),
  hash TEXT NOT NULL UNIQUE,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sessions that have not ended.
CREATE TABLE member_sessions (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL,
  member_id TEXT NOT NULL REFERENCES members (id),
  -- SHA-256 of the secret in the cookie.
  hash TEXT NOT NULL UNIQUE,
  -- Where the person signed in.
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  active_application_id TEXT,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX member_sessions_newest ON member_sessions (organization_id, created_at_ms, id);
CREATE INDEX member_sessions_member ON member_sessions (member_id);

-- Sign-ins of command lines that wait for the approval of a member, or for their only redemption.
CREATE TABLE device_sign_ins (
  id TEXT PRIMARY KEY NOT NULL,
  -- SHA-256 of the device's code, and of the one that the person types.
  device_hash TEXT NOT NULL UNIQUE,
  user_hash TEXT NOT NULL UNIQUE,
  client_name TEXT,
  asked_role TEXT,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  -- approved, denied, or null: not decided.
  decision TEXT,
  organization_id TEXT,
  member_id TEXT,
  role TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX device_sign_ins_expiry ON device_sign_ins (expires_at_ms);

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

-- The on-demand ceiling that the customer has set for an end user. The end user cannot raise it.
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

-- In a separate table from the brand, because the file is large.
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

-- The requests that the gateway of an application accepts. Without a row, it accepts all requests. The
-- columns are JSON arrays, and null means no restriction.
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

-- The daily limits that an organization sets for all its applications together, or for one application.
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

-- How far test mode is ahead of the real time (domain/test-clock.ts). Null means that it is not ahead.
ALTER TABLE applications ADD COLUMN test_clock_offset_ms INTEGER;

-- The subscription of a person in one mode. The times of both modes differ by the test clock. The ledger reads the
-- first four columns with the account; the others are what invoices are made of (money/invoice.ts).
-- When its periods began, and when the person came to the bundle; null: as the person's row says.
ALTER TABLE accounts ADD COLUMN subscribed_at_ms INTEGER;
ALTER TABLE accounts ADD COLUMN bundle_since_ms INTEGER;
-- From then on the person is on no plan; null: until they are put on another one.
ALTER TABLE accounts ADD COLUMN plan_ends_at_ms INTEGER;
-- From then on an invoice is past due, and on-demand pays for nothing new; null: no invoice is unpaid, or to come.
ALTER TABLE accounts ADD COLUMN on_demand_until_ms INTEGER;
-- The price and the interval for which the person came to the plan; the interval is null until they are known.
ALTER TABLE accounts ADD COLUMN price_micros INTEGER CHECK (price_micros > 0);
ALTER TABLE accounts ADD COLUMN billing_interval TEXT CHECK (billing_interval IN ('month', 'year'));
ALTER TABLE accounts ADD COLUMN covered_name TEXT;
ALTER TABLE accounts ADD COLUMN covered_price_micros INTEGER CHECK (covered_price_micros >= 0);
ALTER TABLE accounts ADD COLUMN covered_days INTEGER CHECK (covered_days > 0);
ALTER TABLE accounts ADD COLUMN covered_until_ms INTEGER;
ALTER TABLE accounts ADD COLUMN credit_micros INTEGER CHECK (credit_micros >= 0);
-- The number of invoices so far, and when the clock brings the next one; null: none will come.
ALTER TABLE accounts ADD COLUMN invoices INTEGER;
ALTER TABLE accounts ADD COLUMN next_invoice_at_ms INTEGER;
CREATE INDEX accounts_next_invoice ON accounts (next_invoice_at_ms) WHERE next_invoice_at_ms IS NOT NULL;

CREATE TABLE invoices (
  id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  end_user_id TEXT NOT NULL REFERENCES end_users (id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  -- 1 for the person's first in that mode.
  number INTEGER NOT NULL CHECK (number > 0),
  cause TEXT NOT NULL CHECK (cause IN ('renewed', 'plan_changed')),
  amount_micros INTEGER NOT NULL CHECK (amount_micros >= 0),
  period_start_ms INTEGER NOT NULL,
  period_end_ms INTEGER NOT NULL CHECK (period_end_ms > period_start_ms),
  created_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  -- An invoice with neither is open, and past due from due_at_ms on.
  paid_at_ms INTEGER,
  voided_at_ms INTEGER,
  UNIQUE (end_user_id, mode, number),
  CHECK (paid_at_ms IS NULL OR voided_at_ms IS NULL)
) STRICT;
CREATE INDEX invoices_application ON invoices (application_id, mode, created_at_ms, id);
-- One invoice for each period, even if several processes try to write it several times.
CREATE UNIQUE INDEX invoices_period ON invoices (end_user_id, mode, period_start_ms) WHERE cause = 'renewed';

CREATE TABLE invoice_lines (
  invoice_id TEXT NOT NULL REFERENCES invoices (id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('plan', 'unused', 'credit', 'carried')),
  name TEXT NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL,
  amount_micros INTEGER NOT NULL,
  PRIMARY KEY (invoice_id, position)
) STRICT, WITHOUT ROWID;

-- Of the people of `pending`, in that order, so many have the grant. Null: none yet, or all of them.
ALTER TABLE grants ADD COLUMN done INTEGER;

-- The organization: tiers and onboarding.

-- When the credential was last set, so that refusals of the one before it no longer count; null: before this
-- column, or there is none.
ALTER TABLE provider_accounts ADD COLUMN credential_set_at_ms INTEGER;

-- The organization is on this tier from this day on (days since 1970, UTC). Before its first row, it is on
-- the first tier of the table (domain/fees-of-organization-tiers.ts). At most one row is for a future day.
CREATE TABLE tier_changes (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  from_day INTEGER NOT NULL,
  tier TEXT NOT NULL,
  set_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, from_day)
) STRICT, WITHOUT ROWID;

-- Bills of months that have ended. A bill is computed from its input. The digest shows whether the computed
-- bill still equals the issued bill.
CREATE TABLE bills (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  month TEXT NOT NULL,
  -- JSON of a BillInput (money/organization-bill.ts).
  input TEXT NOT NULL,
  digest TEXT NOT NULL,
  total_micros INTEGER NOT NULL,
  issued_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, month)
) STRICT, WITHOUT ROWID;

-- The few frozen end users, for the doctor. No call writes to this index.
CREATE INDEX end_users_frozen ON end_users (application_id, id) WHERE frozen_at_ms IS NOT NULL;

-- When a stage of the set-up was finished (operations/onboarding).
CREATE TABLE onboarding_stages (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  stage TEXT NOT NULL CHECK (stage IN ('fund_and_try', 'complete')),
  finished_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, mode, stage)
) STRICT, WITHOUT ROWID;
-- For reports: the account that returned the response of a call that was not charged (as in `usage_records`),
-- and the charged calls that failed. The index does not contain successful calls, so it costs them nothing.
ALTER TABLE requests ADD COLUMN target TEXT;
CREATE INDEX usage_records_failed ON usage_records (application_id, mode, call_id) WHERE error_code IS NOT NULL;
-- Charged calls that took longer than ten minutes. All other calls are found by their start
-- (rows/read-ended-calls-by-time.ts).
CREATE INDEX usage_records_long ON usage_records (application_id, mode, settled_at_ms)
  WHERE settled_at_ms - at_ms > 600000;
-- Sums of the calls that ended in an hour (since 1970, UTC), by account, model name and bundle. An empty text
-- means that the value does not exist or is not known. The rows are written after the hour has ended
-- (call-sums-by-hour.ts).
CREATE TABLE call_hours (
  application_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  hour INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  bundle TEXT NOT NULL,
  calls INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  failed_client INTEGER NOT NULL,
  failed_limit INTEGER NOT NULL,
  failed_provider INTEGER NOT NULL,
  failed_ours INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  charge_micros INTEGER NOT NULL,
  over_hold_micros INTEGER NOT NULL,
  -- Histograms (domain/reports/duration-histogram.ts): bucket and count in turn.
  latency TEXT NOT NULL,
  first_byte TEXT NOT NULL,
  PRIMARY KEY (application_id, mode, hour, account_id, alias, bundle)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_hours_hour ON call_hours (hour);
-- One row: the last hour that is in `call_hours`.
CREATE TABLE call_fold (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  through_hour INTEGER NOT NULL
) STRICT;
INSERT INTO call_fold (id, through_hour) VALUES (1, -1);
-- Removal.

-- Indexes that find the rows with the name of a deleted end user, so that not every text is read.
CREATE INDEX audit_entries_person ON audit_entries (application_id, external_id) WHERE external_id IS NOT NULL;
ALTER TABLE idempotency_keys ADD COLUMN external_id TEXT;
CREATE INDEX idempotency_keys_person ON idempotency_keys (application_id, external_id) WHERE external_id IS NOT NULL;

-- A deleted bundle keeps its row, because its slug is part of the IDs of its earlier pools. If a bundle is
-- created again with the slug, it is the same plan. Null means that the bundle is not deleted.
ALTER TABLE bundles ADD COLUMN removed_at_ms INTEGER;
