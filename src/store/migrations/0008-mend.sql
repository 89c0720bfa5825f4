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

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- Wires and accounts.

-- Portal settings, pages and lists.

-- Emitters and clients.
