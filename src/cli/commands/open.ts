/** `tollgate open <page>`: prints the address of a page, and opens it if a browser is available. */
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { gatewayOf } from '#sdk/clients.ts'
import type { Application } from '#sdk/generated/types.ts'
import { exit, usageError, type Terminal } from '#cli/terminal-interface.ts'

/** Names of the pages that `open` accepts. */
export const pageNames = ['console', 'reference', 'openapi', 'device', 'portal', 'gateway']

const pages: Readonly<Record<string, string>> = {
  console: '/',
  reference: '/reference',
  openapi: '/v1/openapi.json',
  device: '/device',
}

export async function open(page: string, flags: CommonFlags, terminal: Terminal): Promise<number> {
  const settings = settingsOf(flags, terminal)
  const path = pages[page]
  const url =
    path === undefined
      ? await ofApplication(page, new Api(settings, terminal), settings.app?.value)
      : settings.host.value + path
  terminal.out.write(`${url}\n`)
  if (terminal.out.isTerminal && !terminal.open(url))
    terminal.err.write('No browser is available on this device.\n')
  return exit.ok
}

async function ofApplication(page: string, api: Api, slug: string | undefined): Promise<string> {
  if (page !== 'portal' && page !== 'gateway') {
    throw usageError(`There is no page ${page}. The pages are ${pageNames.join(', ')}.`)
  }
  const app = await (slug === undefined
    ? api.call<Application>('apps.current')
    : api.call<Application>('apps.show', { slug }))
  return page === 'portal' ? (app.localPortal ?? app.portal) : gatewayOf(app)
}
