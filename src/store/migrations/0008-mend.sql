-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Tokens, passkeys and webhook secrets.

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- Wires and accounts.

-- Portal settings, pages and lists.
-- Why spending is stopped. Null if no reason was given, for end users who were frozen before, and if it is not stopped.
ALTER TABLE end_users ADD COLUMN frozen_reason TEXT;

-- Emitters and clients.
