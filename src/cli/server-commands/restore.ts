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
      'backups can be restored only to a folder. Set the folder with --data, or unset DATABASE_URL',
    )
    const { aside, hasMasterKey } = await restoreStore({
      file,
      folder,
      replaces: replace,
      masterKey,
      isTrusted: unauthenticated,
    })
    console.log(`Restored ${file} to ${folder}. All checks passed.`)
    if (aside !== null) console.log(`The previous store was moved to ${aside}.`)
    if (!hasMasterKey) {
      console.log(
        `${folder} contains no master key. Copy the old master key to this folder (file master-key), or set the key in TOLLGATE_MASTER_KEY.`,
      )
    }
    console.log(
      'Changes after the backup are lost: keys and tokens revoked since then are valid again, members removed since then are back, and requests since then are not charged. Revoke these keys and tokens and remove these members again.',
    )
    console.log(
      'Everyone is signed out, and open invitations, portal links and device codes are no longer valid. If no owner exists, tollgate setup-link creates a new link.',
    )
  })
}
