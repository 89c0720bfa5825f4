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

-- The lane that remembers the rows of the end user: 1024 times its epoch, plus its number
-- (postgres/rows-known-to-lane.ts). Null: no lane.
--
-- Any other writer sets it to null, in its own transaction: an operation, a process of the previous release, or a
-- person with a client. A lane names itself in the setting `tollgate.lane` of its transaction, and then these triggers
-- do not run. A lane sets the column itself when it locks an end user whom another lane remembers.
ALTER TABLE end_users ADD COLUMN known_by BIGINT;

CREATE FUNCTION forget_this_end_user() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.known_by := NULL;
    RETURN NEW;
  END $$;
CREATE TRIGGER end_users_forgotten BEFORE UPDATE ON end_users FOR EACH ROW
  WHEN (coalesce(current_setting('tollgate.lane', true), '') = '') EXECUTE FUNCTION forget_this_end_user();

-- The update waits for a lane that reads the end user's rows now, so it must not look at `known_by` first.
CREATE FUNCTION forget_end_user() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      UPDATE end_users SET known_by = NULL WHERE id = OLD.end_user_id;
    END IF;
    IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.end_user_id <> OLD.end_user_id) THEN
      UPDATE end_users SET known_by = NULL WHERE id = NEW.end_user_id;
    END IF;
    RETURN NULL;
  END $$;
CREATE TRIGGER accounts_forgotten AFTER INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW
  WHEN (coalesce(current_setting('tollgate.lane', true), '') = '') EXECUTE FUNCTION forget_end_user();
CREATE TRIGGER sources_forgotten AFTER INSERT OR UPDATE OR DELETE ON sources FOR EACH ROW
  WHEN (coalesce(current_setting('tollgate.lane', true), '') = '') EXECUTE FUNCTION forget_end_user();
CREATE TRIGGER outcome_runs_forgotten AFTER INSERT OR UPDATE OR DELETE ON outcome_runs FOR EACH ROW
  WHEN (coalesce(current_setting('tollgate.lane', true), '') = '') EXECUTE FUNCTION forget_end_user();
CREATE TRIGGER usage_days_forgotten AFTER INSERT OR UPDATE OR DELETE ON usage_days FOR EACH ROW
  WHEN (coalesce(current_setting('tollgate.lane', true), '') = '') EXECUTE FUNCTION forget_end_user();
CREATE TRIGGER keys_forgotten AFTER INSERT OR UPDATE OR DELETE ON keys FOR EACH ROW
  WHEN (coalesce(current_setting('tollgate.lane', true), '') = '') EXECUTE FUNCTION forget_end_user();

-- Counts the changes to the bundles of an application and to the rows that a bundle's terms are read from. An
-- application without a row has count 0.
CREATE TABLE bundle_changes (
  application_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  number BIGINT NOT NULL
) WITH (fillfactor = 50);

CREATE FUNCTION count_bundle_change() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    changed RECORD;
    application TEXT;
  BEGIN
    IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
    IF TG_ARGV[0] = 'own' THEN
      application := changed.application_id;
    ELSE
      SELECT b.application_id INTO application FROM bundles b WHERE b.id = changed.bundle_id;
    END IF;
    IF application IS NOT NULL THEN
      INSERT INTO bundle_changes (application_id, number) VALUES (application, 1)
        ON CONFLICT (application_id) DO UPDATE SET number = bundle_changes.number + 1;
    END IF;
    RETURN NULL;
  END $$;
CREATE TRIGGER bundles_counted AFTER INSERT OR UPDATE OR DELETE ON bundles
  FOR EACH ROW EXECUTE FUNCTION count_bundle_change('own');
CREATE TRIGGER aliases_counted AFTER INSERT OR UPDATE OR DELETE ON aliases
  FOR EACH ROW EXECUTE FUNCTION count_bundle_change('own');
CREATE TRIGGER bundle_includes_counted AFTER INSERT OR UPDATE OR DELETE ON bundle_includes
  FOR EACH ROW EXECUTE FUNCTION count_bundle_change('of its bundle');
CREATE TRIGGER past_includes_counted AFTER INSERT OR UPDATE OR DELETE ON past_includes
  FOR EACH ROW EXECUTE FUNCTION count_bundle_change('of its bundle');
