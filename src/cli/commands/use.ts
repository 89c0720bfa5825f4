/** `tollgate use <app>`: stores the default application in the profile. The command changes nothing on the server. */
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { keepInProfile, settingsOf } from '#cli/settings/settings.ts'
import { gatewayOf } from '#sdk/clients.ts'
import type { Application } from '#sdk/generated/types.ts'
import { exit, type Terminal } from '#cli/terminal-interface.ts'

export async function use(slug: string, flags: CommonFlags, terminal: Terminal): Promise<number> {
  const settings = settingsOf(flags, terminal)
  const { host, profile } = settings
  const api = new Api({ ...settings, app: null }, terminal)
  const application = await api.call<Application>('apps.show', { slug })
  const { mode } = flags
  keepInProfile(profile.value, terminal, { host: host.value, app: slug, ...(mode !== undefined && { mode }) })
  terminal.err.write(
    `Default application: ${application.name} (${slug})${mode === undefined ? '' : ` in ${mode} mode`}. Its gateway is ${gatewayOf(application)}.\n`,
  )
  return exit.ok
}
