-- The books: what end users owe, what the business earned, and how mistakes are corrected.

-- Invoices of on-demand usage.

-- Grants and plan membership by mode.

-- Credit that expires, and rollover.

-- Who paid for each request.

-- Corrections.

-- Key lines and limits per end user.
--
-- A line of keys is a key and its successors by rotation; one cap applies to all of them together. Both columns
-- are null for the first key of a line: the line has the key's own ID, and was started by the key's own actor.
ALTER TABLE keys ADD COLUMN line_id TEXT;
ALTER TABLE keys ADD COLUMN line_actor_type TEXT;
CREATE INDEX keys_line ON keys (line_id) WHERE line_id IS NOT NULL;
-- Keys that were rotated before: `replaced_by` links each key to its successor.
WITH RECURSIVE line (id, first_id, first_actor) AS (
  SELECT replaced_by, id, actor_type FROM keys
    WHERE replaced_by IS NOT NULL
      AND id NOT IN (SELECT replaced_by FROM keys WHERE replaced_by IS NOT NULL)
  UNION ALL
  SELECT keys.replaced_by, line.first_id, line.first_actor FROM line JOIN keys ON keys.id = line.id
    WHERE keys.replaced_by IS NOT NULL
)
UPDATE keys SET line_id = line.first_id, line_actor_type = line.first_actor FROM line WHERE line.id = keys.id;
-- What all keys that one end user created in the portal may spend together per `key_cap_period`. Null: no total.
-- An application without a row allows no portal keys; one with a row keeps what the row says.
ALTER TABLE portal_settings ADD COLUMN key_caps_total_micros INTEGER;
-- JSON of the end user's own limits in that mode (EndUserLimit). Null: none.
ALTER TABLE accounts ADD COLUMN spend_limits TEXT;

-- Assumed rates and disputed costs.

-- Bundles and provider accounts.
