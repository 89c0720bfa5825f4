import { createFirstApplication, receiptText } from './create-first-application.ts'
import { started, type ServeOptions } from './serve.ts'

/**
 * `tollgate start`, also `npm start`: runs the server. On the first start with a data folder, the command also creates
 * the first application and sends one charged request. A second start changes nothing and prints the addresses again,
 * but never the secrets.
 */
export async function start(options: ServeOptions): Promise<void> {
  const tollgate = await started(options, true)
  const { baseUrl, setup } = tollgate
  console.log(`\nTollgate is running at ${baseUrl}`)
  if (setup) console.log(receiptText(baseUrl, setup, await createFirstApplication(baseUrl, setup.token)))
  else console.log(addressesText(tollgate.addresses()))
  console.log('\nStop with Ctrl-C.')
}

function addressesText(
  addresses: readonly { slug: string; gateway: string; local: string | null }[],
): string {
  const lines = addresses.map(
    ({ slug, gateway, local }) => `  ${slug.padEnd(16)} ${local ?? gateway}${local ? `   (${gateway})` : ''}`,
  )
  return [
    '',
    lines.length > 0 ? 'Gateways:' : 'No applications yet. Create an application with PUT /v1/apps/<slug>.',
    ...lines,
    '',
    'Keys and tokens are shown once, when they are created, and stored only as hashes. With a token, you can create other tokens. If all tokens are lost, tollgate token creates a new token.',
  ].join('\n')
}
