-- JSON: the upper bound of a conversation's length, and the call that continues it
-- (domain/accounts/stored-conversation-lengths.ts). Null: the length is not known, or the row is not a conversation.
ALTER TABLE files ADD COLUMN length_state TEXT;
