/** `tollgate logout`: revokes the token on the server. The local copy is deleted even if this fails. */
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { keepCredential, keptCredential, settingsOf } from '#cli/settings/settings.ts'
import { exit, type Terminal } from '#cli/terminal-interface.ts'
import { ApiError, TollgateError } from '#sdk/errors.ts'

export async function logout(flags: CommonFlags, terminal: Terminal): Promise<number> {
  const { err } = terminal
  const settings = settingsOf(flags, terminal)
  const profile = settings.profile.value
  const kept = keptCredential(profile, terminal)
  if (kept === null) {
    err.write(`The profile ${profile} is not signed in.\n`)
    return exit.ok
  }
  const { host, id, token } = kept
  const own = {
    host: { value: host, origin: '' },
    token: { value: token, origin: '' },
    mode: settings.mode,
    app: null,
  }
  const left = await revoked(new Api(own, terminal), id)
  keepCredential(profile, terminal, null)
  if (left === null) err.write(`Signed out of ${host}. The token ${id} is revoked.\n`)
  else
    err.write(
      `Signed out of ${host} on this machine, but the token ${id} is still valid on the server. ${left}\n`,
    )
  return exit.ok
}

/** Null if the token is no longer valid, and otherwise a sentence about the failure. */
async function revoked(api: Api, id: string): Promise<string | null> {
  try {
    await api.call('tokens.revoke', { id })
    return null
  } catch (error) {
    // The token may already have been revoked, or its member may have been removed.
    if (error instanceof ApiError && error.status === 401) return null
    if (error instanceof TollgateError)
      return `${error.message} An admin can revoke the token with tollgate tokens revoke ${id}.`
    throw error
  }
}
