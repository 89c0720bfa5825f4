-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Tokens, passkeys and webhook secrets.

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- Wires and accounts.

-- Portal settings, pages and lists.

-- Emitters and clients.

-- Revenue by bundle.

-- Slug of the bundle that a plan line charges for, or that an unused line gives days of back. Null: another kind of
-- line, or one from before this migration, whose revenue reports leave to the group without a bundle.
ALTER TABLE invoice_lines ADD COLUMN bundle TEXT;
-- The same of what is invoiced already.
ALTER TABLE accounts ADD COLUMN covered_bundle TEXT;
