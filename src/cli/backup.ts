import { embedded } from '#app/store-location.ts'
import { backupStore } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

/**
 * `tollgate backup <file>`: writes the embedded store to one verified file while a server keeps running. Exits 2 if
 * there is no store.
 */
export function backup(file: string, { data }: { readonly data?: string }): Promise<void> {
  return runOnStore('backup', data, async (location) => {
    const { folder, masterKey } = embedded(
      location,
      'this store is in PostgreSQL (DATABASE_URL), which has better means: pg_dump, or archived WAL for any moment (docs/guides/scale.md)',
    )
    const { bytes, callsInFlight } = await backupStore(folder, file, masterKey)
    console.log(`Wrote ${file} (${bytes} bytes), and everything in it adds up.`)
    if (callsInFlight > 0) {
      console.log(`${callsInFlight} calls were in flight: a server on the restored store ends them.`)
    }
    console.log(
      'The master key is NOT in it, and seals it. Keep that elsewhere: without it the backup cannot be told from a changed one, nor the provider credentials in it opened.',
    )
  })
}
