-- Charges of each key on all days up to `usage_fold.spending_day`, so that lists sorted by spending do not add up every
-- day of the store (store/sum-spending-of-keys.ts). The table has two sets of sums. Lists read the current set while
-- the job writes the other set.
CREATE TABLE key_spending (
  set_number INTEGER NOT NULL CHECK (set_number IN (1, 2)),
  application_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  -- The run of the job that wrote the row. Rows of other runs than the set's own are not valid.
  run INTEGER NOT NULL,
  billed_micros INTEGER NOT NULL,
  charge_micros INTEGER NOT NULL,
  -- The parts of `charge_micros` in the calendar week and month of the last day.
  week_charge_micros INTEGER NOT NULL,
  month_charge_micros INTEGER NOT NULL,
  PRIMARY KEY (set_number, application_id, mode, end_user_id, key_id)
) STRICT, WITHOUT ROWID;

-- The last run that the job has begun.
ALTER TABLE usage_fold ADD COLUMN spending_begun INTEGER NOT NULL DEFAULT 0;
-- The current set, its run and its last day. Set 0: there are no sums, and all days are added up.
ALTER TABLE usage_fold ADD COLUMN spending_set INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage_fold ADD COLUMN spending_run INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage_fold ADD COLUMN spending_day INTEGER NOT NULL DEFAULT -1;
