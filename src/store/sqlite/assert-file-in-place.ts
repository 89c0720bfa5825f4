import { statSync } from 'node:fs'
import { SqliteError } from './classify-sqlite-errors.ts'

const lookEveryMs = 1_000

/**
 * Returns a function that throws if the file at the path is no longer the file that was open when `fileInPlace` was
 * called. SQLite would go on writing to a file that was removed or replaced, and everything written to it would be lost
 * at the next start. The function looks at the file at most once a second, unless the file was not in its place.
 *
 * @param path null for a database in memory
 */
export function fileInPlace(path: string | null): () => void {
  if (path === null) return () => {}
  const opened = identityOf(path)
  let lookAtMs = performance.now() + lookEveryMs
  return () => {
    const nowMs = performance.now()
    if (nowMs < lookAtMs) return
    if (identityOf(path) !== opened) {
      throw new SqliteError(
        'refused',
        `the file ${path} was removed or replaced while the server uses it. Move the original file back. To use another file, stop the server first`,
      )
    }
    lookAtMs = nowMs + lookEveryMs
  }
}

function identityOf(path: string): string | null {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? null : `${found.dev} ${found.ino}`
  } catch (cause) {
    // For example, the server may no longer use the folder. An error of another kind would fail settles for good.
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SqliteError('refused', `the server cannot look at the file ${path} (${reason})`, { cause })
  }
}
