-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Tokens, passkeys and webhook secrets.

-- Sessions that a member opened, and the audit.

-- Routers and the health of accounts.

-- Wires and accounts.

-- Portal settings, pages and lists.

-- The brand's pages where credit is sold and invoices are paid. Null: none is set, as in all older rows.
ALTER TABLE brands ADD COLUMN top_up_url TEXT;
ALTER TABLE brands ADD COLUMN pay_url TEXT;

-- Emitters and clients.
