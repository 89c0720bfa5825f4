-- Only PostgreSQL has this index of holds. The number is taken here too, so that both engines have the same numbers.
SELECT 1;
