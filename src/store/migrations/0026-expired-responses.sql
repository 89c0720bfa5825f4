-- Finds the expired responses, which are deleted every few minutes. Otherwise, the deletion reads all stored responses.
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at_ms);
