import { DatabaseSync } from 'node:sqlite'
import { assertNotNewer, migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { scalar } from './connection.ts'

/**
 * Compares a file with the migrations up to its version. Null if there is no difference. This matters for security: an
 * added trigger or view would run with the rights of the next program that uses the file.
 * @throws if the file has no version: the first start of a store sets the version, so the file is not a store. Also
 *   throws if a newer program has written the file.
 */
export function schemaDifference(connection: DatabaseSync): string | null {
  const version = Number(scalar(connection, 'PRAGMA user_version'))
  if (version === 0) throw new Error('it is not a store, because no migration was ever applied to it')
  assertNotNewer(version, migrationsFor('sqlite'))
  const expected = partsOfVersion(version)
  const actual = partsOf(connection)
  for (const [name, text] of actual) {
    if (!expected.has(name)) return `${name} does not belong to version ${version}`
    if (expected.get(name) !== text) return `${name} differs from version ${version}`
  }
  for (const name of expected.keys()) if (!actual.has(name)) return `${name} is missing`
  return null
}

type Parts = ReadonlyMap<string, unknown>

/**
 * The expected schema of each version. The schema is cached, because verifying several files would otherwise create the
 * tables of a version again.
 */
const made = new Map<number, Parts>()

function partsOfVersion(version: number): Parts {
  const known = made.get(version)
  if (known !== undefined) return known
  const connection = new DatabaseSync(':memory:')
  try {
    for (const { sql } of migrationsFor('sqlite').slice(0, version)) connection.exec(sql)
    const parts = partsOf(connection)
    made.set(version, parts)
    return parts
  } finally {
    connection.close()
  }
}

/**
 * ANALYZE stores statistics for the query planner in these tables. Statistics change no result
 * (sqlite.org/lang_analyze.html).
 */
const statistics = new Set<unknown>([
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
])

/** Maps a name such as `the trigger ledger_no_update` to the statement that created it. */
function partsOf(connection: DatabaseSync): Parts {
  const rows = connection.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all()
  return new Map(
    rows
      .filter(({ sql }) => !statistics.has(sql))
      .map(({ type, name, tbl_name: of, sql }) => [
        `the ${String(type)} ${String(name)}`,
        `${String(of)}\n${withoutComments(String(sql))}`,
      ]),
  )
}

const spaceOrComment =
  /(?<quoted>'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\])|(?:--[^\n]*|\/\*[^]*?\*\/|[ \t\n\f\r])+/g

/**
 * SQLite stores the statement of a table with its comments. A store keeps the comments of the program that created it,
 * and later programs have other comments.
 */
function withoutComments(sql: string): string {
  return sql.replaceAll(spaceOrComment, (_, quoted: string | undefined) => quoted ?? ' ')
}
