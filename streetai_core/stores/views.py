"""Views for people who open the file in a tool of theirs: names in place of keys."""

from __future__ import annotations

VIEWS = """
CREATE VIEW messages_readable AS
SELECT memories.memory_id, messages.sequence, messages.turn, messages.conversation_id, messages.role, messages.name,
       messages.content, messages.created_at, messages.metadata, messages.message_id,
       messages.source, messages.trust, messages.writer
FROM messages JOIN memories USING (memory_key);
CREATE VIEW signals_readable AS
SELECT memories.memory_id, signals.signal_key, messages.turn, messages.conversation_id, messages.role, messages.name,
       substr(messages.content, signals.start + 1, signals."end" - signals.start) AS text,
       signals.kind, weights.base_weight, weights.last_used_turn, weights.uses, weights.stack_key,
       messages.created_at, messages.message_id, signals.chunk_index,
       messages.source, messages.trust, messages.writer
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
CREATE VIEW weights_over_time AS
SELECT memory_id, signal_key, turn, 'said' AS event, 1.0 AS base_weight, text
FROM signals_readable
UNION ALL
SELECT memory_id, signal_key, turn, CASE action WHEN 'none' THEN 'refresh' ELSE action END, new_weight, text
FROM credits_readable
WHERE text IS NOT NULL
ORDER BY memory_id, signal_key, turn;
CREATE VIEW stack_sizes AS
SELECT memories.memory_id, stacks.stack_key, stacks.size, min(messages.turn) AS first_turn,
       max(messages.turn) AS last_turn, avg(weights.base_weight) AS mean_base_weight,
       substr(messages.content, signals.start + 1, signals."end" - signals.start) AS newest_text
FROM stacks
JOIN memories USING (memory_key)
JOIN weights USING (memory_key, stack_key)
JOIN signals USING (memory_key, signal_key)
JOIN messages USING (memory_key, sequence)
GROUP BY stacks.memory_key, stacks.stack_key
ORDER BY memories.memory_id, stacks.size DESC, stacks.stack_key;
CREATE VIEW recall_log AS
SELECT memories.memory_id, credits.turn, min(credits.created_at) AS created_at, count(*) AS recalled,
       sum(credits.action = 'boost') AS used, sum(credits.action = 'demote') AS of_no_use,
       group_concat(signals_readable.text, char(10)) AS texts
FROM credits
JOIN memories USING (memory_key)
LEFT JOIN signals_readable USING (memory_id, signal_key)
WHERE credits.action <> 'edit'
GROUP BY credits.memory_key, credits.version
ORDER BY memories.memory_id, credits.version DESC;
"""
