CREATE TRIGGER rate_uses_forgotten AFTER INSERT OR UPDATE OR DELETE ON rate_uses FOR EACH ROW
  WHEN (coalesce(current_setting('tollgate.lane', true), '') = '') EXECUTE FUNCTION forget_end_user();
