import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite, type SqliteOptions, sqlitePath, type SqliteStore } from '#store/engines/sqlite.ts'
import { verifySqlite } from '#store/verify.ts'

/** A store for one test, in a place of its own. */
export interface Opened {
  readonly store: SqliteStore
  close(): Promise<void>
  /** Closes too. @throws when anything in the store does not add up */
  closeSound(): Promise<void>
}

export interface Engine {
  readonly name: string
  readonly open: (nowMs: () => number) => Promise<Opened>
}

/** Every engine that the suite of this folder holds for. */
export const engines: readonly Engine[] = [
  { name: 'SQLite, writer on a thread', open: (nowMs) => openTemporary({ writer: 'thread', nowMs }) },
  { name: 'SQLite, writer inline', open: (nowMs) => openTemporary({ writer: 'inline', nowMs }) },
]

type Options = Omit<SqliteOptions, 'folder' | 'onFatal'> & Partial<Pick<SqliteOptions, 'folder' | 'onFatal'>>

export async function openTemporary(options: Options): Promise<Opened & { readonly folder: string }> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'tollgate-store-'))
  const store = await openSqlite({
    onFatal: (error) => {
      throw error
    },
    ...options,
    folder,
  })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await store.close()
    isOpen = false
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    folder,
    store,
    close,
    async closeSound() {
      const broken = verifySqlite(sqlitePath(folder)).filter(({ difference }) => difference !== null)
      await close()
      assert.deepEqual(broken, [])
    },
  }
}
