-- The control plane: people, portals, what an application sells and what its organization pays.

-- Audit.

-- People: members, invitations, sessions, device sign-ins.

-- Portal: handoffs, sessions, brand.

-- Gateway settings and the limits of an organization.

-- Subscriptions: invoices, test clocks, campaigns.

-- The organization: tiers and onboarding.
