import { migrateStore, pendingMigrationsOf } from '#app/store-maintenance.ts'
import { storePlace } from '#app/store-location.ts'
import { withSentence } from './run-command.ts'

/**
 * `tollgate migrate`: brings the store to this program's version, as the start of a server does too.
 * `--check` changes nothing and exits 1 when there is something to do; 2 when the store cannot be used.
 */
export function migrate(options: { readonly data?: string; readonly check?: boolean }): Promise<void> {
  return withSentence('migrate', async () => {
    const place = storePlace(process.env, options.data)
    const pending = await pendingMigrationsOf(place)
    if (pending.length === 0) {
      console.log('The store is up to date.')
    } else if (options.check === true) {
      console.log(`To be applied:\n${pending.map((name) => `  ${name}`).join('\n')}`)
      process.exitCode = 1
    } else {
      await migrateStore(place)
      console.log(`Applied:\n${pending.map((name) => `  ${name}`).join('\n')}`)
    }
  })
}
