import { answerTo, outputTokensOf, type Choice, type Piece } from './answer.ts'
import { directivesIn, type Directives } from './directives.ts'
import { errorBody } from './error-body.ts'
import { readRequest, type SimulatedRequest } from './request.ts'

/** What a simulated provider does next. */
export type Step =
  | {
      readonly kind: 'head'
      readonly status: number
      readonly contentType: string
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Nothing more, ever. */
  | { readonly kind: 'hang' }
  /** The connection breaks. */
  | { readonly kind: 'cut' }

/** Between the bytes of a trickle without a delay of its own. */
const trickleMs = 100

/**
 * Everything that the simulated provider does about one request, in order. The same request and call
 * give the same steps.
 * @param callId becomes the answer's id and its seed
 * @param createdSeconds the `created` of the answer
 */
export function* script(body: Uint8Array, callId: string, createdSeconds: number): Generator<Step> {
  const request = readRequest(body)
  const directives = 'fault' in request ? request : directivesIn(request.userText)
  if ('fault' in request) yield* refusal(400, request.fault)
  else if ('fault' in directives) yield* refusal(400, directives.fault)
  else {
    const steps = answer(request, directives, callId, createdSeconds)
    yield* directives.isTrickling ? trickled(steps, directives.delayMs ?? trickleMs) : steps
  }
}

function* refusal(status: number, message?: string): Generator<Step> {
  yield {
    kind: 'head',
    status,
    contentType: 'application/json',
    retryAfterSeconds: status === 429 ? 2 : null,
  }
  yield bytes(errorBody(status, message))
}

function* answer(
  request: SimulatedRequest,
  directives: Directives,
  callId: string,
  createdSeconds: number,
): Generator<Step> {
  const { failStatus, hang, delayMs } = directives
  if (hang === 'headers') yield { kind: 'hang' }
  if (failStatus !== null) {
    yield { kind: 'wait', ms: delayMs ?? 0 }
    yield* refusal(failStatus)
    return
  }
  const choices = answerTo(request, directives, callId)
  const head = {
    id: `chatcmpl-${callId}`,
    object: request.isStream ? 'chat.completion.chunk' : 'chat.completion',
    created: createdSeconds,
    model: request.model,
    system_fingerprint: 'fp_simulator',
  }
  const usage = usageOf(request, directives, choices)
  if (request.isStream) yield* stream(head, request, directives, callId, choices, usage)
  else yield* whole(head, directives, callId, choices, usage)
}

/** Role chunks, one chunk for each token, finish chunks, the usage chunk if asked for, `[DONE]`. */
function* stream(
  head: object,
  { isUsageWanted }: SimulatedRequest,
  { hang, cutAfterChunks, isBroken, delayMs }: Directives,
  callId: string,
  choices: readonly Choice[],
  usage: string | null,
): Generator<Step> {
  yield { kind: 'head', status: 200, contentType: 'text/event-stream', retryAfterSeconds: null }
  const opening = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`
  const closing = isUsageWanted ? '],"usage":null}\n\n' : ']}\n\n'
  const chunk = (index: number, delta: string, finishReason = 'null'): Step =>
    bytes(
      `${opening}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}${closing}`,
    )

  for (const [index, { pieces }] of choices.entries()) {
    // A turn that only calls tools opens with the role in the first call's own chunk, as OpenAI has it.
    if (pieces[0]?.kind !== 'tool') yield chunk(index, '{"role":"assistant","content":"","refusal":null}')
  }
  const total = outputTokensOf(choices)
  const middle = Math.floor(total / 2)
  const cutAt = cutAfterChunks === null ? null : Math.min(cutAfterChunks, total)
  const tokensMax = Math.max(...choices.map(({ pieces }) => pieces.length))
  let sent = 0
  for (let at = 0; at < tokensMax; at++) {
    for (const [index, { pieces }] of choices.entries()) {
      const piece = pieces[at]
      if (!piece) continue
      if (sent === cutAt) yield { kind: 'cut' }
      if (sent === middle && hang === 'middle') yield { kind: 'hang' }
      if (sent === middle && isBroken) yield bytes(`${opening}{"index":0,"delta":{"cont\n\n`)
      if (delayMs !== null) yield { kind: 'wait', ms: delayMs }
      yield chunk(index, deltaOf(piece, at === 0, `call_${callId}_${index}_${piece.tool}`))
      sent++
    }
  }
  if (sent === cutAt) yield { kind: 'cut' }
  for (const [index, { finishReason }] of choices.entries()) yield chunk(index, '{}', `"${finishReason}"`)
  if (isUsageWanted && usage !== null) yield bytes(`${opening}],"usage":${usage}}\n\n`)
  yield bytes('data: [DONE]\n\n')
}

function deltaOf({ kind, text, tool }: Piece, isFirst: boolean, toolId: string): string {
  const quoted = JSON.stringify(text)
  if (kind === 'content') return `{"content":${quoted}}`
  if (kind === 'reasoning') return `{"reasoning_content":${quoted}}`
  if (kind === 'arguments') return `{"tool_calls":[{"index":${tool},"function":{"arguments":${quoted}}}]}`
  const role = isFirst ? '"role":"assistant","content":null,' : ''
  const call = `{"index":${tool},"id":"${toolId}","type":"function","function":{"name":${quoted},"arguments":""}}`
  return `{${role}"tool_calls":[${call}]}`
}

/** One JSON body, after as long as its stream would have taken. */
function* whole(
  head: object,
  { hang, cutAfterChunks, isBroken, delayMs }: Directives,
  callId: string,
  choices: readonly Choice[],
  usage: string | null,
): Generator<Step> {
  yield { kind: 'wait', ms: (delayMs ?? 0) * Math.max(...choices.map(({ pieces }) => pieces.length)) }
  yield { kind: 'head', status: 200, contentType: 'application/json', retryAfterSeconds: null }
  const list = choices.map(({ pieces, finishReason }, index) => ({
    index,
    message: messageOf(pieces, `call_${callId}_${index}`),
    logprobs: null,
    finish_reason: finishReason,
  }))
  const text =
    JSON.stringify({ ...head, choices: list }).slice(0, -1) + (usage === null ? '}' : `,"usage":${usage}}`)
  const middle = Math.floor(text.length / 2)
  yield bytes(text.slice(0, middle))
  if (hang === 'middle') yield { kind: 'hang' }
  if (cutAfterChunks !== null) yield { kind: 'cut' }
  if (!isBroken) yield bytes(text.slice(middle))
}

function messageOf(pieces: readonly Piece[], toolId: string): object {
  const textOf = (kind: Piece['kind'], tool = 0): string =>
    pieces
      .filter((piece) => piece.kind === kind && piece.tool === tool)
      .map((piece) => piece.text)
      .join('')
  const names = pieces.filter((piece) => piece.kind === 'tool')
  const reasoning = textOf('reasoning')
  const content = textOf('content')
  return {
    role: 'assistant',
    content: content === '' && names.length > 0 ? null : content,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(names.length === 0
      ? {}
      : {
          tool_calls: names.map(({ text, tool }) => ({
            id: `${toolId}_${tool}`,
            type: 'function',
            function: { name: text, arguments: textOf('arguments', tool) },
          })),
        }),
  }
}

/** JSON text, because a lie must go out as it was ordered; null for none. */
function usageOf(
  { inputTokens }: SimulatedRequest,
  { isUsageMissing, usageLie }: Directives,
  choices: readonly Choice[],
): string | null {
  if (isUsageMissing) return null
  const outputTokens = outputTokensOf(choices)
  const claimed = usageLie ?? String(outputTokens)
  const total = usageLie ?? String(inputTokens + outputTokens)
  return (
    `{"prompt_tokens":${inputTokens},"completion_tokens":${claimed},"total_tokens":${total},` +
    `"prompt_tokens_details":{"cached_tokens":0},` +
    `"completion_tokens_details":{"reasoning_tokens":${outputTokensOf(choices, 'reasoning')}}}`
  )
}

/** The same bytes, one at a time. */
function* trickled(steps: Iterable<Step>, delayMs: number): Generator<Step> {
  for (const step of steps) {
    if (step.kind !== 'bytes') yield step
    else {
      for (let at = 0; at < step.bytes.length; at++) {
        yield { kind: 'bytes', bytes: step.bytes.subarray(at, at + 1) }
        yield { kind: 'wait', ms: delayMs }
      }
    }
  }
}

function bytes(text: string): Step {
  return { kind: 'bytes', bytes: Buffer.from(text) }
}
