-- This file is in the SQL of SQLite, and migrate.ts translates the words that PostgreSQL spells differently.
-- The tables that grow with every call have a different layout on each engine, in the files alongside this
-- one.

-- Portable SQL: on PostgreSQL, the runner reads INTEGER as BIGINT and omits STRICT and WITHOUT ROWID. Times
-- are milliseconds since 1970 (UTC). Amounts are micros, or millionths of a credit if `unit` names a credit.
-- JSON is TEXT. The layout of tables that grow with every call lets a batch of calls append to few pages,
-- because the written pages determine the cost of a call, not the SQL statements.

CREATE TABLE organizations (
  id TEXT NOT NULL PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
  id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  label TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  active_application_id TEXT,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT;

CREATE TABLE applications (
  id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  slug TEXT NOT NULL UNIQUE,
  code TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- Raised in the transaction of every change that a compiled snapshot can see.
  config_version INTEGER NOT NULL,
  default_bundle_id TEXT,
  gateway_port INTEGER UNIQUE,
  portal_port INTEGER UNIQUE,
  created_at_ms INTEGER NOT NULL,
  archived_at_ms INTEGER
) STRICT;
CREATE INDEX applications_organization ON applications (organization_id);

CREATE TABLE provider_accounts (
  id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  label TEXT NOT NULL,
  kind TEXT NOT NULL,
  base_url TEXT,
  sealed_credential TEXT,
  last_four TEXT,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (organization_id, label)
) STRICT;

CREATE TABLE account_prices (
  account_id TEXT NOT NULL REFERENCES provider_accounts (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  price TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, model)
) STRICT;

CREATE TABLE aliases (
  application_id TEXT NOT NULL REFERENCES applications (id),
  name TEXT NOT NULL,
  sources TEXT NOT NULL,
  ceilings TEXT NOT NULL,
  is_disabled INTEGER NOT NULL CHECK (is_disabled IN (0, 1)),
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (application_id, name)
) STRICT;

CREATE TABLE bundles (
  id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  slug TEXT NOT NULL,
  display_name TEXT NOT NULL,
  price_micros INTEGER CHECK (price_micros >= 0),
  billing_interval TEXT NOT NULL CHECK (billing_interval IN ('month', 'year')),
  spend_limit_micros INTEGER CHECK (spend_limit_micros >= 0),
  spend_limit_period TEXT NOT NULL CHECK (spend_limit_period IN ('day', 'week', 'month', 'total')),
  termination_policy TEXT NOT NULL CHECK (termination_policy IN ('hard_token', 'complete_message', 'grace')),
  max_overdraft_micros INTEGER NOT NULL CHECK (max_overdraft_micros >= 0),
  debit_basis TEXT NOT NULL CHECK (debit_basis IN ('provider_cost', 'sell_price')),
  credit_currency TEXT,
  allow TEXT NOT NULL,
  deny TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (application_id, slug)
) STRICT;

CREATE TABLE bundle_prices (
  bundle_id TEXT NOT NULL REFERENCES bundles (id) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  price TEXT,
  credits TEXT,
  PRIMARY KEY (bundle_id, alias)
) STRICT;

CREATE TABLE bundle_includes (
  bundle_id TEXT NOT NULL REFERENCES bundles (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  display_name TEXT NOT NULL,
  unit TEXT NOT NULL CHECK (unit IN ('credits', 'micros')),
  amount INTEGER NOT NULL CHECK (amount > 0),
  price_micros INTEGER CHECK (price_micros >= 0),
  then_on_demand INTEGER NOT NULL CHECK (then_on_demand IN (0, 1)),
  recurring INTEGER NOT NULL CHECK (recurring IN (0, 1)),
  -- Slug of the include that pays next; *: the next by rank; null: no pool does.
  spillover_to TEXT,
  -- JSON array of patterns; null: whatever the bundle allows.
  models TEXT,
  position INTEGER NOT NULL,
  PRIMARY KEY (bundle_id, slug)
) STRICT;

CREATE TABLE outcomes (
  application_id TEXT NOT NULL REFERENCES applications (id),
  slug TEXT NOT NULL,
  display_name TEXT NOT NULL,
  ceiling_micros INTEGER NOT NULL CHECK (ceiling_micros >= 0),
  created_at_ms INTEGER NOT NULL,
  archived_at_ms INTEGER,
  PRIMARY KEY (application_id, slug)
) STRICT;

CREATE TABLE end_users (
  id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  external_id TEXT NOT NULL,
  email TEXT,
  bundle_id TEXT,
  -- Anchor of the subscription's periods: boundary n is this plus n intervals.
  subscribed_at_ms INTEGER NOT NULL,
  -- When the person came to their bundle; null: with the subscription.
  bundle_since_ms INTEGER,
  frozen_at_ms INTEGER,
  removed_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (application_id, external_id)
) STRICT;

CREATE TABLE keys (
  id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  end_user_id TEXT NOT NULL REFERENCES end_users (id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  cap_micros INTEGER CHECK (cap_micros >= 0),
  cap_period TEXT NOT NULL CHECK (cap_period IN ('day', 'week', 'month', 'total')),
  actor_type TEXT NOT NULL,
  actor_label TEXT,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER,
  revoked_at_ms INTEGER,
  expires_at_ms INTEGER
) STRICT;
CREATE INDEX keys_application ON keys (application_id, id);
CREATE INDEX keys_end_user ON keys (end_user_id);

-- One row per end user and mode, with the values that differ between the modes.
CREATE TABLE accounts (
  end_user_id TEXT NOT NULL REFERENCES end_users (id),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  on_demand_enabled INTEGER NOT NULL CHECK (on_demand_enabled IN (0, 1)),
  on_demand_limit_micros INTEGER CHECK (on_demand_limit_micros >= 0),
  PRIMARY KEY (end_user_id, mode)
) STRICT, WITHOUT ROWID;

-- The sources of money: the wallet, each pool of each period, and each month of on-demand usage.
CREATE TABLE sources (
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('wallet', 'pool', 'on_demand')),
  unit TEXT NOT NULL CHECK (unit IN ('micros', 'credits')),
  posted INTEGER NOT NULL,
  held INTEGER NOT NULL CHECK (held >= 0),
  -- Sequence of the source's newest ledger entry; null while it has none. The entries of a source are a
  -- chain from here through ledger.previous (nouns/ledger-entries.ts walks it).
  last_entry INTEGER,
  -- The rest is for pools, but starts_at_ms and ends_at_ms also for on-demand months.
  slug TEXT,
  display_name TEXT,
  currency TEXT,
  -- Granted = consumed + posted + withheld + expired. Withheld is what changes of plan have taken off and may
  -- give back, expired what has lapsed for good (money/plan-pools.ts); both are sums of entries.
  granted INTEGER,
  withheld INTEGER CHECK (withheld >= 0),
  expired INTEGER CHECK (expired >= 0),
  bundle_id TEXT,
  models TEXT,
  rank_models INTEGER,
  -- What the include sold for when it was granted; null: nothing.
  price_micros INTEGER,
  sequence INTEGER,
  spillover_to TEXT,
  then_on_demand INTEGER,
  recurring INTEGER,
  starts_at_ms INTEGER,
  ends_at_ms INTEGER,
  PRIMARY KEY (end_user_id, mode, id),
  CHECK (kind <> 'pool' OR posted - held >= 0)
) STRICT, WITHOUT ROWID;

-- Price and policy of a call, stored once by content.
CREATE TABLE quotes (
  id TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Sums by end user, key, model name and day (UTC). The transaction that charges a call also writes its sums.
CREATE TABLE usage_days (
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  day INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  application_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  charge_micros INTEGER NOT NULL,
  over_hold_micros INTEGER NOT NULL,
  PRIMARY KEY (end_user_id, mode, day, key_id, alias)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_application ON usage_days (application_id, mode, day);

-- The same sums for all end users together, for days that have ended. Reports about an application read this
-- table, and no call writes to it (usage-sums-by-day.ts).
CREATE TABLE application_days (
  application_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  day INTEGER NOT NULL,
  alias TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  charge_micros INTEGER NOT NULL,
  over_hold_micros INTEGER NOT NULL,
  PRIMARY KEY (application_id, mode, day, alias)
) STRICT, WITHOUT ROWID;

-- One row: the last day that is in `application_days`.
CREATE TABLE usage_fold (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  through_day INTEGER NOT NULL
) STRICT;
INSERT INTO usage_fold (id, through_day) VALUES (1, -1);

CREATE TABLE outcome_runs (
  end_user_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  application_id TEXT NOT NULL,
  outcome_slug TEXT NOT NULL,
  run_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'capped', 'failed')),
  -- The ceiling that it has reached; a higher one reopens it.
  capped_at_micros INTEGER,
  spent_micros INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  started_at_ms INTEGER NOT NULL,
  last_call_at_ms INTEGER NOT NULL,
  PRIMARY KEY (end_user_id, mode, outcome_slug, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX outcome_runs_application ON outcome_runs (application_id, mode, outcome_slug, started_at_ms);

CREATE TABLE grants (
  application_id TEXT NOT NULL REFERENCES applications (id),
  id TEXT NOT NULL,
  mode TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('topup', 'grant', 'adjustment', 'reversal')),
  amount_micros INTEGER NOT NULL CHECK (amount_micros <> 0),
  reason TEXT NOT NULL,
  idempotency_key TEXT,
  -- SHA-256 of what was asked, to tell a repeat from another grant under the same key.
  request_hash TEXT NOT NULL,
  end_users INTEGER NOT NULL,
  -- JSON array of everyone the grant is for while it is being written, in case it is interrupted:
  -- it is finished at the next start. Null once each of them has it.
  pending TEXT,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (application_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX grants_idempotency ON grants (application_id, mode, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- Responses to control-plane writes that were sent with an Idempotency-Key.
CREATE TABLE idempotency_keys (
  organization_id TEXT NOT NULL,
  -- The application that the request meant, by header or by its token; '' for an operation of none.
  application_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  response TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, application_id, mode, operation_id, idempotency_key)
) STRICT, WITHOUT ROWID;

-- One row per process that has ever written. The row determines which holds the process may settle
-- (docs/reference/rules.md "A process that dies").
CREATE TABLE epochs (
  epoch INTEGER NOT NULL PRIMARY KEY,
  started_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER
) STRICT;
