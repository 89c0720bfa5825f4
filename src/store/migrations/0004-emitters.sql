-- Emitters: the destinations of settled usage, and the progress of the deliveries. Events are read from
-- usage_records, so no call writes a row for them (docs/decisions/2026-11-22-events-from-records.md).

CREATE TABLE emitters (
  id TEXT NOT NULL PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  -- It is told of calls of this mode.
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  -- URL that events are posted to.
  destination TEXT NOT NULL,
  -- The vendor's name for the kind of event; null: the kind of emitter has none.
  event_name TEXT,
  customer_id TEXT NOT NULL CHECK (customer_id IN ('end_user_id', 'organization_id', 'external_id')),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  -- The vendor's credential, or the secret that signs.
  sealed_secret TEXT NOT NULL,
  last_four TEXT NOT NULL,
  -- It is told of what settles from then on: when it was made, or last enabled.
  since_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX emitters_list ON emitters (application_id, mode, created_at_ms, id);

-- One row: raised with every change of an emitter, so that other processes notice it.
CREATE TABLE emitter_changes (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL
) STRICT;
INSERT INTO emitter_changes (id, version) VALUES (1, 0);

-- The progress of an emitter with the calls of one process. Every call up to `through` was attempted, is in
-- `pending`, or will not be charged. Later calls are not known yet. If a process has died, another process
-- attempts its remaining calls and then deletes the row.
CREATE TABLE emitter_marks (
  emitter_id TEXT NOT NULL REFERENCES emitters (id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  -- Call id, or the beginning of one.
  through TEXT NOT NULL,
  -- JSON array of call ids.
  pending TEXT NOT NULL,
  -- Epoch of the process that attempts what is left; null: none does.
  claimed_by INTEGER,
  PRIMARY KEY (emitter_id, epoch)
) STRICT, WITHOUT ROWID;
CREATE INDEX emitter_marks_epoch ON emitter_marks (epoch);

CREATE TABLE emitter_counts (
  emitter_id TEXT NOT NULL PRIMARY KEY REFERENCES emitters (id) ON DELETE CASCADE,
  -- Events in batches that were accepted, that were not, and that were never sent because too many waited.
  delivered INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  last_delivered_at_ms INTEGER,
  last_failed_at_ms INTEGER,
  last_failure TEXT,
  -- When the first batch since the last accepted one was not accepted; null: the last one was.
  failing_since_ms INTEGER,
  -- The first and the last call whose event was not accepted and was not replayed since; null: none.
  missed_from TEXT,
  missed_to TEXT
) STRICT, WITHOUT ROWID;

-- The last batches of an emitter. Older batches are deleted.
CREATE TABLE emitter_deliveries (
  emitter_id TEXT NOT NULL REFERENCES emitters (id) ON DELETE CASCADE,
  -- Suffix of the batch id.
  id TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('settled', 'replay', 'test')),
  created_at_ms INTEGER NOT NULL,
  -- JSON array of call ids.
  call_ids TEXT NOT NULL,
  is_delivered INTEGER NOT NULL CHECK (is_delivered IN (0, 1)),
  attempts INTEGER NOT NULL,
  -- Of the last attempt; null: no answer came.
  http_status INTEGER,
  -- Why it was not accepted.
  failure TEXT,
  latency_ms INTEGER NOT NULL,
  PRIMARY KEY (emitter_id, id)
) STRICT, WITHOUT ROWID;

-- Replays: the time range that is sent again, at most one per emitter.
CREATE TABLE emitter_replays (
  emitter_id TEXT NOT NULL PRIMARY KEY REFERENCES emitters (id) ON DELETE CASCADE,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  -- Call id, or the beginning of one: up to it everything was accepted.
  through TEXT NOT NULL,
  sent INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped')),
  -- Why it was stopped.
  failure TEXT,
  -- The process that sends.
  epoch INTEGER NOT NULL,
  started_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
