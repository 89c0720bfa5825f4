import { readConfig } from '#app/server-configuration.ts'
import { removePasskeys } from '#app/remove-passkeys.ts'
import { runOnStore } from './run-on-store.ts'

export interface RemovePasskeysOptions {
  readonly data?: string
  readonly organization?: string
}

/** `tollgate remove-passkeys`: lets a member sign in without passkeys. Works while servers run. Exits 2 on failure. */
export function removePasskeysOf(
  email: string,
  { data, organization }: RemovePasskeysOptions,
): Promise<void> {
  return runOnStore('remove-passkeys', data, async (location) => {
    const { dataFolder, masterKey } = readConfig(process.env, data === undefined ? {} : { data })
    const removed = await removePasskeys({
      location,
      organization: organization ?? null,
      keyFolder: dataFolder,
      masterKey,
      email,
    })
    console.log(`Removed ${removed} ${removed === 1 ? 'passkey' : 'passkeys'} of ${email}.`)
  })
}
