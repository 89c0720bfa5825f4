-- Keys that were rotated: the id of the key that took the place of this one, which ends at its expiry.

ALTER TABLE keys ADD COLUMN replaced_by TEXT;
