import { addressesOf } from '#app/addresses-of-gateways-and-pages.ts'
import { readConfig } from '#app/server-configuration.ts'
import { makeSetupLink } from '#app/create-setup-link.ts'
import { runOnStore } from './run-on-store.ts'

export interface SetupLinkOptions {
  readonly data?: string
  readonly organization?: string
}

/** `tollgate setup-link`: creates a new link for the first owner. Works while servers run. Exits 2 on failure. */
export function setupLink({ data, organization }: SetupLinkOptions): Promise<void> {
  return runOnStore('setup-link', data, async (location) => {
    const config = readConfig(process.env, data === undefined ? {} : { data })
    const { dataFolder, listenPort, masterKey } = config
    // The link has the port on which a server with these settings listens. With port 0, this port is not known.
    const { baseUrl } = listenPort === 0 ? config : addressesOf(config, listenPort)
    const url = await makeSetupLink({
      location,
      organization: organization ?? null,
      keyFolder: dataFolder,
      masterKey,
      baseUrl,
    })
    console.error(
      'The first person who opens this link becomes the owner. The link works once, within one hour.',
    )
    console.log(url)
  })
}
