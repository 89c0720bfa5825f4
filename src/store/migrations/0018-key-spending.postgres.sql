-- A call was charged on a summed day, so sums that include this day are not valid, and a run in progress cannot finish.
-- Processes of the previous release also fire this trigger.
CREATE FUNCTION drop_key_spending() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.spending_begun := NEW.spending_begun + 1;
    IF NEW.spending_day > NEW.through_day THEN
      NEW.spending_set := 0;
      NEW.spending_day := -1;
    END IF;
    RETURN NEW;
  END $$;
CREATE TRIGGER usage_fold_lowered BEFORE UPDATE OF through_day ON usage_fold FOR EACH ROW
  WHEN (NEW.through_day < OLD.through_day) EXECUTE FUNCTION drop_key_spending();
