import { AnswerError, ApiError, CancelledError, ConnectionError, TollgateError } from '#sdk/errors.ts'
import { CommandError, exit, type Screen } from '#cli/terminal-interface.ts'
import { placeText, type Settings } from '#cli/settings/settings.ts'
import { paint } from './terminal-colors.ts'
import { harmless, wrapped } from './text-width.ts'

export interface Failure {
  readonly exitCode: number
  readonly sentence: string
  /** Null if the sentence already contains the next step. */
  readonly hint: string | null
  /** Application and mode of the command, if a resource was not found there. */
  readonly place: string | null
  readonly document: { readonly error: Readonly<Record<string, unknown>> }
}

/** @param settings null if the settings contradict each other */
export function failureOf(error: unknown, settings: Settings | null): Failure {
  const host = settings?.host.value ?? 'unknown'
  if (error instanceof ApiError) return ofAnswer(error, host, settings)
  if (error instanceof CancelledError) return own(exit.interrupted, 'interrupted', 'Interrupted.', null)
  if (error instanceof AnswerError) {
    return own(exit.unreachable, 'unreadable_answer', error.message, `The server is ${host}.`)
  }
  if (error instanceof ConnectionError) {
    const why = innermost(error)
    const hint = `Check that the server is running at ${host}, or set another address with --host or TOLLGATE_BASE_URL.`
    return own(exit.unreachable, 'no_answer', `${error.message} ${why}`.trim(), hint)
  }
  if (error instanceof CommandError) return own(error.exitCode, 'command', error.message, null)
  if (error instanceof TollgateError) return own(exit.usage, 'invalid_request', error.message, null)
  throw error
}

function own(exitCode: number, code: string, sentence: string, hint: string | null): Failure {
  return { exitCode, sentence, hint, place: null, document: { error: { code, message: sentence } } }
}

function ofAnswer(error: ApiError, host: string, settings: Settings | null): Failure {
  const { code, details, param, requestId } = error
  return {
    exitCode: exitCodeOf(error),
    // The SDK's message names the option of the SDK.
    sentence: isRedirect(error) ? error.message.replace(/ Check baseUrl\.$/, '') : error.message,
    hint: hintOf(error, host),
    place: code === 'not_found' && settings !== null ? placeText(settings) : null,
    document: documentIn(error.body) ?? {
      error: { code, message: error.message, param, requestId, details },
    },
  }
}

function documentIn(body: string): Failure['document'] | null {
  try {
    const parsed: Failure['document'] | null = JSON.parse(body)
    return typeof parsed?.error === 'object' ? parsed : null
  } catch {
    return null
  }
}

function exitCodeOf({ code, status }: ApiError): number {
  if (code === 'idempotency_mismatch') return exit.conflict
  if (status === 401) return exit.signIn
  if (status === 402 || status === 403) return exit.refused
  if (status === 404 || status === 410) return exit.notFound
  if (status === 409 || status === 412) return exit.conflict
  if (status === 429) return exit.rateLimited
  if (status >= 500) return exit.unreachable
  return exit.failed
}

function isRedirect({ status }: ApiError): boolean {
  return status >= 300 && status < 400
}

function hintOf(error: ApiError, host: string): string | null {
  const { code, status } = error
  if (isRedirect(error)) return `Set the address to which ${host} redirects with --host or TOLLGATE_BASE_URL.`
  if (status === 401) return `Sign in with tollgate login, or set TOLLGATE_TOKEN. The server is ${host}.`
  if (code === 'bundle_required')
    return 'Create a bundle with tollgate bundles create <slug>. The first bundle becomes the default.'
  if (status === 412) return 'Read the resource again, and send its new ETag with --if-match.'
  return null
}

/** Such as `connect ECONNREFUSED 127.0.0.1:8080`, instead of `fetch failed`. */
function innermost(error: Error): string {
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause instanceof Error
    ? innermost(cause) || cause.message
    : error instanceof TollgateError
      ? ''
      : error.message
}

export function failureText({ document, hint, place, sentence }: Failure, screen: Screen): string {
  const { code, requestId } = document.error
  const facts = [
    typeof code === 'string' && requestId !== undefined ? code : '',
    typeof requestId === 'string' ? `request ${requestId}` : '',
    place ?? '',
  ].filter((fact) => fact !== '')
  const width = screen.columns ?? Infinity
  const [first = '', ...more] = wrapped(`tollgate: ${harmless(sentence)}`, width)
  return [
    first.replace('tollgate:', paint(screen, 'red', 'tollgate:')),
    ...more,
    ...(hint === null ? [] : wrapped(hint, width - 2).map((line) => `  ${line}`)),
    ...(facts.length === 0 ? [] : [paint(screen, 'dim', `  ${facts.join(' · ')}`)]),
  ]
    .map((line) => `${line}\n`)
    .join('')
}
