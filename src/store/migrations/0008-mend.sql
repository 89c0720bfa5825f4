-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

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

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- Wires and accounts.

-- Portal settings, pages and lists.

-- Emitters and clients.
