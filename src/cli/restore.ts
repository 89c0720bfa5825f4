import { embedded } from '#app/store-location.ts'
import { restoreStore } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

export interface RestoreOptions {
  readonly data?: string
  readonly replace?: boolean
  readonly unauthenticated?: boolean
}

/**
 * `tollgate restore <file>`: restores a backup as the embedded store of a folder that no server uses. Exits 2 on
 * failure.
 */
export function restore(
  file: string,
  { data, replace = false, unauthenticated = false }: RestoreOptions,
): Promise<void> {
  return runOnStore('restore', data, async (location) => {
    const { folder, masterKey } = embedded(
      location,
      'a backup file is restored to a folder: name it with --data, or unset DATABASE_URL',
    )
    const { aside, hasMasterKey } = await restoreStore({
      file,
      folder,
      replaces: replace,
      masterKey,
      isTrusted: unauthenticated,
    })
    console.log(`Restored ${file} to ${folder}, and everything in it adds up.`)
    if (aside !== null) console.log(`The old store is ${aside}.`)
    if (!hasMasterKey) {
      console.log(
        `There is no master key in ${folder}: put the old one there (master-key), or give it in TOLLGATE_MASTER_KEY.`,
      )
    }
    console.log(
      'Whatever happened after the backup is not in it: keys and tokens revoked since are valid again, members removed since are back, and calls since are not charged. Revoke and remove them again.',
    )
    console.log(
      'Everyone is signed out, and open invitations, portal links and device codes are no longer valid. Without an owner, tollgate setup-link makes a new link.',
    )
  })
}
