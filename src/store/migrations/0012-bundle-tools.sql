-- JSON of the bundle's rules for tools that providers run (ToolRules). Null: the rules of the application. A process of the
-- previous release does not read it, and applies the rules of the application.
ALTER TABLE bundles ADD COLUMN provider_tools TEXT;
