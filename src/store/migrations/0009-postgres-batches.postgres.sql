-- Batches of the ledger in fewer statements.

-- Returns the number of written rows, or fails like a collision of two transactions if rows are missing. The batch is
-- then rolled back, and decided again on rows that are read again.
CREATE FUNCTION all_written(written BIGINT, expected BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
  BEGIN
    IF written <> expected THEN
      RAISE EXCEPTION 'a batch wrote % of % rows', written, expected USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN written;
  END $$;
