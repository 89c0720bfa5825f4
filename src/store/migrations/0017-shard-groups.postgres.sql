-- The groups of end users whose rows are on one shard of a distributed database (postgres/shard-groups.ts). A database
-- with one node has one group.
CREATE TABLE shard_groups (
  -- A text that the database stores on the shard of the group.
  shard_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  -- Bounds of hashtext(end_users.id), both inclusive.
  hash_from BIGINT NOT NULL,
  hash_to BIGINT NOT NULL
);
INSERT INTO shard_groups (shard_key, hash_from, hash_to) VALUES ('', -2147483648, 2147483647);

-- The group of a lane, and of the record of a request that was not charged. The request may have no end user.
ALTER TABLE lanes ADD COLUMN shard_key TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN shard_key TEXT COLLATE "C" NOT NULL DEFAULT '';
