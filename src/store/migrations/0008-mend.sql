-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Tokens, passkeys and webhook secrets.

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- Wires and accounts.
-- What a client's leaving does to a provider's stream: 'cut' or 'drain'. Null, as in all earlier rows: an account follows
-- its kind, and a bundle follows the account.
ALTER TABLE provider_accounts ADD COLUMN on_client_left TEXT;
ALTER TABLE bundles ADD COLUMN on_client_left TEXT;

-- Portal settings, pages and lists.

-- Emitters and clients.
