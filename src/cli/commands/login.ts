/** `tollgate login`: signs in with the device authorization grant of RFC 8628, or with a token from standard input. */
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { paint } from '#cli/output/terminal-colors.ts'
import { withProgress } from '#cli/output/progress-indicator.ts'
import { keepCredential, keepInProfile, settingsOf, type Settings } from '#cli/settings/settings.ts'
import { textOf } from '#cli/text-of-bytes.ts'
import { CommandError, exit, usageError, type Terminal } from '#cli/terminal-interface.ts'
import { ApiError, ConnectionError } from '#sdk/errors.ts'

interface LoginFlags extends CommonFlags {
  readonly withToken?: boolean
  readonly role?: string
}

interface Started {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUri: string
  readonly verificationUriComplete: string
  readonly expiresIn: number
  readonly interval: number
}

interface SignedIn {
  readonly id: string
  readonly token: string
  readonly label: string
  readonly role: string
  readonly organization: { readonly id: string; readonly name: string }
}

export async function login(flags: LoginFlags, terminal: Terminal): Promise<number> {
  const settings = settingsOf(flags, terminal)
  const signedIn =
    flags.withToken === true ? await byToken(settings, terminal) : await byDevice(settings, flags, terminal)
  const { host, profile } = settings
  keepCredential(profile.value, terminal, { host: host.value, id: signedIn.id, token: signedIn.token })
  keepInProfile(profile.value, terminal, { host: host.value })
  const { err, out } = terminal
  const { organization, role } = signedIn
  if (flags.json === true) {
    out.write(
      `${JSON.stringify({ host: host.value, profile: profile.value, organization, role, tokenId: signedIn.id })}\n`,
    )
    return exit.ok
  }
  err.write(`${paint(err, 'green', '✓')} Signed in at ${host.value} to ${organization.name}, as ${role}.\n`)
  if (terminal.env['TOLLGATE_TOKEN']) {
    err.write(
      '  TOLLGATE_TOKEN is set and overrides this sign-in. Unset TOLLGATE_TOKEN to use the sign-in.\n',
    )
  }
  err.write('  Next: tollgate init, or tollgate use <app>.\n')
  return exit.ok
}

async function byToken(settings: Settings, terminal: Terminal): Promise<SignedIn> {
  if (terminal.input.isTerminal) {
    throw usageError('--with-token reads the token from standard input: tollgate login --with-token < file.')
  }
  const token = textOf(await terminal.input.read()).trim()
  if (token === '') throw usageError('Standard input is empty, but must contain the token.')
  const api = new Api({ ...settings, token: { value: token, origin: 'standard input' } }, terminal)
  const { organization, token: shown } = await api.call<{
    organization: SignedIn['organization']
    token: { id: string; label: string; role: string } | null
  }>('auth.whoami')
  if (shown === null)
    throw usageError(
      'The command line requires an sk_ token, but standard input contains another kind of credential.',
    )
  return { ...shown, token, organization }
}

async function byDevice(settings: Settings, { role }: LoginFlags, terminal: Terminal): Promise<SignedIn> {
  const { clock, err, hostName, input, signal } = terminal
  const api = new Api({ ...settings, app: null, token: null }, terminal)
  const started = await api.call<Started>('deviceAuth.start', {
    clientName: `tollgate on ${hostName}`.slice(0, 64),
    ...(role !== undefined && { role }),
  })
  err.write(
    [
      `Sign in at ${settings.host.value}`,
      '',
      `  1. Open  ${started.verificationUriComplete}`,
      `  2. Compare the code on the page with  ${paint(err, 'bold', started.userCode)}`,
      '  3. If the codes match, approve the sign-in.',
      '',
      'Approve only a code that is shown on your own machine.',
      '',
    ].join('\n'),
  )
  const settled = new AbortController()
  if (input.isTerminal) {
    err.write('Press Enter to open the browser, or Ctrl-C to cancel.\n')
    input.onLine(() => {
      if (!terminal.open(started.verificationUriComplete))
        err.write('No browser is available on this device. Open the address on another device.\n')
    }, settled.signal)
  }
  try {
    const endsAtMs = clock.now() + started.expiresIn * 1000
    return await withProgress(terminal, 'waiting for approval', () =>
      polled(
        { api, deviceCode: started.deviceCode, intervalMs: started.interval * 1000, endsAtMs },
        clock,
        signal,
      ),
    )
  } finally {
    settled.abort()
  }
}

interface Polling {
  readonly api: Api
  readonly deviceCode: string
  readonly intervalMs: number
  readonly endsAtMs: number
}

/**
 * `slow_down` makes all later intervals five seconds longer. A failed connection doubles all later intervals (RFC 8628,
 * section 3.5).
 */
async function polled(
  { api, deviceCode, endsAtMs, intervalMs }: Polling,
  clock: Terminal['clock'],
  signal: AbortSignal,
): Promise<SignedIn> {
  for (let waitMs = intervalMs; clock.now() < endsAtMs;) {
    await pause(waitMs, clock, signal)
    try {
      return await api.call<SignedIn>('deviceAuth.poll', { deviceCode }, { maxRetries: 0 })
    } catch (error) {
      if (error instanceof ConnectionError) {
        waitMs *= 2
        continue
      }
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'authorization_pending') continue
      if (error.code === 'slow_down') {
        waitMs += 5_000
        continue
      }
      if (error.code === 'access_denied')
        throw new CommandError('The sign-in was denied.', exit.signIn, { cause: error })
      if (error.code === 'expired_token') break
      if (error.status === 429 || error.status >= 500) {
        waitMs += 5_000
        continue
      }
      throw error
    }
  }
  throw new CommandError(
    'The code has expired or was already used. Start again with tollgate login.',
    exit.signIn,
  )
}

async function pause(ms: number, clock: Terminal['clock'], signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (cause) {
    throw new CommandError('Interrupted. You are not signed in.', exit.interrupted, { cause })
  }
}
