-- The control plane: people, portals, what an application sells and what its organization pays.

-- Audit.

-- People: members, invitations, sessions, device sign-ins.

-- Portal: handoffs, sessions, brand.

-- Gateway settings and the limits of an organization.

-- Subscriptions: invoices, test clocks, campaigns.

-- The organization: tiers and onboarding.

-- When the credential was last set, so that refusals of the one before it no longer count; null: before this
-- column, or there is none.
ALTER TABLE provider_accounts ADD COLUMN credential_set_at_ms INTEGER;
