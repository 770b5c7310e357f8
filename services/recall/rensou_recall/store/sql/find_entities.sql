-- Entities that the call reads, by number.
-- in:  scope; after bigint (the number before the first); keep int
-- out: id bigint
-- uses: the primary key when every project is read, else entities_place
-- One branch a project: conditions on parameters leave one or two of them, and each gives its rows in order, which
-- OFFSET 0 keeps apart from the tests, so that those are made row by row until a page is full.
SELECT n.id
FROM (
  (
    SELECT a.id, a.channel
    FROM entities a
    WHERE a.agent_id = %(agent_id)s
      AND %(project_id)s::text IS NULL
      AND a.id > %(after)s
    ORDER BY a.id
    OFFSET 0
  )
  UNION ALL
  (
    SELECT p.id, p.channel
    FROM entities p
    WHERE p.agent_id = %(agent_id)s
      AND p.project_id = %(project_id)s::text
      AND p.id > %(after)s
    ORDER BY p.id
    OFFSET 0
  )
  UNION ALL
  (
    SELECT g.id, g.channel
    FROM entities g
    WHERE g.agent_id = %(agent_id)s
      AND g.project_id = ''
      AND %(project_id)s::text <> ''
      AND g.id > %(after)s
    ORDER BY g.id
    OFFSET 0
  )
) n
WHERE (%(channel)s = '' OR n.channel = %(channel)s OR n.channel = '')
ORDER BY n.id
LIMIT %(keep)s
