/**
 * Protects the tables of record (ledger, usage records, quotes, corrections), which are append-only. On a database with
 * one node, triggers reject every change, by any role. Citus accepts no triggers on distributed tables. There, the
 * servers' role may only read and add records, and only the tables' owner can change them.
 */
import { rowsOf, type Session } from './citus-cluster.ts'
import { PostgresError } from './classify-postgres-errors.ts'

export const recordTables: readonly string[] = ['ledger', 'usage_records', 'quotes', 'call_corrections']

const changes = `ARRAY['UPDATE', 'DELETE', 'TRUNCATE']`

/**
 * The bits of `tgtype` are 2 BEFORE, 8 DELETE, 16 UPDATE and 32 TRUNCATE (postgresql.org,
 * src/include/catalog/pg_trigger.h).
 */
const records = `(
  SELECT c.oid, c.relname, c.relowner, c.relacl, EXISTS (
      SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgenabled IN ('O', 'A') AND t.tgtype & 26 = 26
        AND t.tgfoid = 'refuse_change'::regproc) AS has_trigger
  FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND c.relispartition
  WHERE coalesce(i.inhparent, c.oid) IN (${recordTables.map((table) => `'${table}'::regclass`).join(', ')})
    AND c.relkind IN ('r', 'p'))`

/**
 * Call this function before a process serves from a distributed database.
 * @throws PostgresError if the role can change a record
 */
export async function assertCannotChangeRecords(session: Session): Promise<void> {
  const rows = await rowsOf<{ role: string; tables: string }>(
    session,
    `SELECT current_user AS role, string_agg(r.relname, ', ' ORDER BY r.relname) AS tables FROM ${records} r
     WHERE NOT r.has_trigger AND (pg_has_role(r.relowner, 'MEMBER') OR EXISTS (
       SELECT 1 FROM unnest(${changes}) AS w(change) WHERE has_table_privilege(r.oid, w.change)))
     HAVING count(*) > 0`,
  )
  const [found] = rows
  if (found === undefined) return
  throw new PostgresError(
    'away',
    `The role ${found.role} can change records in ${found.tables}. Servers on a distributed database need the role of tollgate scale apply --role`,
  )
}

export interface RecordGuards {
  readonly tables: number
  /** A sentence for each table without a trigger that another role than the owner can change. */
  readonly faults: readonly string[]
}

/**
 * On a database with one node, every table must have its trigger. Superusers are not reported, because permissions do
 * not restrict them.
 */
export async function recordGuards(session: Session): Promise<RecordGuards> {
  const groups = await rowsOf(session, 'SELECT FROM shard_groups LIMIT 2')
  const rows = await rowsOf<{ relname: string; roles: string | null }>(
    session,
    `SELECT r.relname, CASE WHEN r.has_trigger THEN NULL WHEN $1 THEN 'every role' ELSE (
       SELECT string_agg(coalesce(w.role, 'every role'), ', ' ORDER BY w.role NULLS FIRST) FROM (
         SELECT g.rolname AS role FROM aclexplode(r.relacl) a LEFT JOIN pg_roles g ON g.oid = a.grantee
           WHERE a.grantee <> r.relowner AND a.privilege_type = ANY(${changes})
         UNION
         SELECT m.rolname FROM pg_roles m
           WHERE m.oid <> r.relowner AND NOT m.rolsuper AND pg_has_role(m.oid, r.relowner, 'MEMBER')) AS w)
       END AS roles
     FROM ${records} r ORDER BY 1`,
    [groups.length < 2],
  )
  const faults = rows.flatMap(({ relname, roles }) =>
    roles === null ? [] : [`${relname} can be changed by ${roles}: its trigger is missing or disabled`],
  )
  return { tables: rows.length, faults }
}
