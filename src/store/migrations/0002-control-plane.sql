-- The control plane: people, portals, what an application sells and what its organization pays.

-- Audit.

-- People: members, invitations, sessions, device sign-ins.

-- Portal: handoffs, sessions, brand.

-- Gateway settings and the limits of an organization.

-- Subscriptions: invoices, test clocks, campaigns.

-- The organization: tiers and onboarding.

-- Removal.

-- A removed bundle keeps its row: its slug names the pools of its past, and a bundle that is made again under it is
-- the same plan. Null: not removed.
ALTER TABLE bundles ADD COLUMN removed_at_ms INTEGER;
