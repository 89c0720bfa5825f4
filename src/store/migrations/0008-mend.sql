-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Tokens, passkeys and webhook secrets.

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- The provider's words on a failed probe. Null if it said nothing, and for probes made before.
ALTER TABLE probes ADD COLUMN said TEXT;

-- Wires and accounts.

-- Portal settings, pages and lists.

-- Emitters and clients.
