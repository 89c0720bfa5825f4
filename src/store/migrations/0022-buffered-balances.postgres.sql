-- Only the embedded store keeps changed sources in slots. The number is taken here too, so that both engines have the
-- same numbers.
SELECT 1;
