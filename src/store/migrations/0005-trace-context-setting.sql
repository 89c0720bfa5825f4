-- Whether an application's provider gets the trace context of its clients.

ALTER TABLE gateway_settings ADD COLUMN pass_traceparent INTEGER NOT NULL DEFAULT 0 CHECK (pass_traceparent IN (0, 1));
