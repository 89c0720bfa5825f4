/** `broken` means that a row violates a constraint. */
export type SqliteCode = 'busy' | 'full' | 'io' | 'fsync' | 'unique' | 'broken' | 'refused' | 'other'

/** Structured clone keeps an error's message but drops its error number. */
export class SqliteError extends Error {
  readonly code: SqliteCode

  constructor(code: SqliteCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SqliteError'
    this.code = code
  }
}

/** Whether the store would reject every other operation as well. */
export function isAway(code: SqliteCode | null): boolean {
  return code === 'busy' || code === 'full' || code === 'io' || code === 'refused'
}

/** Null if the error is not an SQLite error. */
export function sqliteCode(error: unknown): SqliteCode | null {
  if (error instanceof SqliteError) return error.code
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null
  return codeOf(error.errcode)
}

// Result codes: sqlite.org/rescode.html. The low byte is the kind. The other bytes give details.
function codeOf(errcode: number): SqliteCode {
  if (errcode === 1034 || errcode === 1290) return 'fsync' // SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC
  if (errcode === 2067 || errcode === 1555 || errcode === 2579) return 'unique' // SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY, _ROWID
  if (errcode === 275 || errcode === 1811) return 'broken' // SQLITE_CONSTRAINT_CHECK, SQLITE_CONSTRAINT_TRIGGER
  const kind = errcode & 0xff
  if (kind === 5 || kind === 6) return 'busy'
  if (kind === 13) return 'full'
  if (kind === 10) return 'io'
  // The medium is read-only, or the file cannot be opened or is not a database.
  if (kind === 8 || kind === 14 || kind === 11 || kind === 26) return 'refused'
  return 'other'
}
