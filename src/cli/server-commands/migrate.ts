import { migrateStore, pendingMigrations } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

/**
 * `tollgate migrate`: migrates the store to this program's version, as a server does when it starts. `--check` changes
 * nothing, and exits 1 if migrations are pending. Exits 2 if the store cannot be used.
 */
export function migrate({
  check,
  data,
}: {
  readonly data?: string
  readonly check?: boolean
}): Promise<void> {
  return runOnStore('migrate', data, async (location) => {
    const pending = await pendingMigrations(location)
    if (pending.length === 0) {
      console.log('The store is up to date.')
    } else if (check === true) {
      console.log(`Pending migrations:\n${pending.map((name) => `  ${name}`).join('\n')}`)
      process.exitCode = 1
    } else {
      await migrateStore(location)
      console.log(`Applied migrations:\n${pending.map((name) => `  ${name}`).join('\n')}`)
    }
  })
}
