-- Finds the void invoices of an application, for which reports of revenue read all invoices of their end users. Only
-- voiding an invoice writes to this index.
CREATE INDEX invoices_void ON invoices (application_id, mode, end_user_id) WHERE voided_at_ms IS NOT NULL;
