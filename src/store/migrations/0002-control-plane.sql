-- The control plane: people, portals, what an application sells and what its organization pays.

-- Audit.

-- People: members, invitations, sessions, device sign-ins.

-- Portal: handoffs, sessions, brand.

-- Gateway settings and the limits of an organization.

-- Subscriptions: invoices, test clocks, campaigns.

-- The organization: tiers and onboarding.

-- Reports: who answered a call that was charged nothing (as in `usage_records`), and those charged calls that
-- went wrong: a call that went well has no place in the index, and costs nothing for it.
ALTER TABLE requests ADD COLUMN target TEXT;
CREATE INDEX usage_records_failed ON usage_records (application_id, mode, call_id) WHERE error_code IS NOT NULL;
