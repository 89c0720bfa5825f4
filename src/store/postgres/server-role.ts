/**
 * The rights of the servers' role on a distributed database. The role can add records, but not change them
 * (guard-append-only-tables.ts). The role owns no tables, so `tollgate migrate`, `prune` and `scale` need the owner's
 * role.
 */
import { onAllNodes, rowsOf, type Session } from './citus-cluster.ts'
import type { Step } from './steps-to-distribute-tables.ts'
import { partitionFunction } from './monthly-partitions.ts'
import { recordTables } from './guard-append-only-tables.ts'
import { holdFunction } from './shard-tables.ts'

/** @throws Error if the role does not exist, or if rights do not restrict it */
export async function roleSteps(session: Session, role: string): Promise<Step[]> {
  const quoted = await quotedRole(session, role)
  const grants = [
    ...(await tableGrants(session, role, quoted)),
    ...(await functionGrants(session, role, quoted)),
    ...(await epochGrants(session, role, quoted)),
  ]
  const lacksNumbers = await lacksLedgerNumbers(session, quoted)
  if (grants.length === 0 && !lacksNumbers) return []
  return [
    {
      text: `Let the role ${role} add records, and read and change all other tables`,
      async run(running) {
        // oxlint-disable-next-line no-await-in-loop -- one connection
        for (const grant of grants) await rowsOf(running, grant)
        if (lacksNumbers)
          await onAllNodes(running, `GRANT USAGE, SELECT ON SEQUENCE ledger_sequence TO ${quoted}`)
      },
    },
  ]
}

async function quotedRole(session: Session, role: string): Promise<string> {
  const [found] = await rowsOf<{ quoted: string; is_free: string }>(
    session,
    `SELECT quote_ident(rolname) AS quoted, (rolsuper OR pg_has_role(oid, (SELECT relowner FROM pg_class WHERE oid = 'ledger'::regclass), 'MEMBER'))::text
       AS is_free FROM pg_roles WHERE rolname = $1`,
    [role],
  )
  if (found === undefined) {
    throw new Error(
      `the role ${role} does not exist. Create it on the coordinator, with LOGIN and a password`,
    )
  }
  if (found.is_free === 'true') {
    throw new Error(
      `the role ${role} owns the tables or is a superuser, so it could change records. Use another role`,
    )
  }
  return found.quoted
}

function rightsOn(table: string): readonly string[] {
  if (recordTables.includes(table)) return ['SELECT', 'INSERT']
  if (table === 'schema_versions' || table === 'shard_groups') return ['SELECT']
  return ['SELECT', 'INSERT', 'UPDATE', 'DELETE']
}

async function tableGrants(session: Session, role: string, quoted: string): Promise<string[]> {
  const rows = await rowsOf<{ name: string; rights: string | null }>(
    session,
    `SELECT c.relname AS name, (
       SELECT string_agg(w.one, ' ') FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS w(one)
       WHERE has_table_privilege($1, c.oid, w.one)) AS rights
     FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition ORDER BY 1`,
    [role],
  )
  return rows.flatMap(({ name, rights }) => {
    const held = rights?.split(' ') ?? []
    const wanted = rightsOn(name)
    const missing = wanted.filter((right) => !held.includes(right))
    const excess = held.filter((right) => !wanted.includes(right))
    return [
      ...(missing.length === 0 ? [] : [`GRANT ${missing.join(', ')} ON ${name} TO ${quoted}`]),
      ...(excess.length === 0 ? [] : [`REVOKE ${excess.join(', ')} ON ${name} FROM ${quoted}`]),
    ]
  })
}

async function functionGrants(session: Session, role: string, quoted: string): Promise<string[]> {
  const lacking = await rowsOf<{ name: string }>(
    session,
    `SELECT f.name FROM unnest($2::text[]) AS f(name) WHERE to_regprocedure(f.name) IS NULL
       OR NOT has_function_privilege($1, to_regprocedure(f.name), 'EXECUTE')`,
    [role, [partitionFunction, holdFunction]],
  )
  return lacking.map(({ name }) => `GRANT EXECUTE ON FUNCTION ${name} TO ${quoted}`)
}

async function epochGrants(session: Session, role: string, quoted: string): Promise<string[]> {
  const lacking = await rowsOf(
    session,
    `SELECT WHERE NOT has_sequence_privilege($1, 'epoch_sequence', 'USAGE')`,
    [role],
  )
  return lacking.map(() => `GRANT USAGE ON SEQUENCE epoch_sequence TO ${quoted}`)
}

/** Checks every node, because each node has its own sequence of ledger entry numbers (entry-numbers-of-nodes.ts). */
async function lacksLedgerNumbers(session: Session, quoted: string): Promise<boolean> {
  const rights = await onAllNodes(
    session,
    `SELECT has_sequence_privilege(r.oid, s.oid, 'USAGE') FROM pg_roles r LEFT JOIN pg_class s
       ON s.relname = 'ledger_sequence' AND s.relkind = 'S' WHERE quote_ident(r.rolname) = '${quoted.replaceAll("'", "''")}'`,
  )
  return rights.some(({ result }) => result !== 't')
}
