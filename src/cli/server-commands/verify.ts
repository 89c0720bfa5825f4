import { existsSync } from 'node:fs'
import { verifyStore } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

/**
 * `tollgate verify`: rebuilds every balance from the ledger and checks every invariant on one snapshot of the data.
 * Works while servers run. Exits 1 if a check fails, and 2 if there is no store to verify. Changes no data, because an
 * operator must understand the cause of a difference before data is repaired.
 */
export function verify({ data }: { readonly data?: string }): Promise<void> {
  return runOnStore('verify', data, async (location) => {
    if (location.engine === 'sqlite' && !existsSync(location.folder)) {
      throw new Error(`the data folder ${location.folder} does not exist`)
    }
    const results = await verifyStore(location, ({ check, difference, rows }) => {
      console.log(
        difference === null ? `ok     ${check} (${rows} rows)` : `WRONG  ${check}\n       ${difference}`,
      )
    })
    const wrong = results.filter(({ difference }) => difference !== null).length
    if (wrong === 0) return console.log('\nAll checks passed.')
    console.log(
      `\n${wrong} of ${results.length} checks found a difference. Nothing was changed. Copy the data of the store before you change anything.`,
    )
    process.exitCode = 1
  })
}
