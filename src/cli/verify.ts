import { existsSync } from 'node:fs'
import { storePlace } from '#app/store-location.ts'
import { verifyStore } from '#app/verify-store.ts'

/**
 * `tollgate verify`: rebuilds every balance from the ledger and checks every invariant, on one snapshot
 * of the data, beside running servers too. Exits 1 when something does not add up, 2 when there is nothing
 * to verify. It repairs nothing: a difference is for a person to understand.
 */
export async function verify({ data }: { readonly data?: string }): Promise<void> {
  try {
    const place = storePlace(process.env, data)
    if (place.engine === 'sqlite' && !existsSync(place.folder)) {
      throw new Error(`there is no data folder ${place.folder}`)
    }
    const results = await verifyStore(place, ({ check, difference, rows }) => {
      console.log(
        difference === null ? `ok     ${check} (${rows} rows)` : `WRONG  ${check}\n       ${difference}`,
      )
    })
    const wrong = results.filter(({ difference }) => difference !== null).length
    if (wrong === 0) console.log('\nEverything adds up.')
    else {
      console.log(
        `\n${wrong} of ${results.length} checks found a difference. Nothing was changed: keep a copy of this data before anything else is done to it.`,
      )
      process.exitCode = 1
    }
  } catch (cause) {
    console.error(`tollgate verify: ${cause instanceof Error ? cause.message : String(cause)}`)
    process.exitCode = 2
  }
}
