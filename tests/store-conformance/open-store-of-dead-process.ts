import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { covered, openOnPostgres, openTemporary } from './engines.ts'

export interface Process {
  readonly store: EngineStore
  readonly reopen: () => Promise<Process>
  readonly end: () => Promise<void>
}

type Open = (nowMs: () => number) => Promise<Process>

export const restartingEngines: readonly { readonly name: string; readonly open: Open }[] = covered([
  { name: 'SQLite', open: (nowMs) => sqliteProcess(nowMs) },
  ...(hasPostgres ? [{ name: 'PostgreSQL', open: postgresProcess }] : []),
])

export async function sqliteProcess(nowMs: () => number, folder?: string): Promise<Process> {
  const opened = await openTemporary({ writer: 'inline', nowMs, ...(folder !== undefined && { folder }) })
  return {
    store: opened.store,
    async reopen() {
      await opened.store.close()
      return sqliteProcess(nowMs, opened.folder)
    },
    end: () => opened.closeSound(),
  }
}

async function postgresProcess(nowMs: () => number): Promise<Process> {
  const first = await openOnPostgres({ nowMs })
  const of = (store: EngineStore): Process => ({
    store,
    async reopen() {
      await store.close()
      return of((await openOnPostgres({ nowMs, url: first.url })).store)
    },
    async end() {
      await store.close()
      await first.closeSound()
    },
  })
  return of(first.store)
}
