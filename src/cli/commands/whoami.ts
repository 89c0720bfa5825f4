/** `tollgate whoami`: shows who is signed in according to the server, and each local setting with its origin. */
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { recordText } from '#cli/output/print-document-as-lines.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { CommandError, exit, type Terminal } from '#cli/terminal-interface.ts'

interface Whoami {
  readonly organization: { readonly id: string; readonly name: string }
  readonly token: { readonly id: string; readonly label: string; readonly role: string } | null
  readonly member: { readonly email: string; readonly role: string } | null
}

export async function whoami(flags: CommonFlags, terminal: Terminal): Promise<number> {
  const settings = settingsOf(flags, terminal)
  const { app, host, mode, profile, token } = settings
  if (token === null) {
    throw new CommandError(
      `The profile ${profile.value} is not signed in at ${host.value}. Sign in with tollgate login, or set TOLLGATE_TOKEN.`,
      exit.signIn,
    )
  }
  const answer = await new Api(settings, terminal).call<Whoami>('auth.whoami')
  const { out } = terminal
  const shown = (setting: { value: string; origin: string } | null): string =>
    setting === null ? 'not set' : `${setting.value}  (${setting.origin})`
  if (flags.json === true)
    out.write(`${JSON.stringify({ ...answer, settings })}\n`.replace(JSON.stringify(token.value), '"…"'))
  else if (flags.quiet === true) out.write(`${answer.token?.id ?? answer.organization.id}\n`)
  else {
    out.write(
      recordText(
        {
          organization: `${answer.organization.name}  ${answer.organization.id}`,
          token:
            answer.token === null ? null : `${answer.token.label}  ${answer.token.id}  (${token.origin})`,
          member: answer.member?.email ?? null,
          role: answer.token?.role ?? answer.member?.role ?? null,
          host: shown(host),
          app: shown(app),
          mode: shown(mode),
          profile: shown(profile),
        },
        out,
      ),
    )
  }
  return exit.ok
}
