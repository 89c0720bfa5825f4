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
-- The member who signed in on the device that holds the token; null: a token of the organization.
ALTER TABLE tokens ADD COLUMN member_id TEXT;

-- People of the team, and those who are invited to it.
CREATE TABLE members (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  -- Lower case.
  email TEXT NOT NULL,
  -- Null until the person has accepted.
  name TEXT,
  role TEXT NOT NULL,
  -- With its parameters (domain/people/passwords.ts); null: the person has none.
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

-- The link that makes the first owner of an organization.
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

-- Sign-ins of command lines that wait for a person, or for their one redemption.
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

-- How far test mode is ahead of the real time (domain/test-clock.ts); null: not at all.
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
-- However often and by however many processes it is tried: one invoice for each period.
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

-- From that day (days since 1970, UTC) an organization is on that tier; before its first it is on the first tier
-- of the table (domain/tier-tables.ts). At most one is of a day ahead.
CREATE TABLE tier_changes (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  from_day INTEGER NOT NULL,
  tier TEXT NOT NULL,
  set_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, from_day)
) STRICT, WITHOUT ROWID;

-- Bills of months that are over. A bill is computed from its input, and the digest tells that it still comes out
-- as it was issued.
CREATE TABLE bills (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  month TEXT NOT NULL,
  -- JSON of a BillInput (money/bill.ts).
  input TEXT NOT NULL,
  digest TEXT NOT NULL,
  total_micros INTEGER NOT NULL,
  issued_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, month)
) STRICT, WITHOUT ROWID;

-- The few who are frozen, for the doctor; no call writes to it.
CREATE INDEX end_users_frozen ON end_users (application_id, id) WHERE frozen_at_ms IS NOT NULL;

-- When a stage of the set-up was finished (operations/onboarding).
CREATE TABLE onboarding_stages (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  stage TEXT NOT NULL CHECK (stage IN ('fund_and_try', 'complete')),
  finished_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, mode, stage)
) STRICT, WITHOUT ROWID;
-- Reports: who answered a call that was charged nothing (as in `usage_records`), and those charged calls that
-- went wrong: a call that went well has no place in the index, and costs nothing for it.
ALTER TABLE requests ADD COLUMN target TEXT;
CREATE INDEX usage_records_failed ON usage_records (application_id, mode, call_id) WHERE error_code IS NOT NULL;
-- Charged calls that took longer than ten minutes: all others are found by when they began (rows/ended-calls.ts).
CREATE INDEX usage_records_long ON usage_records (application_id, mode, settled_at_ms)
  WHERE settled_at_ms - at_ms > 600000;
-- What the calls add up to that ended in an hour (since 1970, UTC), by account, name and bundle; '': none, or not known.
-- Written once the hour is over (call-fold.ts).
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
  -- Histograms (domain/reports/histogram.ts): bucket and count in turn.
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

-- Whoever is removed is forgotten in what names them: found by these, and not by reading every text.
CREATE INDEX audit_entries_person ON audit_entries (application_id, external_id) WHERE external_id IS NOT NULL;
ALTER TABLE idempotency_keys ADD COLUMN external_id TEXT;
CREATE INDEX idempotency_keys_person ON idempotency_keys (application_id, external_id) WHERE external_id IS NOT NULL;

-- A removed bundle keeps its row: its slug names the pools of its past, and a bundle that is made again under it is
-- the same plan. Null: not removed.
ALTER TABLE bundles ADD COLUMN removed_at_ms INTEGER;
