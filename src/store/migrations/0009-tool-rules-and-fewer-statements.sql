-- Rules for tools that providers run, as JSON: one rule, or an object of rules by kind. Null: provider_tools is the rule,
-- as in all older rows.
ALTER TABLE gateway_settings ADD COLUMN tool_rules TEXT;
