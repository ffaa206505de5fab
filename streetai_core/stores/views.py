"""Views for people who open the file in a tool of theirs: names in place of keys."""

from __future__ import annotations

VIEWS = """
CREATE VIEW messages_readable AS
SELECT memories.memory_id, messages.sequence, messages.turn, messages.conversation_id, messages.role, messages.name,
       messages.content, messages.created_at, messages.metadata, messages.message_id
FROM messages JOIN memories USING (memory_key);
CREATE VIEW signals_readable AS
SELECT memories.memory_id, signals.signal_key, messages.turn, messages.conversation_id, messages.role, messages.name,
       substr(messages.content, signals.start + 1, signals."end" - signals.start) AS text,
       signals.kind, weights.base_weight, weights.last_used_turn, weights.uses, weights.stack_key,
       messages.created_at, messages.message_id, signals.chunk_index
FROM signals
JOIN memories USING (memory_key)
JOIN messages USING (memory_key, sequence)
LEFT JOIN weights USING (memory_key, signal_key);
CREATE VIEW stacks_readable AS
SELECT memories.memory_id, stacks.stack_key, stacks.size,
       (SELECT group_concat(signal_key, ' ') FROM weights
        WHERE weights.memory_key = stacks.memory_key AND weights.stack_key = stacks.stack_key) AS signal_keys
FROM stacks JOIN memories USING (memory_key);
CREATE VIEW credits_readable AS
SELECT memories.memory_id, credits.turn, credits.signal_key, credits.action, credits.contribution,
       credits.old_weight, credits.new_weight, signals_readable.text, credits.created_at
FROM credits
JOIN memories USING (memory_key)
LEFT JOIN signals_readable USING (memory_id, signal_key);
"""
