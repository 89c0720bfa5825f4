-- Uncharged calls that took longer than a request to a provider can take: background responses, and requests of
-- batches. All other calls are found by their start (rows/read-ended-calls-by-time.ts).
CREATE INDEX requests_long ON requests (application_id, mode, (at_ms + latency_ms)) WHERE latency_ms > 3900000;
