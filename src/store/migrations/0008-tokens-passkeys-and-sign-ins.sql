-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Failed sign-ins of members by site and hour, for the page of the team. Removed after 30 days.
CREATE TABLE failed_sign_ins (
  member_id TEXT NOT NULL,
  -- When the hour began.
  hour_ms INTEGER NOT NULL,
  -- A range of addresses, or `other networks` beyond five in the hour.
  site TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  failures INTEGER NOT NULL,
  first_at_ms INTEGER NOT NULL,
  last_at_ms INTEGER NOT NULL,
  last_address TEXT NOT NULL,
  -- The entry of the audit log that shows these failures.
  audit_id TEXT NOT NULL,
  PRIMARY KEY (member_id, hour_ms, site)
) STRICT, WITHOUT ROWID;

CREATE INDEX failed_sign_ins_latest ON failed_sign_ins (organization_id, last_at_ms);

-- Tokens, passkeys and webhook secrets.

-- Who created a token. Null in all four: the operator did, on the server, or the token is from before this was kept.
ALTER TABLE tokens ADD COLUMN created_by_kind TEXT;
ALTER TABLE tokens ADD COLUMN created_by_id TEXT;
-- The label of a token, the e-mail address of a member, as it was then.
ALTER TABLE tokens ADD COLUMN created_by_label TEXT;
-- The member behind it: who created it, or whose token did, at any distance.
ALTER TABLE tokens ADD COLUMN created_by_member_id TEXT;
-- Null: it never expires.
ALTER TABLE tokens ADD COLUMN expires_at_ms INTEGER;

-- The signing secret before the last rotation, sealed, and until when it signs as well. Null: there was none.
ALTER TABLE emitters ADD COLUMN former_sealed_secret TEXT;
ALTER TABLE emitters ADD COLUMN former_secret_ends_at_ms INTEGER;

-- Passkeys (WebAuthn credentials) with which members sign in.
CREATE TABLE passkeys (
  id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  member_id TEXT NOT NULL REFERENCES members (id),
  name TEXT NOT NULL,
  -- Base64url, as the authenticator names it; one authenticator makes it once.
  credential_id TEXT NOT NULL UNIQUE,
  -- COSE key, base64url.
  public_key TEXT NOT NULL,
  -- Uses, as the authenticator counts them; 0: it does not count.
  counter INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER
) STRICT;
CREATE INDEX passkeys_member ON passkeys (member_id);

-- Challenges that wait for an answer. One that was answered has no row.
CREATE TABLE passkey_challenges (
  hash TEXT NOT NULL PRIMARY KEY,
  -- The member who may answer it with a new passkey; null: it is answered at a sign-in.
  member_id TEXT,
  -- Network that asked for it; each has a few.
  network TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at_ms);
CREATE INDEX passkey_challenges_network ON passkey_challenges (network, expires_at_ms);

-- Organizations that demand a passkey of who signs in with a password. No row: it does not.
CREATE TABLE passkey_policies (
  organization_id TEXT NOT NULL PRIMARY KEY REFERENCES organizations (id),
  is_required INTEGER NOT NULL CHECK (is_required IN (0, 1))
) STRICT, WITHOUT ROWID;

-- Sessions that a member opened, and the audit.

-- What a visit to the portal may do, and the member who opened it. Null in access: it may change things, as visits
-- opened before could. Null in opened_by: the application handed the end user over. Null in link_id: not known.
ALTER TABLE portal_links ADD COLUMN access TEXT;
ALTER TABLE portal_links ADD COLUMN opened_by_id TEXT;
ALTER TABLE portal_links ADD COLUMN opened_by_label TEXT;
ALTER TABLE portal_sessions ADD COLUMN access TEXT;
ALTER TABLE portal_sessions ADD COLUMN opened_by_id TEXT;
ALTER TABLE portal_sessions ADD COLUMN opened_by_label TEXT;
ALTER TABLE portal_sessions ADD COLUMN link_id TEXT;

-- Routers and the health of accounts.

-- The provider's words on a failed probe. Null if it said nothing, and for probes made before.
ALTER TABLE probes ADD COLUMN said TEXT;

-- Wires and accounts.
-- What a client's leaving does to a provider's stream: 'cut' or 'drain'. Null, as in all earlier rows: an account follows
-- its kind, and a bundle follows the account.
ALTER TABLE provider_accounts ADD COLUMN on_client_left TEXT;
ALTER TABLE bundles ADD COLUMN on_client_left TEXT;

-- Portal settings, pages and lists.
-- Why spending is stopped. Null if no reason was given, for end users who were frozen before, and if it is not stopped.
ALTER TABLE end_users ADD COLUMN frozen_reason TEXT;

-- The brand's pages where credit is sold and invoices are paid. Null: none is set, as in all older rows.
ALTER TABLE brands ADD COLUMN top_up_url TEXT;
ALTER TABLE brands ADD COLUMN pay_url TEXT;

-- Emitters and clients.

-- Beginning of what a failed delivery posted and of the response. Null: the batch was accepted, or is older than a week,
-- or was sent before these columns existed; of the response also that none came.
ALTER TABLE emitter_deliveries ADD COLUMN request_body TEXT;
ALTER TABLE emitter_deliveries ADD COLUMN response_body TEXT;

-- Revenue by bundle.

-- Slug of the bundle that a plan line charges for, or that an unused line gives days of back. Null: another kind of
-- line, or one from before this migration, whose revenue reports leave to the group without a bundle.
ALTER TABLE invoice_lines ADD COLUMN bundle TEXT;
-- The same of what is invoiced already.
ALTER TABLE accounts ADD COLUMN covered_bundle TEXT;
