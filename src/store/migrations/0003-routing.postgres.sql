-- As `attempts` of usage records, while the call is in flight.
ALTER TABLE holds ADD COLUMN attempts TEXT COLLATE "C";
