import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import {
  bodyOfAnswer,
  framesOfAnswer,
  framesOfRefusal,
  type FramedAnswer,
  type Saying,
  type Told,
} from './provider-with-given-frames.ts'

/** A provider that fails: its wire, its model ID and the texts of its errors. No end user may see these texts. */
export interface Speaker {
  readonly wire: WireName
  readonly isStream: boolean
  readonly model: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Words in the provider's error texts, if it sends any. */
  readonly text: string
  readonly told: Told
}

export interface Fault {
  readonly name: string
  /** Null if the provider does not receive the request. */
  readonly answer: ((speaker: Speaker) => FramedAnswer) | null
  readonly account?: 'tls' | 'name' | 'port'
  readonly timeouts?: object
  /** The kind of response in which the fault occurs, unless the fault occurs in both kinds. */
  readonly of?: 'streams' | 'whole'
  readonly code: string | null
  readonly movesOn: boolean
  readonly status: number
  /** Whether the client's error contains the provider's own words (docs/reference/failures.md "Provider errors"). */
  readonly isInItsWords?: boolean
  readonly retryAfter?: string
  /**
   * The usage that the provider reported before it failed. `input` means that the attempt was abandoned after the head
   * of a valid answer. With `input`, the estimated input tokens count, because the provider has read the input.
   */
  readonly spent?: (speaker: Speaker) => Told | 'input' | null
  /**
   * Whether the client has received a part of the answer. If the client has received a part of an answer, the part is
   * charged, and no other target continues the answer.
   */
  readonly isSeen?: boolean
}

/** Marks in texts that no end user may see. */
export const marks = {
  error: 'goshawk',
  label: 'kestrel',
  model: 'osprey',
  path: 'harrier',
  header: 'merlin',
  key: 'sk-proj-Zx81QvTb77',
}

const text = 'text/event-stream'

function sentenceOf({ apiKey, baseUrl, model }: Speaker): string {
  return `${marks.error}: the model ${model} at ${baseUrl}/chat does not take the key ${apiKey} of org-${marks.header}0123`
}

interface Named {
  readonly type?: string
  readonly code?: string
}

function errorOf(speaker: Speaker, status: number, { code, type }: Named = {}, before = ''): object {
  const message = before + sentenceOf(speaker)
  switch (speaker.wire) {
    case 'messages':
      return {
        type: 'error',
        error: {
          type: type ?? code ?? typesOfMessages[status] ?? 'api_error',
          message,
          ...(code !== undefined && { details: { error_code: code } }),
        },
        request_id: `req_${marks.header}`,
      }
    case 'generate':
      return {
        error: {
          code: status,
          message,
          status: statusesOfGenerate[status] ?? 'INTERNAL',
          ...(code !== undefined && {
            details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code }],
          }),
        },
      }
    default:
      return { error: { message, type: type ?? 'server_error', param: null, code: code ?? null } }
  }
}

const typesOfMessages: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}
const statusesOfGenerate: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

const headers = { 'x-request-id': `req_${marks.header}`, 'openai-organization': `org-${marks.header}` }

function whole(status: number, body: object | string, more: Partial<FramedAnswer> = {}): FramedAnswer {
  const frames = [typeof body === 'string' ? body : JSON.stringify(body)]
  return { isWhole: true, status, frames, ...more, headers: { ...headers, ...more.headers } }
}

function refuses(
  status: number,
  named?: Named,
  more: Partial<FramedAnswer> = {},
): NonNullable<Fault['answer']> {
  return (speaker) => whole(status, errorOf(speaker, status, named), more)
}

function errorFrame(speaker: Speaker): string {
  const named = {
    messages: 'api_error',
    generate: 'INTERNAL',
    chat: 'server_error',
    responses: 'server_error',
    converse: 'api_error',
    cohere: 'api_error',
  }
  const type = named[speaker.wire]
  const body = errorOf(speaker, 500, { type, ...(speaker.wire === 'responses' && { code: type }) })
  const data = `data: ${JSON.stringify(speaker.wire === 'responses' ? { type: 'error', ...body } : body)}\n\n`
  return speaker.wire === 'messages' || speaker.wire === 'responses' ? `event: error\n${data}` : data
}

export function goodAnswer(speaker: Speaker): FramedAnswer {
  const { isStream } = speaker
  return {
    isWhole: !isStream,
    headers,
    frames: isStream ? framesOf(speaker) : [withModel(JSON.stringify(wholeOf(speaker)), speaker)],
  }
}

export function piecesOf(spoken: string): string[] {
  return spoken.match(/ ?[^ ]+/g) ?? []
}

function framesOf(speaker: Speaker): string[] {
  const said = piecesOf(speaker.text).map((one): Saying => ({ kind: 'text', text: one }))
  return framesOfAnswer(speaker.wire, said, speaker.told).map((frame) => withModel(frame, speaker))
}

function wholeOf({ told, text: spoken, wire }: Speaker): object {
  return bodyOfAnswer(wire, spoken, told)
}

function withModel(frame: string, { model }: Speaker): string {
  return frame.replaceAll('"up"', JSON.stringify(model))
}

function opening(speaker: Speaker): string[] {
  const frames = framesOf(speaker)
  return frames.slice(0, indexOfText(frames, speaker))
}

function beginning(speaker: Speaker): string[] {
  const frames = framesOf(speaker)
  return frames.slice(0, indexOfText(frames, speaker) + piecesSeen)
}

export const piecesSeen = 2

function indexOfText(frames: readonly string[], { text: spoken }: Speaker): number {
  const [piece = ''] = piecesOf(spoken)
  return frames.findIndex((frame) => frame.includes(JSON.stringify(piece)))
}

/**
 * Returns the beginning of a stream, without visible output. For a non-streaming response, returns the first half of
 * the body.
 */
function half(speaker: Speaker): string[] {
  if (speaker.isStream) return opening(speaker)
  const body = JSON.stringify(wholeOf(speaker))
  return [withModel(body.slice(0, body.length >> 1), speaker)]
}

/** Only on the messages wire does a provider report the input tokens before the answer. */
const inputOfOpening = ({ isStream, told, wire }: Speaker): Told | null =>
  isStream && wire === 'messages' ? { input: told.input, output: 0 } : null

const inputRead = (speaker: Speaker): Told | 'input' => inputOfOpening(speaker) ?? 'input'

const kindOf = ({ isStream }: Speaker): Pick<FramedAnswer, 'isWhole'> => ({ isWhole: !isStream })

const moves = { movesOn: true } as const
const ends = { movesOn: false } as const
const broken = { code: 'upstream_error', status: 502 } as const
const late = { code: 'upstream_timeout', status: 504 } as const
const rejected = { code: 'upstream_rejected', isInItsWords: true } as const

export const answerBytesMax = 64 * 1024

export const faults: readonly Fault[] = [
  {
    name: '429',
    answer: refuses(429, { type: 'rate_limit_error' }),
    ...moves,
    code: 'upstream_rate_limited',
    status: 429,
    isInItsWords: true,
  },
  {
    name: '429 with retry-after',
    answer: refuses(429, { type: 'rate_limit_error' }, { headers: { 'retry-after': '7' } }),
    ...moves,
    code: 'upstream_rate_limited',
    status: 429,
    retryAfter: '7',
    isInItsWords: true,
  },
  {
    name: '429 of an exhausted quota',
    answer: refuses(429, { code: 'insufficient_quota' }),
    ...moves,
    code: 'upstream_unpaid',
    status: 502,
  },
  { name: '402', answer: refuses(402), ...moves, code: 'upstream_unpaid', status: 502 },
  { name: '500', answer: refuses(500), ...moves, ...broken },
  {
    name: '502 with an HTML page',
    answer: ({ model }) =>
      whole(502, `<html><h1>${marks.error} ${model}</h1></html>`, { contentType: 'text/html' }),
    ...moves,
    ...broken,
  },
  { name: '503', answer: refuses(503), ...moves, code: 'upstream_overloaded', status: 503 },
  {
    name: '503 with retry-after',
    answer: refuses(503, {}, { headers: { 'retry-after': '11' } }),
    ...moves,
    code: 'upstream_overloaded',
    status: 503,
    retryAfter: '11',
  },
  { name: '529', answer: refuses(529), ...moves, code: 'upstream_overloaded', status: 503 },
  { name: '401', answer: refuses(401), ...moves, code: 'upstream_unauthorized', status: 502 },
  { name: '403', answer: refuses(403), ...moves, code: 'upstream_unauthorized', status: 502 },
  {
    name: 'a key that is refused with 400',
    answer: refuses(400, { type: 'invalid_request_error', code: 'API_KEY_INVALID' }),
    ...moves,
    code: 'upstream_unauthorized',
    status: 502,
  },
  {
    name: 'an exhausted credit, reported with 400',
    answer: (speaker) =>
      whole(
        400,
        errorOf(speaker, 400, { type: 'invalid_request_error' }, 'Your credit balance is too low: '),
      ),
    ...moves,
    code: 'upstream_unpaid',
    status: 502,
  },
  { name: '404 of the model', answer: refuses(404), ...moves, ...rejected, status: 404 },
  { name: '408', answer: refuses(408), ...moves, ...broken },
  { name: '409', answer: refuses(409), ...moves, ...broken },
  { name: '425', answer: refuses(425), ...moves, ...broken },
  {
    name: 'a redirect',
    answer: () => whole(307, '', { headers: { location: `http://127.0.0.1:1/${marks.path}` } }),
    ...moves,
    ...broken,
  },
  {
    name: 'silence before the head',
    answer: () => ({ frames: [], hangs: 'before_head' }),
    timeouts: { firstByteMs: 50 },
    ...moves,
    ...late,
  },
  {
    name: 'silence after the head',
    answer: (speaker) => ({ ...kindOf(speaker), frames: [], hangs: 'behind_frames' }),
    timeouts: { idleMs: 200 },
    ...moves,
    ...late,
    spent: () => 'input',
  },
  {
    name: 'silence after the opening',
    answer: (speaker) => ({ ...kindOf(speaker), frames: half(speaker), hangs: 'behind_frames' }),
    // Even on a busy machine, the gateway reads the opening frames before the deadline, and so charges their tokens.
    timeouts: { idleMs: 400 },
    ...moves,
    ...late,
    spent: inputRead,
  },
  {
    name: 'a trickle without content',
    answer: (speaker) => ({ ...kindOf(speaker), frames: [], drips: speaker.isStream ? ': ping\n\n' : ' ' }),
    timeouts: { totalMs: 150 },
    ...moves,
    ...late,
    spent: () => 'input',
  },
  {
    name: 'a reset before the head',
    answer: () => ({ frames: [], resets: 'before_head' }),
    ...moves,
    ...broken,
  },
  {
    name: 'a reset after the head',
    answer: (speaker) => ({ ...kindOf(speaker), frames: [], resets: 'behind_frames' }),
    ...moves,
    ...broken,
  },
  {
    name: 'a cut before the first text',
    answer: (speaker) => ({ ...kindOf(speaker), frames: half(speaker), isCut: true }),
    ...moves,
    ...broken,
    spent: inputOfOpening,
  },
  {
    name: 'a cut after the first text',
    of: 'streams',
    answer: (speaker) => ({ frames: beginning(speaker), isCut: true }),
    ...ends,
    ...broken,
    isSeen: true,
  },
  {
    name: 'an end without a finish reason',
    of: 'streams',
    answer: (speaker) => ({ frames: opening(speaker) }),
    ...moves,
    code: 'upstream_truncated',
    status: 502,
    spent: inputOfOpening,
  },
  {
    name: 'an end without a finish reason after the first text',
    of: 'streams',
    answer: (speaker) => ({ frames: beginning(speaker) }),
    ...ends,
    code: 'upstream_truncated',
    status: 502,
    isSeen: true,
  },
  {
    name: 'malformed JSON',
    answer: (speaker) =>
      speaker.isStream
        ? { frames: [...opening(speaker), `data: {"${marks.error}":\n\n`] }
        : whole(200, `{"${marks.error}":`),
    ...moves,
    ...broken,
    spent: inputOfOpening,
  },
  {
    name: 'malformed JSON after the first text',
    of: 'streams',
    answer: (speaker) => ({ frames: [...beginning(speaker), `data: {"${marks.error}":\n\n`] }),
    ...ends,
    ...broken,
    isSeen: true,
  },
  {
    name: '200 with an error',
    answer: (speaker) => whole(200, errorOf(speaker, 500)),
    ...moves,
    ...broken,
  },
  {
    name: 'an error before the first text',
    of: 'streams',
    answer: (speaker) => ({ frames: [...opening(speaker), errorFrame(speaker)] }),
    ...moves,
    ...broken,
    spent: inputOfOpening,
  },
  {
    name: 'an error after the first text',
    of: 'streams',
    answer: (speaker) => ({ frames: [...beginning(speaker), errorFrame(speaker)] }),
    ...ends,
    ...broken,
    isSeen: true,
    isInItsWords: true,
  },
  {
    name: 'an empty stream',
    of: 'streams',
    answer: () => ({ frames: [] }),
    ...moves,
    code: 'upstream_truncated',
    status: 502,
  },
  { name: 'an empty body', of: 'whole', answer: () => whole(200, ''), ...moves, ...broken },
  {
    name: 'an empty answer',
    answer: (speaker) => {
      const said = { ...speaker, text: '', told: { input: speaker.told.input, output: 0 } }
      return goodAnswer(said)
    },
    ...moves,
    ...broken,
    // The last target's answer is returned unchanged.
    status: 200,
    spent: ({ told }) => ({ input: told.input, output: 0 }),
  },
  {
    name: 'a page in place of the answer',
    answer: ({ model }) => whole(200, `<html>${marks.error} ${model}</html>`, { contentType: 'text/html' }),
    ...moves,
    ...broken,
  },
  {
    name: 'a stream in place of the answer',
    of: 'whole',
    answer: (speaker) => ({ frames: framesOf({ ...speaker, isStream: true }), contentType: text }),
    ...moves,
    ...broken,
  },
  {
    name: 'an answer in place of the stream',
    of: 'streams',
    answer: (speaker) => whole(200, withModel(JSON.stringify(wholeOf(speaker)), speaker)),
    ...moves,
    ...broken,
  },
  {
    name: 'an answer that is too large',
    of: 'whole',
    answer: (speaker) => whole(200, wholeOf({ ...speaker, text: 'x'.repeat(2 * answerBytesMax) })),
    ...moves,
    ...broken,
  },
  {
    name: 'a page that is too large, of an error',
    answer: () => whole(500, `${marks.error} `.repeat(20_000)),
    ...moves,
    ...broken,
  },
  {
    name: 'a frame without an end',
    of: 'streams',
    answer: (speaker) => ({ frames: [...opening(speaker), `data: {"x":"${'x'.repeat(17 * 1024 * 1024)}`] }),
    ...moves,
    ...broken,
    spent: inputOfOpening,
  },
  {
    name: 'a compressed answer',
    answer: (speaker) => ({
      ...kindOf(speaker),
      frames: ['\u001f\u008b'],
      headers: { ...headers, 'content-encoding': 'gzip' },
    }),
    ...moves,
    ...broken,
  },
  { name: 'a server without TLS', answer: null, account: 'tls', ...moves, ...broken },
  { name: 'a name that does not exist', answer: null, account: 'name', ...moves, ...broken },
  { name: 'a closed port', answer: null, account: 'port', ...moves, ...broken },
  { name: '400', answer: refuses(400, { type: 'invalid_request_error' }), ...ends, ...rejected, status: 400 },
  { name: '413', answer: refuses(413, { type: 'invalid_request_error' }), ...ends, ...rejected, status: 413 },
  { name: '422', answer: refuses(422, { type: 'invalid_request_error' }), ...ends, ...rejected, status: 422 },
  {
    name: 'a content policy',
    answer: refuses(400, { type: 'invalid_request_error', code: 'content_policy_violation' }),
    ...ends,
    ...rejected,
    status: 400,
  },
  {
    name: 'an invalid request, reported under status 200',
    answer: (speaker) =>
      whole(200, errorOf(speaker, 400, { type: 'invalid_request_error', code: 'invalid_request_error' })),
    ...ends,
    ...rejected,
    status: 400,
  },
  {
    name: 'a refusal without any text',
    answer: (speaker) => {
      const told = { input: speaker.told.input, output: 0 }
      return {
        ...kindOf(speaker),
        headers,
        frames: (speaker.isStream
          ? framesOfRefusal(speaker.wire, told)
          : [JSON.stringify(bodyOfAnswer(speaker.wire, '', told, true))]
        ).map((frame) => withModel(frame, speaker)),
      }
    },
    ...ends,
    code: null,
    status: 200,
  },
]

/** The provider reads the input, and writes nothing. */
export function toldOfRefusal({ input }: Told): Told {
  return { input, output: 0 }
}
