/** `tollgate use <app>`: stores the default application in the profile. Nothing changes on the server. */
import { Api } from '#cli/client.ts'
import type { CommonFlags } from '#cli/common-flags.ts'
import { keepInProfile, settingsOf } from '#cli/settings/settings.ts'
import { exit, type Terminal } from '#cli/terminal.ts'

export async function use(slug: string, flags: CommonFlags, terminal: Terminal): Promise<number> {
  const settings = settingsOf(flags, terminal)
  const { host, profile } = settings
  const { gateway, localGateway, name } = await new Api({ ...settings, app: null }, terminal).call<{
    name: string
    gateway: string
    localGateway?: string
  }>('apps.show', { slug })
  const { mode } = flags
  keepInProfile(profile.value, terminal, { host: host.value, app: slug, ...(mode !== undefined && { mode }) })
  terminal.err.write(
    `Default application: ${name} (${slug})${mode === undefined ? '' : ` in ${mode} mode`}. Its gateway is ${localGateway ?? gateway}.\n`,
  )
  return exit.ok
}
