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
      'this store is in PostgreSQL (DATABASE_URL). Use pg_dump, or archive the WAL to restore any point in time (docs/guides/scale.md)',
    )
    const { bytes, callsInFlight } = await backupStore(folder, file, masterKey)
    console.log(`Wrote ${file} (${bytes} bytes). All checks passed.`)
    if (callsInFlight > 0) {
      const subject = callsInFlight === 1 ? '1 request was' : `${callsInFlight} requests were`
      console.log(
        `${subject} in flight. When a server starts on the restored store, the server ends these requests. Background responses and batches continue.`,
      )
    }
    console.log(
      'The backup is sealed with the master key, but does NOT contain the master key. Keep the master key in another place than the backup. Without the master key, changes to the backup cannot be detected and its provider credentials cannot be decrypted.',
    )
  })
}
