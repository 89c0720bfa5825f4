CREATE TRIGGER line_rate_uses_forgotten AFTER INSERT OR UPDATE OR DELETE ON line_rate_uses FOR EACH ROW
  WHEN (coalesce(current_setting('tollgate.lane', true), '') = '') EXECUTE FUNCTION forget_end_user();
