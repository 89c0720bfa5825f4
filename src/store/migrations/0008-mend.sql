-- Isolation of tenants, tokens, passkeys, routing and wires.

-- Shared resources and fairness.

-- Tokens, passkeys and webhook secrets.

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

-- Wires and accounts.

-- Portal settings, pages and lists.

-- The brand's pages where credit is sold and invoices are paid. Null: none is set, as in all older rows.
ALTER TABLE brands ADD COLUMN top_up_url TEXT;
ALTER TABLE brands ADD COLUMN pay_url TEXT;

-- Emitters and clients.
