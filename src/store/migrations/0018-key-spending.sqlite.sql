-- A call was charged on a summed day, so sums that include this day are not valid, and a run in progress cannot finish.
CREATE TRIGGER usage_fold_lowered AFTER UPDATE OF through_day ON usage_fold
  WHEN new.through_day < old.through_day
  BEGIN
    UPDATE usage_fold SET spending_begun = spending_begun + 1 WHERE id = new.id;
    UPDATE usage_fold SET spending_set = 0, spending_day = -1 WHERE id = new.id AND spending_day > new.through_day;
  END;
