-- With the call in this index, PostgreSQL could read the whole index for each ended call, instead of one entry of the
-- primary key. It did so after a vacuum while few calls were in flight.
DROP INDEX holds_application;
CREATE INDEX holds_of_application ON holds (application_id);
