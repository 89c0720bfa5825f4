import { readConfig } from '#app/server-configuration.ts'
import { mintToken } from '#app/create-operator-token.ts'
import { runOnStore } from './run-on-store.ts'

export interface TokenCommandOptions {
  readonly data?: string
  readonly label: string
  readonly organization?: string
}

/**
 * `tollgate token`: creates a control-plane token for the server's operator. Works while servers run. Exits 2 on
 * failure.
 */
export function token({ data, label, organization }: TokenCommandOptions): Promise<void> {
  return runOnStore('token', data, async (location) => {
    const { dataFolder, masterKey } = readConfig(process.env, data === undefined ? {} : { data })
    const minted = await mintToken({
      location,
      label,
      organization: organization ?? null,
      keyFolder: dataFolder,
      masterKey,
    })
    console.error(
      `The token ${minted.id} of the organization ${minted.organizationId} is shown only once. A running server accepts the token immediately. Revoke the token with DELETE /v1/application-keys/${minted.id}.`,
    )
    console.log(minted.token)
  })
}
