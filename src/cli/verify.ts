import { existsSync } from 'node:fs'
import { verifyStore } from '#app/verify-store.ts'
import { readConfig } from '#app/config.ts'

/**
 * `tollgate verify`: rebuilds every balance from the ledger and checks every invariant, on one snapshot
 * of the data, beside a running server too. Exits 1 on the first difference, 2 when there is nothing to
 * verify. It repairs nothing: a difference is for a person to understand.
 */
export function verify({ data }: { readonly data?: string }): void {
  try {
    const { dataFolder } = readConfig(process.env, data === undefined ? {} : { data })
    if (!existsSync(dataFolder)) throw new Error(`there is no data folder ${dataFolder}`)
    for (const { check, rows, difference } of verifyStore(dataFolder)) {
      if (difference !== null) {
        console.log(`WRONG  ${check}\n       ${difference}`)
        process.exitCode = 1
        return
      }
      console.log(`ok     ${check} (${rows} rows)`)
    }
    console.log('\nEverything adds up.')
  } catch (cause) {
    console.error(`tollgate verify: ${cause instanceof Error ? cause.message : String(cause)}`)
    process.exitCode = 2
  }
}
