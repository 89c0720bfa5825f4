-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Tokens, passkeys and webhook secrets.

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- Wires and accounts.

-- Portal settings, pages and lists.

-- Emitters and clients.
