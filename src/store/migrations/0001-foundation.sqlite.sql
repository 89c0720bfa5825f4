-- What was recorded stays recorded: not even this process may rewrite it.
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER usage_records_no_update BEFORE UPDATE ON usage_records
  BEGIN SELECT RAISE(ABORT, 'usage_records is append-only'); END;
CREATE TRIGGER usage_records_no_delete BEFORE DELETE ON usage_records
  BEGIN SELECT RAISE(ABORT, 'usage_records is append-only'); END;
CREATE TRIGGER quotes_no_update BEFORE UPDATE ON quotes
  BEGIN SELECT RAISE(ABORT, 'quotes is append-only'); END;
CREATE TRIGGER quotes_no_delete BEFORE DELETE ON quotes
  BEGIN SELECT RAISE(ABORT, 'quotes is append-only'); END;
