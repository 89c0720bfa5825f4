import { systemCodeOf } from '#domain/network/innermost-error-code.ts'
import type { ProbeAccount, ProbeAnswer, ProbeFailure } from '#domain/health/provider-probes.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { ProviderFormat } from '#domain/accounts/provider-kinds.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import type { Upstream, UpstreamFailure } from '#domain/provider-upstream-interface.ts'
import { errorInBody, statusOfError, unnamedError } from '#wire/read-provider-error.ts'
import { upstreamCodeOf } from '#wire/upstream-code-of-provider-error.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { isFault } from '#wire/wire-request.ts'
import { readPrediction } from '#wire/embed-content/non-streaming-response.ts'
import { usageOfConverse } from '#wire/converse/usage.ts'
import type { Usage } from '#money/usage-counts.ts'
import { wires } from '#wire/table-of-wires.ts'
import { dialectOf } from './provider-dialects.ts'

/** Short deadlines, because an admin waits for the result. */
const deadlines: Deadlines = { connectMs: 5_000, firstByteMs: 20_000, idleMs: 10_000, totalMs: 30_000 }
/** A response of one token is far smaller than this size. */
const bytesMax = 64 * 1024
const saidMax = 2_000

/** A probe has the same address checks, headers and removal of secrets from errors as a call. */
export function accountProbe(
  upstream: Upstream,
  { monotonicMs, newId }: { readonly monotonicMs: () => number; readonly newId: () => string },
): ProbeAccount {
  return (account, model) =>
    new Promise((resolve) => {
      const { body, wire } = dialectOf(account).probe(model)
      const format = formatOf(wire, model, byteTextOf(JSON.stringify(body)))
      const startMs = monotonicMs()
      let status: number | null = null
      let answer: ByteText = ''
      const end = (rest: Pick<ProbeAnswer, 'usage' | 'failure'>): void =>
        resolve({ status, latencyMs: Math.round(monotonicMs() - startMs), ...rest })
      const clean = (text: string): string => upstream.cleaner(account)(text, model, model)
      const call = upstream.send(
        {
          account,
          model,
          wire,
          purpose: 'answer',
          body: format.body,
          contentType: format.contentType,
          isStream: false,
          headers: [],
          query: '',
          callId: `probe_${newId()}`,
          deadlines,
        },
        {
          onHead: (newStatus) => void (status = newStatus),
          onData(bytes) {
            answer += Buffer.from(bytes).toString('latin1')
            if (answer.length <= bytesMax) return true
            call.abort()
            end({ usage: null, failure: failed('its response is too large', null) })
            return true
          },
          onEnd() {
            const read = resultOf(format, status ?? 0, answer)
            const said =
              read.failure === null || answer === '' ? null : clean(textOf(answer).slice(0, saidMax))
            end(read.failure === null ? read : { usage: null, failure: { ...read.failure, said } })
          },
          onFailure: (failure) => end({ usage: null, failure: failureOfConnection(failure, account) }),
        },
      )
    })
}

interface ProbeFormat {
  readonly body: ByteText
  readonly contentType: string | undefined
  /** Returns null if the response reports no usage, and undefined if the text is not a response of the format. */
  readonly usageOf: (answer: ByteText) => Usage | null | undefined
}

/** If requests of this format are forms, the probe is converted to a form. */
function formatOf(wire: ProviderFormat, model: string, body: ByteText): ProbeFormat {
  if (wire === 'converse') return { body, contentType: undefined, usageOf: usageOfConverse }
  if (wire === 'predict')
    return { body, contentType: undefined, usageOf: (answer) => readPrediction(answer)?.usage }
  // The probe of an account is a conversation, which Bedrock converts to the prompt of any model.
  if (wire === 'invoke_prompt') throw new Error(`no account is probed with ${wire}`)
  const { parseRequest, readAnswer } = wires[wire]
  const request = parseRequest(body, { model, isStream: false, isJsonArray: false })
  if (isFault(request)) throw new Error(`the probe of ${wire} is invalid: ${request.reason}`)
  const { contentType, text } = request
  return { body: text, contentType, usageOf: (answer) => readAnswer(answer, request)?.usage }
}

function resultOf(
  { usageOf }: ProbeFormat,
  status: number,
  answer: ByteText,
): Pick<ProbeAnswer, 'usage' | 'failure'> {
  const error = errorInBody(answer)
  if (status < 200 || status >= 300) return { usage: null, failure: failureOfStatus(status, error) }
  const usage = usageOf(answer)
  if (usage !== undefined) return { usage, failure: null }
  const stated = error && statusOfError(error)
  return {
    usage: null,
    failure: stated ? failureOfStatus(stated, error) : failed('its response cannot be read', null),
  }
}

function failureOfStatus(status: number, error: ReturnType<typeof errorInBody>): ProbeFailure {
  return { code: upstreamCodeOf(status, error ?? unnamedError), reason: `it returned ${status}`, said: null }
}

function failureOfConnection(
  { cause, host, isTimeout, phase }: UpstreamFailure,
  account: ProviderAccount,
): ProbeFailure {
  if (isTimeout)
    return { code: 'upstream_timeout', reason: `it did not respond in time (${phase})`, said: null }
  const code = systemCodeOf(cause)
  if (host !== undefined)
    return failed(`${host} issued no access token${code === null ? '' : ` (${code})`}`, null)
  const what = phase === 'connect' ? 'it could not be reached' : 'the connection was lost'
  return failed(code === null ? what : `${what} (${code}, ${account.baseUrl ?? account.kind})`, null)
}

function failed(reason: string, said: string | null): ProbeFailure {
  return { code: 'upstream_error', reason, said }
}
