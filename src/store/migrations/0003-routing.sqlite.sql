-- Calls in flight name the attempts that failed.
DROP VIEW holds;
CREATE VIEW holds AS
SELECT
  c.value ->> 0 AS call_id,
  c.value ->> 1 AS application_id,
  c.value ->> 2 AS end_user_id,
  c.value ->> 3 AS key_id,
  c.value ->> 4 AS mode,
  c.value ->> '$[6][0]' AS alias,
  c.value ->> 5 AS quote_id,
  c.value ->> 6 AS bound,
  CAST(c.value ->> 7 AS INTEGER) AS worst_micros,
  CAST(c.value ->> 8 AS INTEGER) AS worst_credits,
  c.value ->> 9 AS legs,
  -- As in usage_records; before this version an empty list stood here.
  nullif(c.value ->> 10, '[]') AS attempts,
  c.value ->> '$[11][0]' AS outcome_slug,
  c.value ->> '$[11][1]' AS run_id,
  -- Who answers: provider account kind and id, upstream model. What recovery records.
  c.value ->> 12 AS target,
  -- Our own count of the input, for a call whose provider never says.
  CAST(c.value ->> 13 AS INTEGER) AS input_estimate,
  CAST(c.value ->> 14 AS INTEGER) AS epoch,
  CAST(c.value ->> 15 AS INTEGER) AS reserved_at_ms,
  CAST(c.value ->> 16 AS INTEGER) AS dispatched_at_ms,
  -- JSON of the usage metered so far; null before the first checkpoint.
  c.value ->> 17 AS checkpoint
FROM hold_slots s, json_each(s.calls) c
WHERE NOT EXISTS (
  SELECT 1 FROM usage_records u WHERE u.application_id = c.value ->> 1 AND u.call_id = c.value ->> 0);
