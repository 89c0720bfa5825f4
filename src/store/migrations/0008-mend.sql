-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Tokens, passkeys and webhook secrets.

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- Wires and accounts.

-- Portal settings, pages and lists.

-- Emitters and clients.

-- Beginning of what a failed delivery posted and of the response. Null: the batch was accepted, or is older than a week,
-- or was sent before these columns existed; of the response also that none came.
ALTER TABLE emitter_deliveries ADD COLUMN request_body TEXT;
ALTER TABLE emitter_deliveries ADD COLUMN response_body TEXT;
